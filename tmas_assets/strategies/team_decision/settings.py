"""Settings of a team decision, and the seats that are ready to be named in a roster."""

from collections.abc import Mapping

from pydantic import Field, JsonValue, field_validator, model_validator

from tmas_assets.agents.decision.material import DecisionLimits
from tmas_assets.agents.decision.plan import RESERVED, ROLE
from tmas_assets.records import RED_TEAM, Expert, Record

READY: Mapping[str, Expert] = {
    seat.name: seat
    for seat in (
        Expert(name="market", remit="demand, customers, prices and competitors",
               questions=("Who buys it, how many, and at what price?", "Why from us?")),
        Expert(name="finance", remit="costs, revenue, cash and return",
               questions=("What does it cost and bring in, and when does it break even?",)),
        Expert(name="technology", remit="whether it can be built and run, by whom and by when",
               questions=("What is the hardest part, and has it been shown to work?",)),
        Expert(name="risk", remit="what may go wrong, how likely it is and how bad", protected=True,
               questions=("What would make us regret this, and what can not be undone?",)),
        Expert(name="legal", remit="law, contracts, licences and compliance",
               questions=("What is not allowed, or needs consent?",)),
        Expert(name="operations", remit="people, suppliers, processes and capacity",
               questions=("Who does the work, and what has to stop for it?",)),
        Expert(name="customer", remit="what it changes for the people who will use it",
               questions=("Which of their problems does it solve, and what does it cost them?",)),
    )
}  # fmt: skip
"""Seats that a roster may name."""
DEFAULT_PRICE = "default"
_DEFAULT = ("market", "finance", "technology", "risk")


class Price(Record):
    """Of a million tokens."""

    prompt: float = Field(ge=0, allow_inf_nan=False)
    completion: float = Field(ge=0, allow_inf_nan=False)


class Settings(Record):
    roster: tuple[Expert, ...] = tuple(READY[name] for name in _DEFAULT)
    """Who sits at the table: names of ready seats (market, finance, technology, risk, legal, operations, customer), or seats
    with `name`, `remit`, `questions`, `evidence` (ids it may see), `max_tokens`, `role` (name under which the experiment's
    `roles` chooses its model), `protected`. A seat with a ready name takes from it what it does not say."""
    max_extra_experts: int = Field(default=1, ge=0, le=8)
    """Experts that the CEO may recruit, in its plan and later together. An empty roster is recruited as a whole."""
    red_team: bool = True
    """Whether somebody argues the opposite in every round."""
    debate_rounds: int = Field(default=2, ge=0, le=8)
    """Rounds in which experts see each other's findings. Experiments need `iterations: 3 + debate_rounds` to decide."""
    max_claims: int = Field(default=5, ge=1, le=12)
    """Claims that the hypothesis is split into."""
    token_limits: tuple[int, ...] = ()
    """Caps of one answer that the CEO may choose from between rounds; none: it may not."""
    max_calls: int | None = Field(default=None, ge=2)
    """Model calls for one hypothesis and repeat. A round that would pass it is not begun: the decision is made at once, within the cap."""
    max_tokens: int | None = Field(default=None, ge=1)
    """Tokens for one hypothesis and repeat. Once they are spent, only the decision is still asked for. A reply whose usage
    the server does not tell counts as its cap."""
    max_cost: float | None = Field(default=None, gt=0, allow_inf_nan=False)
    """Money for one hypothesis and repeat, in the currency of `prices` and counted with them from the records. Once it is
    spent, only the decision is still asked for. Wall time is capped for a whole run: the experiment's `budget.seconds`."""
    prices: dict[str, Price] = {}
    """What a million tokens cost, by role: `{default: {prompt: 0.5, completion: 1.5}}`; roles not named cost the default."""
    decision_attempts: int = Field(default=2, ge=1, le=5)
    """How often the CEO is asked for a decision where its reply cannot be read."""
    calculations: bool = True
    """Whether experts are asked for calculations, which are computed again in the sandbox."""
    tolerance: float = Field(default=0.01, ge=0, le=0.5)
    """Relative difference up to which the computed result confirms what the expert said."""
    approve_plan: bool = False
    """Whether a person must approve the plan before any expert is asked."""
    limits: DecisionLimits = DecisionLimits()

    @field_validator("roster", mode="before")
    @classmethod
    def _ready_seats(cls, value: object) -> object:
        return [_seat(item) for item in value] if isinstance(value, list | tuple) else value

    @model_validator(mode="after")
    def _seats_told_apart(self) -> "Settings":
        names = [seat.name for seat in self.roster]
        if wrong := sorted({name for name in names if names.count(name) > 1 or name in RESERVED}):
            raise ValueError(f"roster: names must be unique and none of {', '.join(RESERVED)}; mend {', '.join(wrong)}")
        if not names and not self.max_extra_experts:
            raise ValueError("roster: nobody sits at the table; name experts or raise max_extra_experts")
        if any(limit < 16 for limit in self.token_limits):
            raise ValueError("token_limits: a cap is at least 16 tokens")
        return self

    @model_validator(mode="after")
    def _prices_cover_the_roles(self) -> "Settings":
        asked = roles(self)
        if unknown := sorted(self.prices.keys() - {DEFAULT_PRICE, *asked}):
            raise ValueError(f"prices: nobody is asked as {', '.join(unknown)}; there are {', '.join(asked)} and {DEFAULT_PRICE}")
        missing = [role for role in asked if role not in self.prices]
        if missing and DEFAULT_PRICE not in self.prices and (self.prices or self.max_cost is not None):
            raise ValueError(f"prices: say what {', '.join(missing)} cost, or `{DEFAULT_PRICE}`")
        return self

    def price_of(self, role: str) -> Price:
        """A role that nobody prices costs nothing where there are no prices at all."""
        return self.prices.get(role) or self.prices.get(DEFAULT_PRICE) or Price(prompt=0, completion=0)


def _seat(item: object) -> object:
    if isinstance(item, str):
        if item not in READY:
            raise ValueError(f"no ready seat {item!r}; there are {', '.join(READY)}. Others need a name and a remit")
        return READY[item]
    name: JsonValue = item.get("name") if isinstance(item, dict) else None
    if isinstance(item, dict) and isinstance(name, str) and name in READY:
        return {**READY[name].model_dump(), **item}
    return item


def rounds(settings: Settings) -> int:
    """Plan, first findings, debate, decision."""
    return 3 + settings.debate_rounds


def roles(settings: Settings) -> tuple[str, ...]:
    """Roles of the seats, and `expert` where somebody may be recruited."""
    seats = [seat.role for seat in settings.roster] + (["expert"] if settings.max_extra_experts else [])
    red = [RED_TEAM] if settings.red_team else []
    return tuple(dict.fromkeys([ROLE, *seats, *red]))
