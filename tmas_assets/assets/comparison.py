"""Two experiments compared from their stored cells, for the command line. Asks no model and writes nothing."""

from resources.deployment import Deployment
from resources.parquet_store import MissingFile
from tmas_assets.assets.faults import PERMANENT, cells_of, permanent, table_of
from tmas_assets.benchmarks import asset_name
from tmas_assets.engine.comparison import compare_experiments
from tmas_assets.engine.problems import read_table
from tmas_assets.records import Experiment
from tmas_assets.statistics import PairedComparison


def has_run(deployment: Deployment, experiment: Experiment) -> bool:
    """Whether any cell is there under its present settings. Raises a `Failure` for files that cannot be read."""
    try:
        table = read_table(deployment.store(), asset_name(experiment.benchmark))
        cells = cells_of(deployment, experiment)
        return any(cells.files(0, problem) is not None for problem in table.select((), experiment.benchmark.limit))
    except MissingFile:
        return False
    except (*PERMANENT, ValueError) as fault:
        raise permanent(fault) from fault


def compared(deployment: Deployment, a: Experiment, b: Experiment) -> tuple[PairedComparison, ...]:
    """Raises a `Failure` for cells that cannot be read, and for an experiment that was never run."""
    tables = [(cells_of(deployment, one), table_of(deployment, one)) for one in (a, b)]
    try:
        return compare_experiments(*tables[0], *tables[1])
    except (*PERMANENT, ValueError) as fault:
        raise permanent(fault) from fault
