"""Where a team's decision stands, read from its rounds alone: plan, seats, the findings that stand, what was spent.

Also for readers of finished runs. An expert's last readable finding stands: a later reply that failed takes nothing back that
was said, and who has none is missing.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from tmas_assets.records import Decision, Expert, Finding, Order, Plan, Round, Trace, Turn


class NoPlan(ValueError):
    """Rounds without a plan: they are not those of a team decision."""


@dataclass(frozen=True)
class Said:
    """One seat's finding that stands."""

    finding: Finding
    round: int
    turn: str
    """Id of the turn that holds it."""


@dataclass(frozen=True)
class State:
    plan: Plan
    plan_turn: str
    experts: tuple[Expert, ...]
    """The plan's, then those recruited since."""
    said: Mapping[str, Said]
    """By name of the seat, the red team's among them."""
    orders: tuple[Order, ...]
    traces: tuple[Trace, ...]
    """Of every call so far."""

    @property
    def heard(self) -> tuple[Finding, ...]:
        """Findings of experts, in order of seat."""
        return tuple(self.said[seat.name].finding for seat in self.experts if seat.name in self.said)

    @property
    def recruited(self) -> int:
        return sum(seat.recruited for seat in self.experts)

    @property
    def token_limit(self) -> int | None:
        """What the CEO last set; None where it never did."""
        return next((order.tokens for order in reversed(self.orders) if order.tokens is not None), None)


def state_of(past: Sequence[Round]) -> State:
    """`past`: the rounds of one repeat, oldest first, from the first one on. Raises NoPlan."""
    turns = [(one.iteration, turn) for one in past for turn in one.memory.turns]
    plans = [turn for _, turn in turns if turn.kind == "Plan" and turn.data is not None]
    if not plans:
        raise NoPlan(f"{past[0].problem if past else 'no rounds'}: no turn holds a plan, so this is no team decision")
    plan = Plan.model_validate_json(str(plans[-1].data))
    orders = tuple(Order.model_validate_json(turn.data) for _, turn in turns if turn.kind == "Order" and turn.data)
    said: dict[str, Said] = {}
    for iteration, turn in turns:
        if turn.kind == "Finding" and turn.data is not None:
            finding = Finding.model_validate_json(turn.data)
            said[finding.expert] = Said(finding, iteration, turn.id)
    return State(
        plan=plan,
        plan_turn=plans[-1].id,
        experts=(*plan.experts, *(order.recruit for order in orders if order.recruit is not None)),
        said=said,
        orders=orders,
        traces=tuple(turn.trace for _, turn in turns if turn.trace is not None),
    )


def seat_of(turn: Turn) -> str:
    """Name of the seat whose finding a turn is, readable or not."""
    return turn.id.split("/")[1]


def decision_of(past: Sequence[Round]) -> Decision | None:
    """The decision that these rounds hold; None where it was not made yet."""
    for one in reversed(past):
        for turn in reversed(one.memory.turns):
            if turn.kind == "Decision" and turn.data is not None:
                return Decision.model_validate_json(turn.data)
    return None
