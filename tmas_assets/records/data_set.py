"""A data set as its YAML file states it: where problems come from, how they are screened, who makes the rows, and how many.

Two kinds: `ColdStart`, rows and conversations from simulated TMAS rounds (arXiv 2605.10344), and `TeamTraces`, filtered traces of
an adaptive team (M500 of arXiv 2504.09772). Settings of a strategy or a benchmark are checked by these themselves.
"""

from typing import Annotated, Literal

from pydantic import Field, JsonValue, field_validator, model_validator

from tmas_assets.records.base import Record
from tmas_assets.records.experiment import NAME, BenchmarkChoice, Budget, Endpoint, Name, RoleSettings

RowSource = Literal["normal", "experience", "guideline"]
ROW_SOURCES: tuple[RowSource, ...] = ("normal", "experience", "guideline")
"""Which bank a row's prompt shows: none, experience, guidelines. The paper's column `_source`."""
ALL = "all"
_SetName = Annotated[str, Field(pattern=NAME.pattern, max_length=40)]
"""Experiments that a set derives are called after it."""


class ProblemSource(Record):
    """A release with golds that problems are taken from."""

    benchmark: BenchmarkChoice
    """Any benchmark that makes or reads problems: `reasoning_gym`, a file of your own (`problem_file`), a hub data set
    (`hub_data_set`). A released benchmark is refused: models are measured on it."""
    label: Name | None = None
    """First part of its problems' ids here; the benchmark's name unless given."""
    licence: str | None = None
    """Of rows that state none, where the benchmark itself states none."""
    weight: float = Field(default=1.0, gt=0, allow_inf_nan=False)
    """Its share of the rows, as far as it has so many."""

    @property
    def name(self) -> str:
        return self.label or self.benchmark.name


class Decontamination(Record):
    """When a problem counts as one that models are measured on."""

    ngram: int = Field(default=8, ge=2)
    """Words (of the normalised text, across lines) in a row that count as one match."""
    overlap: float = Field(default=0.5, gt=0, le=1)
    """Share of an evaluation problem's telling n-grams that a copy holds."""
    similarity: float = Field(default=0.7, gt=0, le=1)
    """Estimated Jaccard similarity (MinHash) from which two statements are near-duplicates."""
    may_miss: tuple[str, ...] = ()
    """Registered benchmarks that may be missing here (gated without a token, no network), or `all`. Any other that cannot be
    had stops the build; what was not compared is said in every count, check and card."""


class Screening(Record):
    licences: tuple[str, ...] = ()
    """Only rows under one of these licences; none given: under any that is stated."""
    similarity: float = Field(default=0.8, gt=0, le=1)
    """Similarity from which two source problems are near-duplicates; the first one stays."""
    decontamination: Decontamination = Decontamination()


class PassRates(Record):
    """How hard a problem is: the share of plain samples of one model that are right."""

    endpoint: str = "default"
    sampling: dict[str, JsonValue] = {}
    samples: int = Field(default=8, ge=1)
    above: float = Field(default=0.0, ge=-1, lt=1)
    """Keep p above this; -1 keeps problems that were never solved."""
    below: float = Field(default=1.0, gt=0, le=2)
    """Keep p below this; 2 keeps those that were always solved."""
    problems: int | None = Field(default=None, ge=1)
    """Measure at most so many problems, drawn over the strata by the set's seed; all by default."""

    @model_validator(mode="after")
    def _a_band(self) -> "PassRates":
        if self.above >= self.below:
            raise ValueError(f"above ({self.above:g}) must be under below ({self.below:g})")
        return self


class Teacher(Record):
    """A model that plays all roles, and its share of the problems."""

    name: Annotated[str, Field(pattern=NAME.pattern, max_length=14)]
    """Short enough that the experiment called after set and teacher has a name of at most 64 characters."""
    endpoint: str = "default"
    weight: float = Field(default=1.0, gt=0, allow_inf_nan=False)
    roles: dict[str, RoleSettings] = {}
    """As in an experiment; an endpoint called `default` is the teacher's own."""


class Simulation(Record):
    """The TMAS rounds that rows are taken from."""

    settings: dict[str, JsonValue] = {}
    """Of the strategy `tmas`. Prompts of the rows are what its solution agent renders under just these settings."""
    iterations: int = Field(default=3, ge=1, le=60)
    repeats: int = Field(default=1, ge=1)
    problems: int | None = Field(default=None, ge=1)
    """At most so many problems, drawn over the strata by the set's seed; all that passed the screening by default."""


class RowCounts(Record):
    normal: int = Field(ge=0)
    experience: int = Field(ge=0)
    guideline: int = Field(ge=0)

    def of(self, source: RowSource) -> int:
        return int(getattr(self, source))


