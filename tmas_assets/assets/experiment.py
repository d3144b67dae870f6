"""The component behind an experiment's YAML file: its asset chain and its campaign job.

    type: tmas_assets.assets.experiment.ExperimentFile
    attributes: {name: demo, benchmark: {...}, strategy: {...}, endpoints: {...}, ...}

The attributes are an `Experiment` record; what only the strategy or the benchmark can judge is judged by them
when the file is loaded. Every fault names the file and the field.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Self

import dagster as dg
from dagster._utils.schedules import is_valid_cron_string
from pydantic import BaseModel

from resources.chat.backends import backends
from tmas_assets.assets.campaign import CampaignOps, campaign_job
from tmas_assets.assets.cells import cell_assets
from tmas_assets.assets.checkpoint_deps import named_models
from tmas_assets.assets.of_strategy import own_assets
from tmas_assets.assets.summary import summary_asset
from tmas_assets.benchmarks import BenchmarkError, at_folder, benchmark, resolve_release, settings_of_choice
from tmas_assets.records import Experiment, Record, Training
from tmas_assets.strategies import StrategyFault, rounds_fault, settings_of, strategy


class ExperimentFault(ValueError):
    """An experiment file that cannot be used; the text names file and field."""


class ExperimentFile(dg.Component):
    """One experiment: benchmark x strategy x models x settings x repeats."""

    def __init__(self, experiment: Experiment, file: Path) -> None:
        self.experiment, self.file = experiment, file

    @classmethod
    def get_model_cls(cls) -> type[BaseModel]:
        return Experiment

    @classmethod
    def load(cls, attributes: BaseModel | None, context: dg.ComponentLoadContext) -> Self:
        file = Path(context.path) / "defs.yaml"
        if not isinstance(attributes, Experiment):
            raise ExperimentFault(
                f"{file}: attributes: nothing found; an experiment needs at least a name, a "
                "benchmark, a strategy, iterations and endpoints.default"
            )
        check(attributes, file)
        placed = at_folder(attributes.benchmark, str(file.parent))
        return cls(attributes.model_copy(update={"benchmark": placed}), file)

    def build_defs(self, context: dg.ComponentLoadContext) -> dg.Definitions:
        return experiment_definitions(self.experiment, trainings=trainings_for([self.experiment], context))


class StatesTraining(dg.Component, ABC):
    """A component behind a training run's file."""

    @property
    @abstractmethod
    def training(self) -> Training: ...


def trainings_for(experiments: Iterable[Experiment], context: dg.ComponentLoadContext) -> tuple[Training, ...]:
    """Those of the location, where a model of one of these may be a checkpoint; none where each is something else."""
    if not any(True for experiment in experiments for _ in named_models(experiment.endpoints)):
        return ()
    return trainings_in(context)


def trainings_in(context: dg.ComponentLoadContext) -> tuple[Training, ...]:
    """Those of the location."""
    found = context.component_tree.get_all_components(of_type=StatesTraining)  # type: ignore[type-abstract]  # none is made of it
    return tuple(file.training for file in found)


def experiment_definitions(
    experiment: Experiment, group: str | None = None, ops: CampaignOps | None = None, trainings: Sequence[Training] = ()
) -> dg.Definitions:
    """The asset chain and the jobs. `group`: of the assets in the UI, where it is not the experiment's own; `ops`: of its
    campaign, where another job has them too; `trainings`: whose checkpoints its models may be."""
    own = own_assets(experiment)
    return dg.Definitions(
        assets=[
            *cell_assets(experiment, group, trainings), summary_asset(experiment, group), *(own.assets(experiment) if own else ()),
        ],
        jobs=[campaign_job(experiment, ops), *(own.jobs(experiment) if own else ())],
    )  # fmt: skip


def check(experiment: Experiment, file: Path) -> None:
    """What the record alone cannot judge. Raises ExperimentFault naming `file` and each wrong field, one a line."""
    if found := faults_in(experiment):
        raise ExperimentFault("\n".join(f"{file}: attributes.{fault}" for fault in found))


def faults_in(experiment: Experiment) -> list[str]:
    """What strategy and benchmark find wrong, each beginning with the path of the field; none where they can use it."""
    found: list[str] = []
    settings = None
    try:
        settings = settings_of(experiment.strategy)
    except StrategyFault as fault:
        found += map(str, fault.args)
    try:
        resolve_release(experiment.benchmark)
        settings_of_choice(experiment.benchmark)
    except BenchmarkError as fault:
        found.append(f"benchmark: {fault}")
    if found or settings is None:
        return found
    return [fault for fault in (_unfit(experiment, settings),) if fault is not None]


def _unfit(experiment: Experiment, settings: Record) -> str | None:
    """Why strategy, benchmark, judge, iterations and roles, each right by itself, do not go together."""
    if experiment.judge is not None and experiment.judge.rubric is None:
        entry = benchmark(experiment.benchmark.name)
        if entry.judge is None:
            return (
                f"judge: {entry.name} ({', '.join(entry.graders)}) leaves nothing to a judge by itself; "
                "add `rubric: answer` to have its undecided answers judged against the gold, or remove the judge"
            )
    if experiment.refresh is not None and not is_valid_cron_string(experiment.refresh.cron):
        return f'refresh.cron: {experiment.refresh.cron!r} is no cron expression; give five fields, e.g. "0 2 * * *" for two at night'
    if (too_many := rounds_fault(experiment.strategy, experiment.iterations)) is not None:
        return too_many
    if (unsent := _unsent(experiment)) is not None:
        return unsent
    if (own := own_assets(experiment)) is not None and (unfit := own.fault(experiment)) is not None:
        return unfit
    roles = strategy(experiment.strategy.name).roles(settings)
    for role in experiment.roles:
        if role not in roles:
            return f"roles.{role}: {experiment.strategy.name} has no role {role!r}; its roles are {', '.join(roles)}"
    return None


def _unsent(experiment: Experiment) -> str | None:
    """What a role states that the interface its endpoint is asked through cannot carry."""
    for role, settings in experiment.roles.items():
        spoken = backends().get(experiment.endpoints[experiment.endpoint_of(role)].backend)
        if spoken is not None and (lost := sorted(spoken.leaves_out.intersection(settings.sampling))):
            return f"roles.{role}.sampling.{lost[0]}: {spoken.name} cannot carry it; take it away, or ask through another backend"
    return None
