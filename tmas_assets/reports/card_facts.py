"""The facts that a data card states, one record: what came in, what was dropped, what was made, by whom, from what.

Leaves out how they are found (`card_tallies.py` counts what rows tell) and how they are printed (`data_card.py`).
"""

from typing import Literal

from tmas_assets.curation.trace_filters import FilterCount
from tmas_assets.records import Compared, Record, StepCount
from tmas_assets.reports.length_panels import LengthRow
from tmas_assets.reports.report_rows import ModelUse, Setting

CardKind = Literal["cold_start", "team_traces"]


class NamedCount(Record):
    name: str
    rows: int


class SourceFacts(Record):
    """Where problems came from. `licence` is what the source states as a whole; rows are counted by their own in the card."""

    name: str
    benchmark: str
    licence: str
    weight: float
    problems: int
    """Problems it had."""
    screened: int
    """Those that passed all screening steps."""
    rows: int
    """Rows (or kept traces) made of them."""


class PassRateBin(Record):
    """Problems with a pass rate in a band, e.g. `0`, `0.1 – 0.2`, `1`, `none graded`. `kept` is how many of them stayed."""

    band: str
    problems: int
    kept: int


class TargetFacts(Record):
    """Rows asked for and made. `why` says what ran out, where fewer were made."""

    set: str
    asked: int
    made: int
    why: str = ""


class StratumFacts(Record):
    """Rows asked for and made of one source, difficulty and topic."""

    set: str
    source: str
    difficulty: str
    topic: str
    asked: int
    made: int


class DomainFacts(Record):
    domain: str
    questions: int
    traces: int
    kept: int


class TeacherFacts(Record):
    """What one teacher made. Outcomes are of all its graded final answers, also in rounds that no row came from."""

    name: str
    model: str
    """Identity: a digest where we serve it, else what the user declared."""
    weight: float
    rows: int
    right: int
    wrong: int
    ungraded: int
    """Undecided and failed ones."""


class FileFacts(Record):
    """A file of rows. `path` is relative to the card; `config` names the subset."""

    config: str
    path: str
    rows: int
    size: int
    """Bytes."""
    digest: str
    role: Literal["rl_prompts", "conversations", "traces", "published"]


class CardFacts(Record):
    """Everything in the card. Same facts, same text; a date is in it only where one is given."""

    name: str
    kind: CardKind
    description: str
    seed: int
    settings: str
    """The set's file as YAML text: `settings_yaml`."""
    sources: tuple[SourceFacts, ...]
    licences: tuple[NamedCount, ...]
    """Final rows by licence."""
    screening: tuple[StepCount, ...]
    """Of all steps, in their order."""
    compared: tuple[Compared, ...]
    targets: tuple[TargetFacts, ...]
    teachers: tuple[TeacherFacts, ...]
    models: tuple[ModelUse, ...]
    lengths: tuple[LengthRow, ...]
    digests: tuple[Setting, ...]
    """Of prompts, strategies, code: name and digest."""
    files: tuple[FileFacts, ...]
    pass_rates: tuple[PassRateBin, ...] = ()
    pass_rate_samples: int | None = None
    """Plain samples asked for a problem."""
    strata: tuple[StratumFacts, ...] = ()
    domains: tuple[DomainFacts, ...] = ()
    filters: tuple[FilterCount, ...] = ()
    traces_kept: int | None = None
    """Traces that pass every demanded filter; None for cold-start sets."""
    format_faults: tuple[NamedCount, ...] = ()
    languages: tuple[str, ...] = ()
    """ISO 639-1 codes, where they are known."""
    partial: str | None = None
    """Why the build is not finished; None where it is."""
    date: str | None = None

    @property
    def missing(self) -> tuple[Compared, ...]:
        """Evaluation releases that nothing was compared with."""
        return tuple(one for one in self.compared if one.missing is not None)

    @property
    def rows(self) -> int:
        return sum(one.made for one in self.targets)

    @property
    def short(self) -> tuple[TargetFacts, ...]:
        return tuple(one for one in self.targets if one.made < one.asked)
