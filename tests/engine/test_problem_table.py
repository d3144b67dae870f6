"""Choosing problems: by id or key, in the table's order, never past the experiment's limit."""

import pytest

from resources.parquet_store import StoredFile
from tests.engine.bench_of_cells import problem
from tmas_assets.engine.problems import ProblemTable, UnknownProblem

TABLE = ProblemTable("toy", tuple(problem(n) for n in range(4)), (), StoredFile("", "", 4, 0))


def test_none_asked_for_is_all_up_to_the_limit():
    assert [p.id for p in TABLE.select((), None)] == ["p-0", "p-1", "p-2", "p-3"]
    assert [p.id for p in TABLE.select((), 2)] == ["p-0", "p-1"]


def test_the_order_is_the_tables_and_an_id_asked_for_twice_comes_once():
    assert [p.id for p in TABLE.select(["p-2", "p-0", "p-2"], None)] == ["p-0", "p-2"]


@pytest.mark.parametrize(
    ("name", "limit", "words"),
    [("p-3", 2, "beyond the first 2"), ("q", None, "among its 4"), ("p-33", 2, "among its 2")],
)
def test_a_problem_that_is_not_in_scope_is_refused_with_the_reason(name, limit, words):
    with pytest.raises(UnknownProblem, match=words):
        TABLE.select([name], limit)
