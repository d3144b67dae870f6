"""From what the CEO asks to what it gets: clamped to the hard limits, with every change and its reason. Pure."""

from collections.abc import Sequence

from tmas_assets.agents.mas_tts.ceo import Order
from tmas_assets.records import Record
from tmas_assets.strategies.mas_tts.settings import Settings


class Ordered(Record):
    """What was asked and what was granted for a round: kept as the turn `Ordered`.

    Its `data` is there also where the reply could not be read, since something is granted all the same.
    """

    asked: Order | None
    """None where the CEO is off or was not asked, or its reply could not be read."""
    granted: Order
    changed: tuple[str, ...] = ()
    """What is granted otherwise than asked, and why."""


def standing_order(settings: Settings) -> Ordered:
    """Of every round where the CEO is off."""
    return Ordered(asked=None, granted=Order(action="continue", experts=settings.experts, max_tokens=settings.max_tokens))


def grant(asked: Order | None, settings: Settings, *, solved: bool, left: int | None) -> Ordered:
    """`solved`: whether there is a solution to stop with; `left`: tokens of the budget, None without one."""
    default = Order(action="continue", experts=min(settings.experts, settings.max_experts), max_tokens=settings.choices[0])
    if asked is not None and asked.action == "stop" and solved:
        return Ordered(asked=asked, granted=asked.model_copy(update={"experts": None, "max_tokens": None}))
    changed = []
    if asked is None:
        changed.append(f"no readable order: {default.experts} experts and {default.max_tokens} tokens by default")
    elif asked.action == "stop":
        changed.append("stop is not granted before there is a solution")
    order = asked or default
    experts, tokens = order.experts or 0, order.max_tokens or 0
    if order.experts is None or order.max_tokens is None:
        experts, tokens = default.experts or 1, default.max_tokens or 1
    if (fitting := min(max(experts, 1), settings.max_experts)) != experts:
        changed.append(f"experts {experts} -> {fitting}: from 1 to {settings.max_experts} are allowed")
    if (snapped := _nearest(tokens, settings.choices)) != tokens:
        changed.append(f"tokens {tokens} -> {snapped}: the choices are {', '.join(map(str, settings.choices))}")
    granted, lower = _within(fitting, snapped, settings.choices, left)
    if (granted, lower) != (fitting, snapped):
        changed.append(f"{fitting} experts with {snapped} tokens -> {granted} with {lower}: {left} tokens of the budget are left")
    final = order.model_copy(update={"action": "continue", "experts": granted, "max_tokens": lower})
    return Ordered(asked=asked, granted=final, changed=tuple(changed))


def _nearest(tokens: int, choices: Sequence[int]) -> int:
    """Of two equally near the smaller one."""
    return min(choices, key=lambda choice: (abs(choice - tokens), choice))


def _within(experts: int, tokens: int, choices: Sequence[int], left: int | None) -> tuple[int, int]:
    """Experts and tokens so that one reply of each fits into what is left: tokens give way first, one expert stays."""
    if left is None or experts * tokens <= left:
        return experts, tokens
    fitting = [choice for choice in choices if choice <= tokens and experts * choice <= left]
    if fitting:
        return experts, max(fitting)
    return max(1, min(experts, left // choices[0])), choices[0]
