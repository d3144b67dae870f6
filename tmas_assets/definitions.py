"""The Dagster code location `tmas`: every benchmark with its checks, every experiment under `defs/`, the resources.

The only place where resources meet assets.
"""

from collections.abc import Sequence
from pathlib import Path

import dagster as dg

from resources.deployment import Deployment
from tmas_assets.assets.data.files import ColdStartFile, TeamTracesFile, measured_by
from tmas_assets.assets.experiment import ExperimentFault, ExperimentFile
from tmas_assets.assets.leaderboard import leaderboard_asset
from tmas_assets.assets.loading import Loaded, load
from tmas_assets.assets.model_names import refuse_unknown_models
from tmas_assets.assets.problems import problems_asset
from tmas_assets.assets.training.comparison import training_comparison_asset
from tmas_assets.assets.training.files import data_set_fault
from tmas_assets.benchmarks import asset_name, benchmark, benchmarks, whole_release
from tmas_assets.checks.checkpoints import checkpoint_checks
from tmas_assets.checks.decisions import strategy_checks
from tmas_assets.checks.problems import problems_checks
from tmas_assets.checks.training_rows import prompts_checks, row_checks, trace_checks
from tmas_assets.records import BenchmarkChoice


def loaded() -> Loaded:
    """Every experiment, study, data set and training run of the project. Raises ExperimentFault naming file and field of a faulty one."""
    found = load(Path(__file__).parent)
    _refuse_double_names(found.experiments)
    taken = {file.experiment.name: file.file for file in found.experiments}
    for study in found.studies:
        if (other := taken.setdefault(study.study.name, study.file)) is not study.file:
            raise ExperimentFault(f"{study.file}: attributes.name: {_taken(study.study.name, other)}")
    others = [*((file.data.name, file.file) for file in found.data_sets), *((file.training.name, file.file) for file in found.trainings)]
    for name, place in others:
        if (other := taken.setdefault(name, place)) is not place:
            raise ExperimentFault(f"{place}: attributes.name: {_taken(name, other)}")
    _refuse_unknown_sets(found)
    refuse_unknown_models(found)
    return found


def _refuse_unknown_sets(found: Loaded) -> None:
    sets = [file.data for file in found.data_sets]
    faults = [(file.file, data_set_fault(file.training, sets)) for file in found.trainings]
    if told := [f"{place}: attributes.{fault}" for place, fault in faults if fault is not None]:
        raise ExperimentFault("\n".join(told))


def _taken(name: str, other: Path) -> str:
    return f"{name!r} is taken by {other}; give one of the two another name"


def _refuse_double_names(files: Sequence[ExperimentFile]) -> None:
    by_name: dict[str, ExperimentFile] = {}
    by_release: dict[str, ExperimentFile] = {}
    for file in files:
        name = file.experiment.name
        if name in by_name:
            raise ExperimentFault(f"{file.file}: attributes.name: {_taken(name, by_name[name].file)}")
        by_name[name] = file
        asset = asset_name(file.experiment.benchmark)
        other = by_release.setdefault(asset, file)
        if whole_release(other.experiment.benchmark) != whole_release(file.experiment.benchmark):
            raise ExperimentFault(
                f"{file.file}: attributes.benchmark: problems/{asset} has other settings in {other.file}; "
                "give one of the two a release label of its own, e.g. `release: mine`"
            )


def releases_of(files: Sequence[ExperimentFile]) -> list[BenchmarkChoice]:
    """The default release of every benchmark that has one, and what the experiments use, with their settings."""
    defaults = [BenchmarkChoice(name=name) for name, known in benchmarks().items() if not known.brought]
    used = [whole_release(file.experiment.benchmark) for file in files]
    return list({asset_name(choice): choice for choice in [*defaults, *used]}.values())


def training_checks(found: Loaded) -> list[dg.AssetChecksDefinition]:
    """Those of every data set, and of the prompts and checkpoints of every training run."""
    measured = measured_by(found.experiments)
    sets = {file.data.name: file.data for file in found.data_sets if isinstance(file, ColdStartFile)}
    traces = [file.data for file in found.data_sets if isinstance(file, TeamTracesFile)]
    trainings = [file.training for file in found.trainings]
    return [
        *(checkpoint_checks(training) for training in trainings),
        *(check for data in sets.values() for check in row_checks(data, measured)),
        *(prompts_checks(one, sets[one.prompted.set], measured) for one in trainings if one.kind == "grpo"),
        *(trace_checks(data, measured) for data in traces),
    ]


@dg.definitions
def defs() -> dg.Definitions:
    found = loaded()
    files = found.experiments
    releases = releases_of(files)
    graded = [file.experiment for file in files if benchmark(file.experiment.benchmark.name).has_gold]
    ours = dg.Definitions(
        assets=[
            *(problems_asset(choice) for choice in releases),
            leaderboard_asset(graded),
            training_comparison_asset(graded, [file.training for file in found.trainings]),
        ],
        asset_checks=[
            *(problems_checks(choice) for choice in releases),
            *(check for file in files for check in strategy_checks(file.experiment)),
            *training_checks(found),
        ],
        resources={"deployment": Deployment.for_definitions()},
        # a step in a process of its own costs seconds and outlives a killed run
        executor=dg.in_process_executor,
    )
    return dg.Definitions.merge(found.tree.build_defs(), ours)
