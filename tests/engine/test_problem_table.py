"""Choosing problems: by id or key, in the table's order, never past the experiment's limit."""

from pathlib import Path

import pytest

from resources.parquet_store import Address, MissingFile, ParquetStore, StoredFile
from tests.engine.bench_of_cells import problem
from tmas_assets.engine.problems import ProblemTable, UnknownProblem, read_changes, read_made, read_table, refresh_table
from tmas_assets.records import BenchmarkChoice

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


@pytest.fixture
def store(tmp_path):
    return ParquetStore(root=str(tmp_path))


@pytest.fixture(scope="module")
def downloads(tmp_path_factory):
    """Generated problems, made once for this file."""
    return tmp_path_factory.mktemp("downloads")


def made(store, downloads, size, release="sums"):
    choice = BenchmarkChoice(name="reasoning_gym", release=release, settings={"size": size})
    return refresh_table(store, choice, data=None, downloads=downloads)


def test_what_changed_since_the_last_different_table_stays_until_the_next_one(store, downloads):
    first, _ = made(store, downloads, 4)
    assert read_changes(store, "reasoning_gym_sums") is None
    second, _ = made(store, downloads, 3)
    for _ in range(2):
        kept = read_changes(store, "reasoning_gym_sums")
        assert [change.kind for change in kept.changes] == ["removed"]
        assert kept.since == first.file.digest
        made(store, downloads, 3)
    assert [gone.id for gone in second.retired] == [kept.changes[0].id]
    made(store, downloads, 4)
    assert [change.kind for change in read_changes(store, "reasoning_gym_sums").changes] == ["added"]


def test_what_made_a_table_is_kept_with_the_digest_of_the_first_time(store, downloads):
    _, release = made(store, downloads, 3)
    before = read_made(store, "reasoning_gym_sums")
    assert (before.digest, before.first_digest) == (release.digest, release.digest)
    assert before.package.startswith("reasoning-gym ")
    _, other = made(store, downloads, 4)
    after = read_made(store, "reasoning_gym_sums")
    assert after.first_digest == other.digest, "other settings begin anew"


def test_a_table_made_before_the_making_was_kept_is_read_all_the_same(store, downloads):
    made(store, downloads, 3)
    Path(store.path(Address(("problems", "reasoning_gym_sums"), ("release",)))).unlink()
    assert len(read_table(store, "reasoning_gym_sums").problems) == 3
    with pytest.raises(MissingFile):
        read_made(store, "reasoning_gym_sums")
    made(store, downloads, 3)
    assert read_made(store, "reasoning_gym_sums").release == "sums"
