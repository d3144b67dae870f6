"""A decision in the making: the plan, what experts found, what the CEO ordered and decided, and how far they agreed.

Leaves out what is decided on (`hypothesis.py`) and how (`strategies/team_decision/`). A decision is never right or wrong: nothing here is
a grade. All is kept as the `data` of turns (`Turn.kind` names the record).
"""

import re
from typing import Annotated, Literal

from pydantic import Field

from tmas_assets.records.base import Record
from tmas_assets.records.hypothesis import ASSUMPTION

RED_TEAM = "red_team"
"""Name of the one who argues the opposite; it is no expert and its verdict counts in no consensus."""

ExpertName = Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]{0,39}$")]
Stance = Literal["oppose", "insufficient", "conditional", "support"]
"""`insufficient`: the evidence does not allow a verdict. In order, from no to yes: two neighbours are one step apart."""
STANCES: tuple[Stance, ...] = ("oppose", "insufficient", "conditional", "support")
Choice = Literal["no_go", "need_data", "go_if", "go"]
Level = Literal["low", "medium", "high"]
Side = Literal["for", "against"]


class Expert(Record):
    """A seat at the table, by configuration or recruited by the CEO."""

    name: ExpertName
    remit: str = Field(min_length=1)
    """What it judges."""
    questions: tuple[str, ...] = ()
    """What it must answer in any case."""
    evidence: tuple[str, ...] | None = None
    """Ids of the evidence that it may see; None for all."""
    max_tokens: int | None = Field(default=None, ge=16)
    """Cap of one answer; None for the role's own."""
    role: str = Field(default="expert", pattern=r"^[a-z][a-z0-9_]*$")
    """Name in the experiment's `roles`, where its model and sampling are chosen."""
    protected: bool = False
    """Whether no majority can silence it: its objection bars a plain `go`, and so does its silence."""
    recruited: bool = False


class Claim(Record):
    """A part of the hypothesis that can be tested by itself."""

    id: str
    """`c1`, `c2`, ..."""
    text: str
    experts: tuple[str, ...]


class Plan(Record):
    """What is looked into and by whom."""

    claims: tuple[Claim, ...]
    experts: tuple[Expert, ...]
    """The roster of settings, then whom the CEO recruited."""
    reason: str = ""
    fault: str | None = None
    """Why this is not the CEO's plan but the one claim there is without it, for all experts; None where it is the CEO's."""
    aside: tuple[str, ...] = ()
    """What of the reply was left aside or completed, and why."""


class Quantity(Record):
    """One input of a calculation."""

    name: str
    value: float
    source: str = ASSUMPTION
    """Id of a piece of evidence, or `assumption`."""


class Sensitivity(Record):
    """The result where one input is a tenth lower and a tenth higher; None where there is none."""

    name: str
    low: float | None
    high: float | None


class Calculation(Record):
    """A number with its formula and inputs, and what came out when it was computed again."""

    name: str
    formula: str
    inputs: tuple[Quantity, ...]
    claimed: float | None = None
    """What the expert said comes out; None where nothing was said."""
    result: float | None = None
    """What came out in the sandbox; None where it was not computed."""
    status: Literal["unchecked", "confirmed", "corrected", "computed", "refused", "failed"] = "unchecked"
    """`confirmed` and `corrected` compare with what was claimed, `computed` had no claim. `refused`: no plain arithmetic."""
    how: str = ""
    """How it was computed again, or why not."""
    sensitivity: tuple[Sensitivity, ...] = ()
    unsandboxed: bool = False


class Cited(Record):
    """A statement and what backs it."""

    text: str
    source: str
    """Id of a piece of evidence, or `assumption`."""


class Risk(Record):
    text: str
    likelihood: Level
    impact: Level


class Finding(Record):
    """One expert's answer of one round."""

    expert: str
    argues: Side | None = None
    """The side that the red team was given; None for an expert, who says what it thinks."""
    verdict: Stance
    score: float = Field(ge=0, le=10)
    """How well the hypothesis does in the expert's remit."""
    confidence: float = Field(ge=0, le=1)
    reason: str
    claims: tuple[str, ...] = ()
    """Ids of the claims that it covers."""
    conditions: tuple[str, ...] = ()
    """What must hold for a yes."""
    assumptions: tuple[str, ...] = ()
    evidence: tuple[Cited, ...] = ()
    risks: tuple[Risk, ...] = ()
    would_change: str = ""
    """What would change the verdict."""
    open_questions: tuple[str, ...] = ()
    calculations: tuple[Calculation, ...] = ()
    revised: str = ""
    """What it changed after it had seen the others, and why; empty in a first answer."""
    aside: tuple[str, ...] = ()
    """What of the reply could not be used, and why."""


