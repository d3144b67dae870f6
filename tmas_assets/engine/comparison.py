"""Two experiments on the same problems, read from their cells and compared. Leaves out the statistics and the printing."""

from tmas_assets.engine.cells import CellStore
from tmas_assets.engine.gathering import gather
from tmas_assets.engine.problems import ProblemTable
from tmas_assets.engine.summary import scores
from tmas_assets.engine.tallies import tallies
from tmas_assets.records import Experiment, digest
from tmas_assets.records.seeds import seed_of
from tmas_assets.statistics import PairedComparison, Side, compare, side_of
from tmas_assets.strategies import strategy_digest

_SAMPLED = "paired comparison"


def compare_experiments(
    a: CellStore, table_a: ProblemTable, b: CellStore, table_b: ProblemTable
) -> tuple[PairedComparison, ...]:
    """At equal iterations, calls and tokens. Raises StoreFault for a torn cell."""
    return compare(_side(a, table_a), _side(b, table_b), seed=seed_of_pair(a.experiment.name, b.experiment.name))


def seed_of_pair(a: str, b: str) -> int:
    """Of the draws that a comparison makes: the same whichever is named first."""
    return seed_of(_SAMPLED, *sorted((a, b)))


def but_for_models(experiment: Experiment) -> str:
    """Digest of all that shapes an experiment's cells but which models answer: two of one digest measure two models alike."""
    body = experiment.model_copy(update={"name": "", "endpoints": {
        name: endpoint.model_copy(update={"urls": (), "managed": None, "model": None, "revision": None})
        for name, endpoint in experiment.endpoints.items()
    }})  # fmt: skip
    windows = {name: one.managed.max_model_len if one.managed else None for name, one in experiment.solving_endpoints.items()}
    return digest([body.digest(), strategy_digest(experiment.strategy), windows])


def _side(cells: CellStore, table: ProblemTable) -> Side:
    experiment = cells.experiment
    problems = table.select((), experiment.benchmark.limit)
    gathered = gather(cells, problems)
    found = tallies(experiment, problems, gathered)
    return side_of(experiment.name, experiment.repeats, scores(cells, problems, gathered), found)
