"""What a decision has spent on calls, tokens and money, and which of its caps leaves no room for more. Pure.

Counted from records, so a resumed run finds what the first one did. Wall time is no part of it: the experiment's budget caps
that, for a whole run. Leaves out what happens when a cap is reached.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from tmas_assets.records import Trace
from tmas_assets.strategies.team_decision.settings import Settings

MILLION = 1_000_000


@dataclass(frozen=True)
class Account:
    """Spent on one hypothesis and repeat."""

    settings: Settings
    traces: Sequence[Trace]
    """Of every call so far."""
    allowed: Callable[[str], int]
    """Most tokens of a reply of a role."""

    @property
    def calls(self) -> int:
        return len(self.traces)

    @property
    def tokens(self) -> int:
        """Those that the server told."""
        return sum((trace.prompt_tokens or 0) + (trace.completion_tokens or 0) for trace in self.traces)

    @property
    def cost(self) -> float | None:
        """Of the tokens that the server told; None where no prices are set."""
        return sum(self._price(trace, trace.completion_tokens or 0) for trace in self.traces) if self.settings.prices else None

    def left(self) -> tuple[str, ...]:
        """What the caps leave, in words, in order of the settings."""
        settings = self.settings
        calls = [f"{max(0, settings.max_calls - self.calls)} calls"] if settings.max_calls is not None else []
        tokens = [f"{max(0, settings.max_tokens - self.tokens)} tokens"] if settings.max_tokens is not None else []
        money = [f"{max(0.0, settings.max_cost - (self.cost or 0)):.6g} of the money"] if settings.max_cost is not None else []
        return (*calls, *tokens, *money)

    def cut(self, calls: int) -> str | None:
        """Why a round of so many calls is not begun, one more being kept for the decision; None where caps leave room."""
        settings = self.settings
        if settings.max_calls is not None and self.calls + calls + 1 > settings.max_calls:
            return (
                f"cap reached: max_calls {settings.max_calls}, {self.calls} spent, the next round takes {calls} and the decision one"
            )
        tokens = self.tokens + sum(map(self._untold, self.traces))
        if settings.max_tokens is not None and tokens >= settings.max_tokens:
            return f"cap reached: max_tokens {settings.max_tokens}, {tokens} spent"
        cost = sum(self._price(trace, (trace.completion_tokens or 0) + self._untold(trace)) for trace in self.traces)
        if settings.max_cost is not None and cost >= settings.max_cost:
            return f"cap reached: max_cost {settings.max_cost:g}, {cost:.6g} spent"
        return None

    def _untold(self, trace: Trace) -> int:
        """Tokens that stand in for a reply whose usage the server did not tell: its role's cap."""
        return self.allowed(trace.role) if trace.completion_tokens is None and trace.status != "failed" else 0

    def _price(self, trace: Trace, completion: int) -> float:
        price = self.settings.price_of(trace.role)
        return ((trace.prompt_tokens or 0) * price.prompt + completion * price.completion) / MILLION
