"""The two axes of an experiment and their grid, in Dagster's terms.

Only a time axis may depend on its own past in Dagster, so iteration t is minute t of a synthetic clock that is
printed `t00`, `t01`, ...; nothing outside this module sees a date. Leaves out the keys' spelling: `keys.py`.
"""

import datetime as dt
import warnings

import dagster as dg

from partitions.keys import iteration_key

_EPOCH = dt.datetime(1900, 1, 1)
_STEP_BACK = dg.TimeWindowPartitionMapping(start_offset=-1, end_offset=-1)

with warnings.catch_warnings():
    # the mapping is marked beta since years; users of the command line cannot do anything about it
    warnings.simplefilter("ignore", dg.BetaWarning)
    previous_iteration = dg.MultiPartitionMapping(
        {
            "iteration": dg.DimensionPartitionMapping("iteration", _STEP_BACK),
            "problem": dg.DimensionPartitionMapping("problem", dg.IdentityPartitionMapping()),
        }
    )
"""Cell (t, problem) reads cell (t-1, problem): the one self-dependency of `memory_bank`."""


def iteration_axis(iterations: int) -> dg.TimeWindowPartitionsDefinition:
    """Keys t00 up to `iterations` - 1; 1 to 60."""
    iteration_key(iterations - 1)
    return dg.TimeWindowPartitionsDefinition(
        cron_schedule="* * * * *", start=_EPOCH, end=_EPOCH + dt.timedelta(minutes=iterations), fmt="t%M"
    )


def problem_axis_name(benchmark_asset: str) -> str:
    return f"problems_{benchmark_asset}"


def problem_axis(benchmark_asset: str) -> dg.DynamicPartitionsDefinition:
    """The problems of one release; filled when `problems/<benchmark_asset>` is materialized."""
    return dg.DynamicPartitionsDefinition(name=problem_axis_name(benchmark_asset))


def grid(benchmark_asset: str, iterations: int) -> dg.MultiPartitionsDefinition:
    """Iteration x problem: one key a cell."""
    return dg.MultiPartitionsDefinition(
        {"iteration": iteration_axis(iterations), "problem": problem_axis(benchmark_asset)}
    )
