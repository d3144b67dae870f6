"""Two experiments compared from their stored cells, for the command line. Asks no model and writes nothing."""

from resources.deployment import Deployment
from tmas_assets.assets.running import PERMANENT, cells_of, permanent, table_of
from tmas_assets.engine.comparison import compare_experiments
from tmas_assets.records import Experiment
from tmas_assets.statistics import PairedComparison


def compared(deployment: Deployment, a: Experiment, b: Experiment) -> tuple[PairedComparison, ...]:
    """Raises a `Failure` for cells that cannot be read, and for an experiment that was never run."""
    tables = [(cells_of(deployment, one), table_of(deployment, one)) for one in (a, b)]
    try:
        return compare_experiments(*tables[0], *tables[1])
    except (*PERMANENT, ValueError) as fault:
        raise permanent(fault) from fault
