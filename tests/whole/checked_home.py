"""A small experiment that went through, whose stored files a test breaks one at a time, and what the checks of its summary then find.

Leaves out what is broken and what should be found.
"""

import shutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import dagster as dg

from resources.deployment import Deployment
from tests.whole.campaign import QUIET
from tests.whole.experiments import deployment
from tmas_assets.assets.faults import cells_of, table_of
from tmas_assets.assets.summary import summarise
from tmas_assets.assets.summary_evaluations import findings
from tmas_assets.engine.cells import CellStore
from tmas_assets.engine.grades import grader_of
from tmas_assets.records import Experiment, Grade, Problem, Round
from tmas_assets.records.finding import Finding


@dataclass(frozen=True)
class Checked:
    folder: Path
    experiment: Experiment
    instance: dg.DagsterInstance

    @property
    def deployment(self) -> Deployment:
        return deployment(self.folder)

    @property
    def cells(self) -> CellStore:
        return cells_of(self.deployment, self.experiment)

    @property
    def problems(self) -> Sequence[Problem]:
        return table_of(self.deployment, self.experiment).problems

    def found(self, experiment: Experiment | None = None) -> Mapping[str, Finding]:
        return {one.promise: one for one in findings(self.deployment, self.instance, experiment or self.experiment)}

    def broken(self, experiment: Experiment | None = None) -> dict[str, Finding]:
        """Those that did not pass, but for the one that an external model never passes."""
        return {name: one for name, one in self.found(experiment).items() if not one.passed and name != "checkpoint_verified"}

    def path(self, part: str, iteration: int, number: int = 0) -> Path:
        return Path(self.cells.store.path(self.cells.address(part, iteration, self.problems[number])))

    def rewrite(self, change: Callable[[Round], Round], iterations: Sequence[int] = (0, 1, 2)) -> None:
        """Write cells with other rounds, their files made of each other and graded as before; then sum them up."""
        cells = self.cells
        for iteration in iterations:
            for problem in self.problems:
                rounds, _ = cells.read(iteration, problem)
                grades = cells.store.read(cells.address("benchmark_scores", iteration, problem), Grade)
                previous = cells.files(iteration - 1, problem) if iteration else None
                files = cells.write(iteration, problem, [change(one) for one in rounds], previous)
                cells.write_grades(iteration, problem, grades, files.rollouts, grader_of(problem, None))
        self.sum_up()

    def regrade(self, change: Callable[[Grade], Grade], iterations: Sequence[int] = (0, 1, 2)) -> None:
        """Write other grades of the same rollouts."""
        cells = self.cells
        for iteration in iterations:
            for problem in self.problems:
                address = cells.address("benchmark_scores", iteration, problem)
                grades = [change(one) for one in cells.store.read(address, Grade)]
                cells.write_grades(iteration, problem, grades, cells.store.look(cells.address("rollouts", iteration, problem)), grader_of(problem, None))

    def sum_up(self) -> None:
        summarise(self.deployment, self.experiment)


def copied(made: Checked, folder: Path, instance: dg.DagsterInstance) -> Checked:
    """Files in `folder`, events in `instance`, which knows none of them: what Dagster was told is another test's."""
    shutil.copytree(made.folder / "store", folder / "store")
    for path in made.folder.glob("calls.sqlite*"):
        shutil.copy(path, folder)
    return Checked(folder, made.experiment, instance)


def materialize(
    defs: dg.Definitions, instance: dg.DagsterInstance, *keys: dg.AssetKey, partition: str | None = None
) -> dg.ExecuteInProcessResult:
    """As the UI does: the checks of an asset run with it."""
    return defs.resolve_implicit_global_asset_job_def().execute_in_process(
        instance=instance, asset_selection=list(keys), partition_key=partition, run_config=QUIET, raise_on_error=False
    )
