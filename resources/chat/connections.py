"""The open connections of an endpoint: servers found at the first use, one transport a replica, closed together.

Leaves out limits, retries and budgets (`chat_client.py`), and which replica is picked (`replicas.py`).
"""

import asyncio
import os
import time
from collections.abc import Callable, Collection
from dataclasses import dataclass
from typing import TYPE_CHECKING

from resources.chat.backends import backend
from resources.chat.outcomes import Broken, Outcome
from resources.chat.replicas import Replicas, Resolved, Router
from tmas_assets.records import Endpoint

if TYPE_CHECKING:
    from resources.chat.transport import Transport


class MissingApiKey(RuntimeError):
    """The endpoint names an environment variable for its key, and that variable is not set or holds what cannot be sent."""


@dataclass(frozen=True, slots=True)
class Sent:
    """One request sent and what became of it."""

    url: str
    server: str
    """The url as it may be shown."""
    outcome: Outcome
    generation: int
    """Which finding of the servers it was sent under; `renew` takes it."""


class Connections:
    """Use within one event loop; `close()` there too."""

    def __init__(self, endpoint: Endpoint, replicas: Replicas, clock: Callable[[], float] = time.monotonic) -> None:
        self._endpoint = endpoint
        self._replicas = replicas
        self._clock = clock
        self._finding: asyncio.Task[None] | None = None
        self._resolved: Resolved | None = None
        self._router: Router | None = None
        self._generation = 0
        self._transports: dict[str, Transport] = {}

    async def model(self) -> str:
        """The name to send as `model`; finds the servers when called first."""
        if self._resolved is None:
            await self._find()
        assert self._resolved is not None
        return self._resolved.model

    async def send(self, body: bytes, seconds: float, affinity: str, avoid: Collection[str]) -> Sent:
        """Send to the replica that the affinity picks. Call `model()` first."""
        router = self._router
        assert router is not None
        url = router.pick(affinity, avoid)
        transport = self._transport(url)
        generation = self._generation
        router.in_flight[url] += 1
        try:
            outcome = await transport.send(body, seconds, affinity)
        finally:
            router.in_flight[url] -= 1
        if isinstance(outcome, Broken) and outcome.refused:
            router.refused(url)
        elif not isinstance(outcome, Broken):
            router.answered(url)
        return Sent(url, transport.name, outcome, generation)

    def another(self, avoid: Collection[str]) -> bool:
        """Whether a replica is up that `avoid` does not hold."""
        return self._router is not None and self._router.another(avoid)

    async def renew(self, generation: int) -> None:
        """Find the servers again, unless that was done since `generation`."""
        if self._generation == generation:
            await self._find()

    async def close(self) -> None:
        if self._finding is not None:
            self._finding.cancel()
            await asyncio.wait([self._finding])
        while self._transports:
            _, transport = self._transports.popitem()
            await transport.close()

    async def _find(self) -> None:
        """Resolve or renew once for all who ask at the same time; they share the error too."""
        if self._finding is None:
            self._finding = asyncio.create_task(self._find_once())
        await asyncio.shield(self._finding)

    async def _find_once(self) -> None:
        try:
            if self._resolved is None:
                self._api_key()
                self._use(await self._replicas.resolve())
            else:
                self._use(await self._replicas.renew())
        finally:
            self._finding = None
            self._generation += 1

    def _use(self, resolved: Resolved) -> None:
        if resolved != self._resolved:
            self._resolved = resolved
            self._router = Router(resolved.urls, self._clock)

    def _transport(self, url: str) -> "Transport":
        transport = self._transports.get(url)
        if transport is None:
            # Imported at the first request: a run answered by the call log does without HTTP.
            from resources.chat.transport import Transport

            transport = self._transports[url] = Transport(url, self._api_key(), self._endpoint.concurrency, backend(self._endpoint.backend))
        return transport

    def _api_key(self) -> str:
        name = self._endpoint.api_key_env
        if name is None:
            return "EMPTY"
        key = os.environ.get(name)
        if not key:
            raise MissingApiKey(
                f"api_key_env: the environment variable {name} is not set, so {self._endpoint.model!r} at "
                f"{len(self._endpoint.urls)} url(s) was not asked. Set it and run again."
            )
        if not (key.isascii() and key.isprintable()) or " " in key:
            raise MissingApiKey(
                f"api_key_env: the environment variable {name} holds a blank, a line break or another character that no header takes "
                f"(its value is not shown, {len(key)} characters), so {self._endpoint.model!r} was not asked. Set it without and run again."
            )
        return key
