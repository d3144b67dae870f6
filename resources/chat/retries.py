"""How long to wait before the next attempt, and what counts as worth one.

Each wait is a uniform draw between the last bound and the next, so that many workers refused together do not come
back together. The first bound is small, since most faults are single; the draws never fall below the last bound, so
eight attempts always outlast an outage of eight seconds. Pure; the random stream is passed in.
"""

import random
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime


@dataclass(frozen=True)
class Backoff:
    """Bounds in seconds. `patience` is the longest wait a server may ask for."""

    base: float = 0.05
    growth: float = 2.5
    cap: float = 20.0
    patience: float = 300.0

    def wait(self, attempt: int, retry_after: float, rng: random.Random) -> float:
        """Seconds before the next attempt, `attempt` (from 1) having failed; never less than `retry_after`."""
        low, high = (self._bound(number) for number in (attempt - 1, attempt))
        return retry_after + rng.uniform(low, high)

    def _bound(self, attempt: int) -> float:
        return min(self.cap, self.base * self.growth ** (attempt - 1)) if attempt > 0 else 0.0


def transient(status: int) -> bool:
    """Statuses that another attempt may cure. All other 4xx are final."""
    return status in (408, 429) or status >= 500


def retry_after_seconds(value: str | None, now: Callable[[], datetime]) -> float:
    """A Retry-After header, seconds or HTTP date, as seconds from now; 0 where absent, past or unreadable.

    >>> retry_after_seconds("1.5", datetime.now)
    1.5
    """
    if value is None:
        return 0.0
    text = value.strip()
    try:
        seconds = float(text)
    except ValueError:
        try:
            at = parsedate_to_datetime(text)
        except ValueError:
            return 0.0
        seconds = ((at if at.tzinfo else at.replace(tzinfo=UTC)) - now()).total_seconds()
    return max(0.0, seconds) if seconds == seconds else 0.0
