"""The grid: keys as people read them, and cell (t, p) depends on (t-1, p) alone."""

import dagster as dg
import pytest

from partitions.axes import grid, iteration_axis, previous_iteration
from partitions.keys import KeyFault


def test_iterations_are_printed_in_order_from_zero():
    assert iteration_axis(4).get_partition_keys() == ["t00", "t01", "t02", "t03"]


def test_the_axis_holds_at_most_sixty():
    assert len(iteration_axis(60).get_partition_keys()) == 60
    with pytest.raises(KeyFault):
        iteration_axis(61)


@pytest.mark.parametrize(("cell", "parents"), [("t02|p", ["t01|p"]), ("t00|p", [])])
def test_a_cell_depends_on_the_same_problem_one_iteration_back(cell, parents):
    cells = grid("toy", 3)

    @dg.asset(partitions_def=cells, deps=[dg.AssetDep("bank", partition_mapping=previous_iteration)])
    def bank() -> None: ...

    instance = dg.DagsterInstance.ephemeral()
    instance.add_dynamic_partitions("problems_toy", ["p", "q"])
    found = previous_iteration.get_upstream_mapped_partitions_result_for_partitions(
        cells.subset_with_partition_keys([cell]), cells, cells, dynamic_partitions_store=instance
    )
    assert sorted(found.partitions_subset.get_partition_keys()) == parents