class _DataSet(Record):
    name: _SetName
    description: str = ""
    seed: int = Field(default=0, ge=0)
    sources: tuple[ProblemSource, ...] = Field(min_length=1)
    screening: Screening = Screening()
    endpoints: dict[str, Endpoint]
    budget: Budget = Budget()
    """Caps on each step that asks models: pass rates, each teacher, reviews, each attempt at traces. Reaching one leaves the
    build partial, and says so; building again with a higher cap repeats nothing."""
    failure_threshold: float = Field(default=0.2, ge=0, le=1)

    @field_validator("sources")
    @classmethod
    def _names_differ(cls, value: tuple[ProblemSource, ...]) -> tuple[ProblemSource, ...]:
        names = [source.name for source in value]
        if len(set(names)) < len(names):
            raise ValueError(f"two sources are called the same: {names}; give one of them a `label`")
        return value

    @field_validator("endpoints")
    @classmethod
    def _has_default(cls, value: dict[str, Endpoint]) -> dict[str, Endpoint]:
        if "default" not in value:
            raise ValueError(f"needs an endpoint named 'default'; found {sorted(value)}")
        return value

    def _refuse_unknown(self, named: dict[str, str]) -> None:
        for field, endpoint in named.items():
            if endpoint not in self.endpoints:
                raise ValueError(f"{field}: no endpoint {endpoint!r}; found {sorted(self.endpoints)}")


class ColdStart(_DataSet):
    """TMAS cold-start data: RL prompts without a bank, with experience, with guidelines; conversations of all five roles."""

    pass_rates: PassRates = PassRates()
    teachers: tuple[Teacher, ...] = (Teacher(name="teacher"),)
    simulation: Simulation = Simulation()
    targets: RowCounts = RowCounts(normal=1600, experience=600, guideline=2200)
    per_problem: RowCounts = RowCounts(normal=1, experience=2, guideline=4)
    """Most rows of one problem: no two rows of a set have the same prompt."""

    @model_validator(mode="after")
    def _resolves(self) -> "ColdStart":
        names = [teacher.name for teacher in self.teachers]
        if not names or len(set(names)) < len(names):
            raise ValueError(f"teachers: one or several, each with a name of its own; found {names}")
        self._refuse_unknown({
            "pass_rates.endpoint": self.pass_rates.endpoint,
            **{f"teachers.{at}.endpoint": teacher.endpoint for at, teacher in enumerate(self.teachers)},
        })  # fmt: skip
        return self


class Selection(Record):
    """Which questions are worth a trace. A model says how hard a question is and which disciplines it needs."""

    endpoint: str = "default"
    """Who reviews the questions."""
    sampling: dict[str, JsonValue] = {}
    least_difficulty: int = Field(default=3, ge=1, le=5)
    """From 1, one obvious step, to 5, an olympiad's."""
    least_disciplines: int = Field(default=2, ge=1)
    largest_domain: float = Field(default=0.5, gt=0, le=1)
    """Most of the questions that one domain may make up."""
    reference_endpoint: str = "default"
    """Who writes the reference solutions."""
    reference_sampling: dict[str, JsonValue] = {}
    least_reference_tokens: int = Field(default=1024, ge=0)
    """Tokens of a reference solution's whole reply, thinking too; shorter ones show an easy question."""
    reference_right: bool = False
    """Keep only questions whose reference solution is right."""
    questions: int | None = Field(default=None, ge=1)
    """At most so many questions, spread over domains; all that pass by default."""


class TraceFilters(Record):
    """What a trace must hold to be kept; what each filter drops is counted apart."""

    consensus: bool = True
    """Solver and critics agreed on the chosen solution within the allowed iterations; a solver alone agrees with nobody."""
    thinking: Literal["required", "closed"] = "required"
    """`required`: every agent's reply has its reasoning inside think tags. `closed`: a reply may do without, but none is left
    open, for teachers that do not think."""
    boxed: bool = True
    """The solver's last solution puts its answer in a box, where the grader reads one."""
    correct: bool = True
    """The chosen answer is right by the gold."""


class TeamTraces(_DataSet):
    """Traces of a team (strategy `mas_tts`) on chosen questions, kept where they agree, keep the form and are right."""

    selection: Selection = Selection()
    settings: dict[str, JsonValue] = {}
    """Of the strategy `mas_tts`."""
    iterations: int = Field(default=2, ge=1, le=60)
    """T, outer rounds."""
    roles: dict[str, RoleSettings] = {}
    attempts: int = Field(default=3, ge=1)
    """How often a question is tried at most: with another seed each time, while it has no kept trace and the target is not met."""
    filters: TraceFilters = TraceFilters()
    target: int = Field(default=500, ge=1)

    @model_validator(mode="after")
    def _resolves(self) -> "TeamTraces":
        self._refuse_unknown({
            "selection.endpoint": self.selection.endpoint,
            "selection.reference_endpoint": self.selection.reference_endpoint,
            **{f"roles.{role}.endpoint": settings.endpoint for role, settings in self.roles.items()},
        })  # fmt: skip
        return self
