"""Which replica of an endpoint gets a request: prefix affinity, and a way round replicas that are down.

Leaves out the requests themselves (`transport.py`) and how a server is started: that is behind `Replicas`.
"""

import hashlib
import time
from collections import Counter
from collections.abc import Callable, Collection
from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True)
class Resolved:
    """Where an endpoint answers now."""

    urls: tuple[str, ...]
    """Base URLs up to and with /v1, one a replica."""
    model: str
    """Name to send as `model`."""


class Replicas(Protocol):
    """Finds the servers of an endpoint. Awaited at the first request that the call log does not answer."""

    async def resolve(self) -> Resolved:
        """Where to send requests; starts the server if it is ours and not up."""
        ...

    async def renew(self) -> Resolved:
        """Called when every replica refused the connection: start again what is ours, or look up afresh."""
        ...


@dataclass(frozen=True)
class FixedReplicas:
    """Servers that others run: the URLs stay what they are."""

    urls: tuple[str, ...]
    model: str

    async def resolve(self) -> Resolved:
        return Resolved(self.urls, self.model)

    async def renew(self) -> Resolved:
        return await self.resolve()


class Router:
    """Picks a replica by rendezvous hashing of the affinity, or the idlest one where there is none.

    A replica that refused a connection is left out for `first_rest` seconds, doubled at each further refusal up to
    `longest_rest`. When all rest, the one whose rest ends first is picked.
    """

    def __init__(
        self,
        urls: tuple[str, ...],
        clock: Callable[[], float] = time.monotonic,
        first_rest: float = 1.0,
        longest_rest: float = 30.0,
    ) -> None:
        if not urls:
            raise ValueError("no replica: an endpoint needs at least one url")
        self.urls = urls
        self.clock = clock
        self.first_rest = first_rest
        self.longest_rest = longest_rest
        self.in_flight: Counter[str] = Counter()
        self._refusals: Counter[str] = Counter()
        self._rests_until: dict[str, float] = {}

    def pick(self, affinity: str, avoid: Collection[str] = ()) -> str:
        """The replica for a request; `avoid` holds those that failed it before, taken only if no other is up."""
        if len(self.urls) == 1:
            return self.urls[0]
        up = [url for url in self.urls if self.up(url)]
        choice = [url for url in up if url not in avoid] or up
        if not choice:
            return min(self.urls, key=lambda url: self._rests_until[url])
        if affinity:
            return max(choice, key=lambda url: _weight(affinity, url))
        return min(choice, key=lambda url: self.in_flight[url])

    def up(self, url: str) -> bool:
        until = self._rests_until.get(url)
        return until is None or self.clock() >= until

    def another(self, avoid: Collection[str]) -> bool:
        """Whether a replica is up that is not to be avoided."""
        return any(url not in avoid and self.up(url) for url in self.urls)

    def refused(self, url: str) -> None:
        if not self.up(url):
            return  # one of several that were under way when the first was refused
        self._refusals[url] += 1
        rest = min(self.longest_rest, self.first_rest * 2.0 ** (self._refusals[url] - 1))
        self._rests_until[url] = self.clock() + rest

    def answered(self, url: str) -> None:
        if url in self._rests_until:
            del self._rests_until[url], self._refusals[url]


def _weight(affinity: str, url: str) -> bytes:
    return hashlib.blake2b(f"{affinity}\n{url}".encode("utf-8", "surrogatepass"), digest_size=8).digest()
