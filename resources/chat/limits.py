"""The concurrency limit of an endpoint: so many permits, handed to the lowest priority number first.

Leaves out time limits and budgets (`spend.py`). For use inside one event loop.
"""

import asyncio
import heapq
import itertools


class Ticket:
    """A place in the queue. Asking again with the same ticket keeps the place, so a retry need not start over."""

    __slots__ = ("place",)

    def __init__(self, place: tuple[int, int]) -> None:
        self.place = place


class Gate:
    """At most `limit` permits at any time; among those who wait, lower priority first, then first come."""

    def __init__(self, limit: int) -> None:
        if limit < 1:
            raise ValueError(f"concurrency limit {limit}: needs at least 1")
        self.limit = limit
        self.held = 0
        self._order = itertools.count()
        self._waiting: list[tuple[tuple[int, int], int, asyncio.Future[None]]] = []

    def ticket(self, priority: int) -> Ticket:
        return Ticket((priority, next(self._order)))

    async def acquire(self, ticket: Ticket) -> None:
        """Wait for a permit. Cancelling the wait gives up the place and loses no permit."""
        if self.held < self.limit and not self._waiting:
            self.held += 1
            return
        granted: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        heapq.heappush(self._waiting, (ticket.place, next(self._order), granted))
        try:
            await granted
        except asyncio.CancelledError:
            # Granted and cancelled in the same step: the permit goes to the next in line.
            if granted.done() and not granted.cancelled():
                self.release()
            else:
                granted.cancel()
                self._wake()
            raise

    def release(self) -> None:
        self.held -= 1
        self._wake()

    def _wake(self) -> None:
        while self._waiting and self.held < self.limit:
            _, _, granted = heapq.heappop(self._waiting)
            if not granted.done():
                self.held += 1
                granted.set_result(None)
