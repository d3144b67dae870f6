"""All that the files of a project state, checked as a whole: names taken twice, and sets and models that there are not.

Leaves out what one file can get wrong by itself (`loading.py`) and what Dagster is told (`tmas_assets/definitions.py`).
"""

from collections.abc import Sequence
from pathlib import Path

from tmas_assets.assets.experiment import ExperimentFault, ExperimentFile
from tmas_assets.assets.loading import Loaded, load
from tmas_assets.assets.model_names import refuse_unknown_models
from tmas_assets.assets.training.files import data_set_fault
from tmas_assets.benchmarks import asset_name, benchmark, benchmarks, whole_release
from tmas_assets.records import BenchmarkChoice, Experiment

PROJECT = Path(__file__).parent.parent
PAGES = ("index", "leaderboard", "audit")
"""Names of pages of the report site that belong to nobody: what is called so would write over one of them."""


def loaded() -> Loaded:
    """Every experiment, study, data set and training run of the project. Raises ExperimentFault naming file and field of a faulty one."""
    found = load(PROJECT)
    _refuse_double_names(found.experiments)
    taken = {file.experiment.name: file.file for file in found.experiments}
    for study in found.studies:
        if (other := taken.setdefault(study.study.name, study.file)) is not study.file:
            raise ExperimentFault(f"{study.file}: attributes.name: {_taken(study.study.name, other)}")
    others = [*((file.data.name, file.file) for file in found.data_sets), *((file.training.name, file.file) for file in found.trainings)]
    for name, place in others:
        if (other := taken.setdefault(name, place)) is not place:
            raise ExperimentFault(f"{place}: attributes.name: {_taken(name, other)}")
    for name in PAGES:
        if name in taken:
            raise ExperimentFault(f"{taken[name]}: attributes.name: {name!r} is the name of a page of the report site; give it another name")
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


def graded(found: Loaded) -> list[Experiment]:
    """Those whose benchmark has golds, so that there is a score."""
    return [file.experiment for file in found.experiments if benchmark(file.experiment.benchmark.name).has_gold]
