"""What a run has sent and used so far, readable by a progress bar, and the hard caps on it.

One `Spend` is shared by all chat clients of a run. Leaves out what earlier runs paid: that is in the call log.
"""

import time
from collections import Counter
from collections.abc import Callable

from tmas_assets.records import Budget, Usage


class BudgetReached(RuntimeError):
    """A cap was reached, so a request was not sent. What is finished stays in the call log."""


class Spend:
    """Running counts; `check()` raises once a cap is reached and from then on.

    Requests that are in flight when a cap is reached are let finish, so `tokens` can end above its cap by what
    they use; `calls` cannot. A reply without usage counts towards the token cap with all it was allowed.
    """

    def __init__(self, budget: Budget | None = None, clock: Callable[[], float] = time.monotonic) -> None:
        self.budget = budget or Budget()
        self.clock = clock
        self.started = clock()
        self.calls = 0
        """Requests sent, repeats included."""
        self.hits = 0
        """Requests answered from the call log."""
        self.in_flight = 0
        self.waiting = 0
        """Asked and not answered yet, in flight or not."""
        self.finished = 0
        self.prompt_tokens = 0
        self.completion_tokens = 0
        self.usage_unknown = 0
        """Replies whose usage the server did not give; they are in neither sum."""
        self.failures = 0
        """Permanent: refused, or a reply that cannot be used."""
        self.retries: Counter[str] = Counter()
        """Attempts given up, by reason."""
        self.abandoned = 0
        """Requests we stopped waiting for; the server may still be working on them."""
        self.reached: str | None = None
        """Which cap was reached, in words."""
        self._unknown_tokens = 0

    @property
    def seconds(self) -> float:
        return self.clock() - self.started

    @property
    def tokens(self) -> int:
        return self.prompt_tokens + self.completion_tokens

    def check(self, wait: float = 0.0) -> None:
        """Raise `BudgetReached` if a request sent in `wait` seconds would be over a cap."""
        if self.reached is None:
            self.reached = self._over(wait)
        if self.reached is not None:
            raise BudgetReached(
                f"budget reached: {self.reached}; {self.calls} requests sent, {self.tokens} tokens used, "
                f"{self.in_flight} requests still in flight. Raise the budget and run again: finished calls are "
                f"read from the call log."
            )

    def _over(self, wait: float) -> str | None:
        cap = self.budget
        if cap.calls is not None and self.calls >= cap.calls:
            return f"calls {self.calls} of {cap.calls}"
        if cap.tokens is not None and self.tokens + self._unknown_tokens >= cap.tokens:
            return f"tokens {self.tokens + self._unknown_tokens} of {cap.tokens}"
        if cap.seconds is not None and self.seconds + wait >= cap.seconds:
            return f"seconds {self.seconds:.1f} of {cap.seconds:g}"
        return None

    def sent(self) -> None:
        """A request goes out. Call `check()` first, without a step of the loop between."""
        self.calls += 1
        self.in_flight += 1

    def returned(self) -> None:
        self.in_flight -= 1

    def used(self, usage: Usage, allowed: int) -> None:
        """Tokens of one reply. `allowed` (its max_tokens) stands in for the cap where usage is unknown."""
        if usage.prompt_tokens is None or usage.completion_tokens is None:
            self.usage_unknown += 1
            self._unknown_tokens += allowed
        else:
            self.prompt_tokens += usage.prompt_tokens
            self.completion_tokens += usage.completion_tokens
