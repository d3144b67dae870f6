"""The steps of a data set: whose files each reads, and which of the set's settings shape its rows.

What shapes a step is its code version in Dagster and is written into its files, so that a step never reads rows that other
settings made. What only says where or how fast (a folder, a URL, a budget, a description) shapes nothing. Leaves out what
steps do.
"""

from collections.abc import Mapping, Sequence
from types import MappingProxyType

from tmas_assets.assets.cells import code_version
from tmas_assets.assets.checkpoint_deps import named_models
from tmas_assets.engine.building.derived import (
    DataSet,
    attempt_of,
    pass_rates_of,
    references_of,
    reviews_of,
    teacher_of,
)
from tmas_assets.engine.building.steps import Planned
from tmas_assets.records import (
    ROW_SOURCES,
    BenchmarkChoice,
    ColdStart,
    Experiment,
    Record,
    RowSource,
    TeamTraces,
    digest,
)

SOURCES, GOLDS, UNIQUE, CLEAN = SCREENING = ("source_problems", "sound_golds", "unique_problems", "decontaminated")
"""Each reads the one before."""
RATES, BAND, ROUNDS, SFT = "baseline_pass_rates", "difficulty_band", "teacher_rounds", "sft"
QUESTIONS, TRACES, FILTERED = "questions", "traces", "filtered"
CARD = "data_card"

Plan = Mapping[str, Planned]


def plan_of(data: DataSet, measured: Sequence[BenchmarkChoice]) -> Plan:
    """In the order they are made. `measured`: releases that this location's experiments measure models on."""
    steps = _screening(data, measured)
    steps |= _cold_start(data) if isinstance(data, ColdStart) else _team_traces(data)
    steps[CARD] = _planned(tuple(steps), data.description)
    return MappingProxyType(steps)


def _screening(data: DataSet, measured: Sequence[BenchmarkChoice]) -> dict[str, Planned]:
    screening = data.screening
    stated = [(source.name, source.licence, _placeless(source.benchmark)) for source in data.sources]
    return {
        SOURCES: _planned((), stated, screening.licences),
        GOLDS: _planned((SOURCES,)),
        UNIQUE: _planned((GOLDS,), screening.similarity),
        CLEAN: _planned((UNIQUE,), screening.decontamination, [_placeless(choice) for choice in measured]),
    }


def _cold_start(data: ColdStart) -> dict[str, Planned]:
    rates, simulation = data.pass_rates, data.simulation
    drawn = [data.seed, {source.name: source.weight for source in data.sources}]
    teachers = [(one.name, one.weight, _asked(teacher_of(data, one))) for one in data.teachers]

    def rows(source: RowSource) -> list[object]:
        return [drawn, data.targets.of(source), data.per_problem.of(source), simulation.settings]

    return {
        RATES: _planned((CLEAN,), _asked(pass_rates_of(data)), rates.problems, drawn),
        BAND: _planned((CLEAN, RATES), rates.above, rates.below),
        ROUNDS: _planned((BAND, RATES), teachers, simulation.iterations, simulation.problems, drawn),
        **{source: _planned((BAND, RATES) if source == "normal" else (BAND, RATES, ROUNDS), *rows(source)) for source in ROW_SOURCES},
        SFT: _planned((BAND, RATES, ROUNDS)),
    }


def _team_traces(data: TeamTraces) -> dict[str, Planned]:
    asked = [_asked(reviews_of(data)), _asked(references_of(data))]
    # waves end where enough traces pass the filters
    return {
        QUESTIONS: _planned((CLEAN,), data.selection, asked, data.seed),
        TRACES: _planned((QUESTIONS,), _asked(attempt_of(data, 0)), data.iterations, data.attempts, data.filters, data.target),
        FILTERED: _planned((QUESTIONS, TRACES), data.filters, data.target),
    }


def _asked(experiment: Experiment) -> str:
    """Which checkpoint is asked shapes the rows; in an experiment it is told by where its cells lie."""
    named = [[name, managed.model, managed.iteration] for name, managed in named_models(experiment.solving_endpoints)]
    return code_version(experiment) + (f"-{digest(named)[:8]}" if named else "")


def _placeless(choice: BenchmarkChoice) -> object:
    return choice.model_dump(mode="json", exclude={"base"})


def _planned(after: tuple[str, ...], *shaped_by: object) -> Planned:
    return Planned(after, digest([_plain(one) for one in shaped_by])[:12])


def _plain(one: object) -> object:
    return one.model_dump(mode="json") if isinstance(one, Record) else one
