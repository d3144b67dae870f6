"""Run an experiment that a data set derives on some of its problems, inside a step, and find its cells."""

from collections.abc import Sequence

from tmas_assets.assets.data.step import Building
from tmas_assets.assets.driving import Scope, drive
from tmas_assets.assets.faults import cells_of
from tmas_assets.assets.running import check_outcome
from tmas_assets.engine.campaign import Outcome
from tmas_assets.engine.cells import CellStore
from tmas_assets.engine.team import identity
from tmas_assets.records import Experiment, SourceProblem


def play(building: Building, experiment: Experiment, asked: Sequence[SourceProblem], iterations: int) -> Outcome:
    """Make the cells that are not there. Raises a `Failure` where a problem stopped for another reason than the budget."""
    scope = Scope(range(iterations), tuple(one.problem for one in asked))
    outcome = drive(building.deployment, experiment, [scope], run=building.run, redo=False, log=lambda cell: None)
    check_outcome(experiment, outcome)
    return outcome


def cells(building: Building, experiment: Experiment) -> CellStore:
    return cells_of(building.deployment, experiment)


def model(building: Building, experiment: Experiment) -> str:
    """Identity of the model behind the solution role."""
    return identity(experiment.endpoints[experiment.endpoint_of("solution")], building.deployment.vllm())
