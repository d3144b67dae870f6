"""What a name on the command line stands for: an experiment or a study."""

import difflib
from pathlib import Path

import tmas_assets
from tmas_assets.assets.experiment import ExperimentFault, ExperimentFile
from tmas_assets.assets.loading import Loaded
from tmas_assets.assets.location import loaded
from tmas_assets.assets.study import StudyFile
from tmas_assets.commands.faults import CommandFault

FOLDER = Path(tmas_assets.__file__).parent / "defs"
"""Of the copy that is installed, wherever the command is typed."""


def stated() -> Loaded:
    """Raises CommandFault naming file and field of a faulty one."""
    try:
        return loaded()
    except ExperimentFault as fault:
        raise CommandFault(f"the experiments under {FOLDER} cannot be loaded:\n{fault}") from fault


def find(name: str) -> ExperimentFile | StudyFile:
    """Raises CommandFault naming the nearest one there is."""
    found = stated()
    known: dict[str, ExperimentFile | StudyFile] = {study.study.name: study for study in found.studies}
    known |= {file.experiment.name: file for file in found.experiments}
    if name not in known:
        near = difflib.get_close_matches(name, known, n=1)
        hint = f"did you mean {near[0]}? " if near else ""
        shown = sorted([*(file.experiment.name for file in found.alone), *(study.study.name for study in found.studies)])
        raise CommandFault(
            f"no experiment {name!r}; {hint}known: {', '.join(shown)}, and the members of studies; looked in {FOLDER}. "
            "Add one there as <name>/defs.yaml; in a copy of the repository, install the copy (`pip install -e .`)"
        )
    return known[name]


def find_experiment(name: str) -> ExperimentFile:
    """Raises CommandFault, also for a study, with the names of its members."""
    found = find(name)
    if isinstance(found, StudyFile):
        members = ", ".join(member.experiment.name for member in found.members)
        raise CommandFault(f"{name} is a study and not one experiment; name one of its members: {members}")
    return found
