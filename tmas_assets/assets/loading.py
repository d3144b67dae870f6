"""Load every file of an experiment, a study, a data set or a training run; a faulty one is refused by file and field, in a sentence.

Leaves out what makes one faulty: that is the records', `experiment.py`'s, `study.py`'s and `data/files.py`'s.
"""

import importlib
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import dagster as dg
import yaml
from dagster.components.core.component_tree import ComponentTreeException
from dagster.components.core.defs_module import ComponentFileModel
from dagster_shared.check import CheckError
from dagster_shared.error import DagsterUnresolvableSymbolError
from pydantic import BaseModel, ValidationError

from tmas_assets.assets.data.files import ColdStartFile, DataSetFile, TeamTracesFile
from tmas_assets.assets.experiment import ExperimentFault, ExperimentFile
from tmas_assets.assets.study import StudyFile
from tmas_assets.assets.training.files import TrainingFile
from tmas_assets.records import ColdStart, Experiment, Study, TeamTraces, Training
from tmas_assets.records.wrong_fields import in_words, nearest

_TYPE = re.compile(r"^type:\s*(\S+)", re.MULTILINE)
_PLACE = re.compile(r"`?(?P<path>\S+) at (?P<file>.+):(?P<line>\d+)`?")
"""How Dagster says where in a YAML file a field stands."""
_KINDS: dict[str, type[BaseModel]] = {kind.__name__: kind for kind in (Experiment, Study, ColdStart, TeamTraces, Training, ComponentFileModel)}
KNOWN = tuple(f"{kind.__module__}.{kind.__name__}" for kind in (ExperimentFile, StudyFile, ColdStartFile, TeamTracesFile, TrainingFile))
"""Types of our own files."""


@dataclass(frozen=True)
class Loaded:
    """The component tree of a project and what its files state."""

    tree: dg.ComponentTree
    alone: tuple[ExperimentFile, ...]
    """Experiments with a file of their own."""
    studies: tuple[StudyFile, ...]
    data_sets: tuple[DataSetFile, ...]
    trainings: tuple[TrainingFile, ...]

    @property
    def experiments(self) -> list[ExperimentFile]:
        """All of them, the members of studies too."""
        return [*self.alone, *(file for study in self.studies for file in study.experiment_files)]


def load(project: Path) -> Loaded:
    """What lies under `project`/defs. Raises ExperimentFault with every fault of every file, one a line.

    Without a type in each file there is no tree, so faults of types come first, and those of fields once they are mended.
    """
    files = sorted((project / "defs").rglob("defs.yaml"))
    _raise_all([fault for file in files for fault in _faults_of_type(file)])
    tree = dg.ComponentTree.for_project(project)
    _raise_all([fault for file in files for fault in _faults_of_fields(tree, file)])
    found = tree.get_all_components
    return Loaded(
        tree,
        tuple(found(of_type=ExperimentFile)),
        tuple(found(of_type=StudyFile)),
        (*found(of_type=ColdStartFile), *found(of_type=TeamTracesFile)),
        tuple(found(of_type=TrainingFile)),
    )


def _raise_all(faults: list[str]) -> None:
    if faults:
        raise ExperimentFault("\n".join(dict.fromkeys(faults)))


def _faults_of_type(file: Path) -> Iterator[str]:
    try:
        name = _read_type(file)
    except ExperimentFault as fault:
        yield str(fault)
        return
    module, _, kind = name.rpartition(".")
    if not module or module.startswith("."):
        return  # Dagster's own short forms, which it resolves by itself
    try:
        known = hasattr(importlib.import_module(module), kind)
    except ModuleNotFoundError:
        known = False
    if not known:
        yield f"{file}: type: {name}: there is no such component; {nearest(name, KNOWN)}"


def _faults_of_fields(tree: dg.ComponentTree, file: Path) -> Iterator[str]:
    try:
        tree.load_component(file.parent)
    except (
        ComponentTreeException, dg.DagsterError, CheckError, ValidationError, DagsterUnresolvableSymbolError,
    ) as fault:  # fmt: skip
        cause = _cause(fault)
        if isinstance(cause, ValidationError):
            yield from _placed(cause, file)
        else:
            yield str(cause)


def _read_type(file: Path) -> str:
    """The component type that a file names. Raises ExperimentFault for a file that is no YAML document."""
    try:
        text = file.read_text(encoding="utf-8")
        events = list(yaml.parse(text, Loader=yaml.SafeLoader))
    except (OSError, UnicodeDecodeError) as fault:
        raise ExperimentFault(f"{file} cannot be read as UTF-8 text: {fault}") from fault
    except yaml.YAMLError as fault:
        raise ExperimentFault(f"{file} is not YAML: {' '.join(str(fault).split())}") from fault
    found = _TYPE.search(text)
    if not found or not any(isinstance(event, yaml.MappingStartEvent) for event in events):
        raise ExperimentFault(
            f"{file}: type: nothing found; an experiment file starts with "
            f"`type: {ExperimentFile.__module__}.{ExperimentFile.__name__}`, one of several experiments with "
            f"`type: {StudyFile.__module__}.{StudyFile.__name__}`"
        )
    return found[1]


def _cause(fault: BaseException) -> BaseException:
    """Our own error in a chain, else the innermost one: Dagster's outer one shows a tree and no field."""
    while not isinstance(fault, ValidationError | ExperimentFault) and fault.__cause__ is not None:
        fault = fault.__cause__
    return fault


def _placed(error: ValidationError, file: Path) -> Iterator[str]:
    """A line a wrong field, with file, line and field."""
    faults = error.errors()
    prefix = "attributes" if error.title != ComponentFileModel.__name__ and error.title in _KINDS else ""
    places: dict[str, str] = {}
    for fault in faults:
        if found := _PLACE.fullmatch(".".join(map(str, fault["loc"]))):
            inside = found["path"].removeprefix(prefix).removeprefix(".")
            fault["loc"] = tuple(inside.split(".")) if inside else ()
            places[inside] = f"{found['file']}:{found['line']}"
    for path, words in in_words(faults, _KINDS.get(error.title, BaseModel)):
        yield f"{places.get(path, file)}: {'.'.join(part for part in (prefix, path) if part)}: {words}"