class Order(Record):
    """What the CEO wants next, as asked and as granted."""

    asked: Literal["continue", "recruit", "stop"] | None
    """None where the reply could not be read."""
    granted: Literal["continue", "recruit", "stop"]
    reason: str
    """The CEO's."""
    gap: str = ""
    """What the next round must look into."""
    recruit: Expert | None = None
    """Who joins; None unless granted."""
    tokens_asked: int | None = None
    tokens: int | None = None
    """Cap of one answer from here on, one of the settings' `token_limits`; None for each expert's own."""
    clamped: str | None = None
    """Why less was granted than was asked; None where nothing was refused."""


class Consensus(Record):
    """How far the experts agree: counted from verdicts that were given, never inferred from silence or failure."""

    asked: int
    """Experts at the table; the red team is none."""
    cast: int
    missing: tuple[str, ...]
    """Experts without one readable finding: they agree with nobody."""
    within_one_step: int
    """The most experts whose verdicts lie within one step of each other."""
    share: float | None
    """`within_one_step` of all experts asked; None where none was cast."""
    spread: float | None
    """Highest less lowest score; None for fewer than two."""


class Contradiction(Record):
    """Two experts who cannot both be right."""

    about: str
    """A claim's id, or the name of an input that both use."""
    first: str
    second: str
    text: str


CHOICES: tuple[Choice, ...] = ("no_go", "need_data", "go_if", "go")
"""From the most careful on."""


class DimensionScore(Record):
    expert: str
    verdict: Stance
    score: float
    confidence: float
    round: int
    """Iteration of the finding that stands."""


class Dissent(Record):
    """A verdict that is not the decision's: an expert's own view, its lack of evidence, or what the red team was told to say."""

    expert: str
    verdict: Stance
    steps: int
    """From the decision to the verdict: `no_go`, `need_data`, `go_if`, `go` stand as the stances do, in order."""
    reason: str
    assigned: bool = False
    """Whether it is the red team's."""


class NextExperiment(Record):
    """What would settle an open point at the least cost."""

    text: str
    cost: str = ""


class Decision(Record):
    decision: Choice
    asked: Choice | None
    """What the CEO asked for; None where no reply of it could be read, and then nobody has decided."""
    reason: str
    conditions: tuple[str, ...] = ()
    scores: tuple[DimensionScore, ...] = ()
    agreed: tuple[str, ...] = ()
    """What the CEO takes as agreed."""
    dissent: tuple[Dissent, ...] = ()
    """Experts whose view differs, taken from the findings by us: a CEO cannot leave it out."""
    insufficient: tuple[Dissent, ...] = ()
    """Experts whom the evidence allowed no verdict, where the decision does not ask for more of it: they miss something, and
    object to nothing."""
    red_team: Dissent | None = None
    """What argued the opposite because it was told to; None where it was not heard."""
    contradictions: tuple[Contradiction, ...] = ()
    next_experiments: tuple[NextExperiment, ...] = ()
    consensus: Consensus
    uncovered: tuple[str, ...] = ()
    """Ids of claims that no finding covers."""
    clamped: str | None = None
    """Why less was granted than was asked."""
    partial: str | None = None
    """What the decision lacks: rounds that a cap cut off, a reply that was lost; None where it lacks nothing."""
    calls: int
    """Model calls up to and with this decision."""
    tokens: int
    """Tokens of them, those that the server told."""
    cost: float | None = None
    """Of these tokens by the settings' prices; None without prices."""
    aside: tuple[str, ...] = ()

    @property
    def made(self) -> bool:
        """Whether the CEO decided; a decision that was only filled in counts in no figure."""
        return self.asked is not None


class ChoiceCount(Record):
    decision: Choice
    repeats: int


class Flips(Record):
    """How often the decision changes over repeats with other seeds and orders of speakers."""

    repeats: int
    decided: int
    missing: int
    """Repeats without a decision of the CEO."""
    commonest: Choice | None
    """The most frequent decision; of several as frequent ones the most careful."""
    counts: tuple[ChoiceCount, ...]
    flip_rate: float | None
    """Share of the decided repeats that decide otherwise than the commonest; None for fewer than two."""
    pair_rate: float | None
    """Share of the pairs of decided repeats that differ; None for fewer than two."""


_NAME = re.compile(r"[^a-z0-9]+")


def expert_name(text: str) -> str:
    """A name as a model writes it (`Supply chain`), spelled as rosters do (`supply_chain`); empty for none."""
    return _NAME.sub("_", text.strip().lower()).strip("_")[:40].lstrip("0123456789_")
