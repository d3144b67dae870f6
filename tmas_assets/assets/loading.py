"""Load every experiment and study file of the project; a faulty one is refused by file and field, in a sentence.

Leaves out what makes one faulty: that is the records', `experiment.py`'s and `study.py`'s.
"""

import re
from dataclasses import dataclass
from pathlib import Path

import dagster as dg
import yaml
from dagster.components.core.component_tree import ComponentTreeException
from dagster_shared.check import CheckError
from dagster_shared.error import DagsterUnresolvableSymbolError
from pydantic import ValidationError

from tmas_assets.assets.experiment import ExperimentFault, ExperimentFile
from tmas_assets.assets.study import StudyFile

_TYPE = re.compile(r"^type:\s*(\S+)", re.MULTILINE)


@dataclass(frozen=True)
class Loaded:
    """The component tree of a project and what its files state."""

    tree: dg.ComponentTree
    alone: tuple[ExperimentFile, ...]
    """Experiments with a file of their own."""
    studies: tuple[StudyFile, ...]

    @property
    def experiments(self) -> list[ExperimentFile]:
        """All of them, the members of studies too."""
        return [*self.alone, *(file for study in self.studies for file in study.experiment_files)]


def load(project: Path) -> Loaded:
    """What lies under `project`/defs. Raises ExperimentFault."""
    types = {file: _read_type(file) for file in sorted((project / "defs").rglob("defs.yaml"))}
    tree = dg.ComponentTree.for_project(project)
    try:
        return Loaded(
            tree, tuple(tree.get_all_components(of_type=ExperimentFile)), tuple(tree.get_all_components(of_type=StudyFile))
        )
    except DagsterUnresolvableSymbolError as fault:
        named = [f"{file}: type: {name}" for file, name in types.items() if name.rpartition(".")[0] in str(fault)]
        raise ExperimentFault(f"{'; '.join(named) or project}: {fault}") from fault
    except (ComponentTreeException, dg.DagsterError, CheckError, ValidationError) as fault:
        raise ExperimentFault(_words(fault)) from fault


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


def _words(fault: BaseException) -> str:
    """What our own error in a chain says, else the innermost one: Dagster's outer one shows a tree and no field."""
    while not isinstance(fault, ValidationError | ExperimentFault) and fault.__cause__ is not None:
        fault = fault.__cause__
    lines = str(fault).splitlines()
    return "\n".join(line for line in lines if not line.strip().startswith("For further information"))
