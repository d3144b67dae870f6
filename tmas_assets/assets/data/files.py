"""The components behind the YAML files of data sets.

    type: tmas_assets.assets.data.files.ColdStartFile
    attributes: {name: cold_start_small, sources: [...], endpoints: {...}, ...}

The attributes are a `ColdStart` or a `TeamTraces` record; what only a strategy or a benchmark can judge is judged by
them when the file is loaded. Every fault names the file and the field.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TypeVar

import dagster as dg
from pydantic import BaseModel, JsonValue, ValidationError

from tmas_assets.assets.checkpoint_deps import checkpoint_deps
from tmas_assets.assets.data.build_job import build_job
from tmas_assets.assets.data.cold_start import simulation_assets
from tmas_assets.assets.data.cold_start_card import cold_start_card
from tmas_assets.assets.data.cold_start_rows import row_assets
from tmas_assets.assets.data.plan import plan_of
from tmas_assets.assets.data.rl_prompts import prompts_asset
from tmas_assets.assets.data.screening import screening_assets
from tmas_assets.assets.data.team_traces import trace_assets
from tmas_assets.assets.data.team_traces_card import team_traces_card
from tmas_assets.assets.experiment import ExperimentFile, trainings_in
from tmas_assets.assets.stated_in import StatedIn
from tmas_assets.assets.study import StudyFile
from tmas_assets.benchmarks import BenchmarkError, at_folder, benchmark
from tmas_assets.engine.building.derived import (
    DataSet,
    attempt_of,
    pass_rates_of,
    references_of,
    reviews_of,
    teacher_of,
)
from tmas_assets.engine.building.sources import check_source
from tmas_assets.records import (
    BenchmarkChoice,
    ColdStart,
    Experiment,
    RoleSettings,
    Sampling,
    StrategyChoice,
    TeamTraces,
    Training,
)
from tmas_assets.records.wrong_fields import wrong_fields
from tmas_assets.strategies import StrategyFault, settings_of, strategy

_Set = TypeVar("_Set", ColdStart, TeamTraces)


class ColdStartFile(StatedIn):
    """Cold-start rows and conversations from simulated TMAS rounds."""

    Stated = ColdStart
    needs = "a cold-start set needs at least a name, sources and endpoints.default"

    @property
    def data(self) -> ColdStart:
        assert isinstance(self.stated, ColdStart)
        return self.stated

    @classmethod
    def faults_in(cls, stated: BaseModel) -> Iterator[str]:
        assert isinstance(stated, ColdStart)
        yield from _faults_of_sources(stated)
        yield from _faults_of_settings("simulation.settings", lambda: [teacher_of(stated, one) for one in stated.teachers])
        rounds = StrategyChoice(name="tmas", settings=stated.simulation.settings)
        for at, teacher in enumerate(stated.teachers):
            yield from _faults_of_roles(f"teachers.{at}.roles", rounds, teacher.roles)
        yield from _faults_of_settings("pass_rates", lambda: [pass_rates_of(stated)])
        yield from _faults_of_sampling("pass_rates.sampling", stated.pass_rates.sampling)

    @classmethod
    def placed(cls, stated: BaseModel, folder: Path) -> BaseModel:
        assert isinstance(stated, ColdStart)
        return _placed(stated, folder)

    def build_defs(self, context: dg.ComponentLoadContext) -> dg.Definitions:
        trainings = trainings_in(context)
        return cold_start_definitions(self.data, measured_in(context), trainings)


class TeamTracesFile(StatedIn):
    """Filtered traces of a team on chosen questions."""

    Stated = TeamTraces
    needs = "a set of team traces needs at least a name, sources and endpoints.default"

    @property
    def data(self) -> TeamTraces:
        assert isinstance(self.stated, TeamTraces)
        return self.stated

    @classmethod
    def faults_in(cls, stated: BaseModel) -> Iterator[str]:
        assert isinstance(stated, TeamTraces)
        yield from _faults_of_sources(stated)
        yield from _faults_of_settings("settings", lambda: [attempt_of(stated, 0)])
        yield from _faults_of_roles("roles", StrategyChoice(name="mas_tts", settings=stated.settings), stated.roles)
        yield from _faults_of_settings("selection", lambda: [references_of(stated), reviews_of(stated)])
        yield from _faults_of_sampling("selection.sampling", stated.selection.sampling)
        yield from _faults_of_sampling("selection.reference_sampling", stated.selection.reference_sampling)

    @classmethod
    def placed(cls, stated: BaseModel, folder: Path) -> BaseModel:
        assert isinstance(stated, TeamTraces)
        return _placed(stated, folder)

    def build_defs(self, context: dg.ComponentLoadContext) -> dg.Definitions:
        trainings = trainings_in(context)
        return team_traces_definitions(self.data, measured_in(context), trainings)


DataSetFile = ColdStartFile | TeamTracesFile


def cold_start_definitions(
    data: ColdStart, measured: Sequence[BenchmarkChoice], trainings: Sequence[Training]
) -> dg.Definitions:
    """The asset chain, the prompts of those `trainings` that the set is named in, and the job that makes them all. Models of
    endpoints may be checkpoints of any of them. `measured`: releases that experiments measure models on."""
    own = [training for training in trainings if training.prompts is not None and training.prompts.set == data.name]
    plan = plan_of(data, measured)
    return dg.Definitions(
        assets=[
            *screening_assets(data, plan, measured),
            *simulation_assets(data, plan, checkpoint_deps(data.endpoints, trainings)),
            *row_assets(data, plan),
            cold_start_card(data, plan),
            *(prompts_asset(training, data, plan) for training in own),
        ],
        jobs=[build_job(data, [training.name for training in own])],
    )


def team_traces_definitions(
    data: TeamTraces, measured: Sequence[BenchmarkChoice], trainings: Sequence[Training] = ()
) -> dg.Definitions:
    """As `cold_start_definitions`."""
    plan = plan_of(data, measured)
    return dg.Definitions(
        assets=[*screening_assets(data, plan, measured), *trace_assets(data, plan, checkpoint_deps(data.endpoints, trainings)), team_traces_card(data, plan)],
        jobs=[build_job(data, [])],
    )


def measured_in(context: dg.ComponentLoadContext) -> tuple[BenchmarkChoice, ...]:
    """The releases that experiments and studies of this location measure models on."""
    tree = context.component_tree
    return measured_by([
        *tree.get_all_components(of_type=ExperimentFile),
        *(member for study in tree.get_all_components(of_type=StudyFile) for member in study.experiment_files),
    ])  # fmt: skip


def measured_by(files: Sequence[ExperimentFile]) -> tuple[BenchmarkChoice, ...]:
    """Each release once, whole, whatever part of it an experiment uses."""
    choices = [file.experiment.benchmark.model_copy(update={"limit": None}) for file in files]
    known = {choice.model_dump_json(): choice for choice in choices if benchmark(choice.name).has_gold}
    return tuple(known[key] for key in sorted(known))


def _faults_of_sources(data: DataSet) -> Iterator[str]:
    for at, source in enumerate(data.sources):
        try:
            check_source(source)
        except BenchmarkError as fault:
            yield f"sources.{at}: {fault}"


def _faults_of_settings(field: str, derive: Callable[[], Sequence[Experiment]]) -> Iterator[str]:
    """Faults of the experiments that `field` leads to."""
    try:
        for experiment in derive():
            settings_of(experiment.strategy)
    except StrategyFault as fault:
        yield from (f"{field}.{str(one).removeprefix('strategy.settings.')}" for one in fault.args)
    except ValidationError:
        pass  # of sampling fields, which are told where they stand


def _faults_of_roles(field: str, choice: StrategyChoice, stated: Mapping[str, RoleSettings]) -> Iterator[str]:
    """Roles that the strategy does not have (none where its settings are wrong), and sampling fields that there are not."""
    for role, given in stated.items():
        yield from _faults_of_sampling(f"{field}.{role}.sampling", given.sampling)
    try:
        known = strategy(choice.name).roles(settings_of(choice))
    except StrategyFault:
        return
    for role in stated:
        if role not in known:
            yield f"{field}.{role}: {choice.name} has no role {role!r}; its roles are {', '.join(known)}"


def _faults_of_sampling(field: str, given: Mapping[str, JsonValue]) -> Iterator[str]:
    try:
        Sampling.model_validate(given)
    except ValidationError as fault:
        yield from (f"{field}.{path}: {words}" for path, words in wrong_fields(fault, Sampling))


def _placed(data: _Set, folder: Path) -> _Set:
    sources = [
        source.model_copy(update={"benchmark": at_folder(source.benchmark, str(folder))}) for source in data.sources
    ]
    return data.model_copy(update={"sources": tuple(sources)})
