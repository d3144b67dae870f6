"""What counts as a finished cell: files made of each other, for this very problem, its past and its grader."""

from pathlib import Path

import pyarrow.parquet as pq
import pytest

from tests.engine.bench_of_cells import Bench, experiment, problem
from tests.scripted import launch
from tests.whole.files import contents
from tmas_assets.engine.gathering import gather
from tmas_assets.engine.summary import scores
from tmas_assets.grading import grader_version, versions
from tmas_assets.records import Grade


@pytest.fixture(scope="module")
def server():
    with launch.thread() as running:
        yield running


@pytest.fixture
def bench(server, tmp_path):
    return Bench(experiment(server.url, iterations=2), tmp_path)


def rewritten_half_way(bench, iteration, one):
    """Another rollouts file under the old memory: what a kill in the middle of a rewriting leaves."""
    rounds, _ = bench.cells.read(iteration, one)
    changed = rounds[0].model_copy(update={"rollouts": rounds[0].rollouts[:-1]})
    cells = bench.cells
    address = cells.address("rollouts", iteration, one)
    origin = cells.store.look(address).made_from
    cells.store.write(address, type(rounds[0].rollouts[0]), changed.rollouts, origin)


def test_a_cell_whose_rewriting_was_killed_half_way_is_made_again(bench, server):
    bench.run()
    files, calls = contents(bench.folder / "store"), server.stats()["total"]
    rewritten_half_way(bench, 1, bench.problems[0])
    assert contents(bench.folder / "store") != files
    outcome = bench.run()
    assert (outcome.made, outcome.found, outcome.stopped) == (1, 5, [])
    assert contents(bench.folder / "store") == files
    assert server.stats()["total"] == calls


def test_a_half_written_cell_is_in_no_score(bench):
    bench.run()
    rewritten_half_way(bench, 1, bench.problems[0])
    gathered = gather(bench.cells, bench.problems)
    assert [score.missing for score in scores(bench.cells, bench.problems, gathered)] == [0, 3]


def test_a_changed_problem_under_the_same_id_is_made_again_and_never_mixed(bench):
    bench.run()
    changed = [problem(0, statement="What is 40 + 2?", answer="42"), *bench.problems[1:]]
    bench.problems = changed
    gathered = gather(bench.cells, changed)
    assert [score.missing for score in scores(bench.cells, changed, gathered)] == [3, 3]
    outcome = bench.run(range(1))
    assert (outcome.made, outcome.found) == (1, 2)
    gathered = gather(bench.cells, changed)
    assert [score.missing for score in scores(bench.cells, changed, gathered)] == [0, 3]
    assert bench.run().made == 1
    gathered = gather(bench.cells, changed)
    assert [score.missing for score in scores(bench.cells, changed, gathered)] == [0, 0]


def test_another_order_of_problems_changes_no_byte(bench):
    bench.run()
    files = contents(bench.folder / "store")
    bench.problems = list(reversed(bench.problems))
    assert bench.run().found == 6
    assert contents(bench.folder / "store") == files


def test_cells_after_one_that_was_made_anew_are_made_again(bench):
    bench.run()
    cells, one = bench.cells, bench.problems[0]
    rounds, _ = cells.read(0, one)
    fewer = rounds[0].model_copy(update={"rollouts": rounds[0].rollouts[:-1]})
    cells.write(0, one, [fewer], None)
    outcome = bench.run()
    assert (outcome.made, outcome.found) == (1, 5)
    assert cells.files(1, one).follows(cells.files(0, one))


def test_more_iterations_later_keep_the_old_cells_and_equal_a_run_that_had_them_at_once(bench, server, tmp_path):
    bench.run()
    short, calls = contents(bench.folder / "store"), server.stats()["total"]
    longer = bench.experiment.model_copy(update={"iterations": 4})
    bench.experiment = longer
    outcome = bench.run()
    assert (outcome.made, outcome.found) == (6, 6)
    extended = contents(bench.folder / "store")
    assert {path: extended[path] for path in short} == short
    again = server.stats()["total"] - calls
    at_once = Bench(longer, tmp_path / "at_once")
    at_once.run()
    assert contents(at_once.folder / "store") == extended
    assert again < server.stats()["total"] - calls - again


def test_another_seed_starts_beside_the_old_cells(bench):
    bench.run()
    files = contents(bench.folder / "store")
    bench.experiment = bench.experiment.model_copy(update={"seed": 1})
    assert bench.run().made == 6
    now = contents(bench.folder / "store")
    assert {path: now[path] for path in files} == files
    assert len(now) == 2 * len(files)


def test_found_cells_are_graded_again_by_a_newer_grader_and_reported_with_the_new_file(bench, server, monkeypatch):
    bench.run()
    calls = server.stats()["total"]
    before = {(cell.iteration, cell.problem.id): cell.grades_file.digest for cell in bench.made}
    monkeypatch.setattr(versions, "GRADER_VERSIONS", versions.GRADER_VERSIONS | {"integer": "99"})
    newer = grader_version("integer")
    assert bench.run().found == 6
    assert len(bench.found) == 6
    for cell in bench.found:
        assert cell.grades_file.digest != before[cell.iteration, cell.problem.id]
        assert cell.grades_file.parent("grader") == f"integer {newer}"
    assert server.stats()["total"] == calls


def test_grades_of_other_rollouts_are_made_again(bench):
    bench.run()
    files, cells = contents(bench.folder / "store"), bench.cells
    address = cells.address("benchmark_scores", 0, bench.problems[0])
    stored = cells.store.look(address)
    stale = [parent if parent.name != "rollouts" else parent._replace(digest="0" * 64) for parent in stored.made_from]
    grades = cells.store.read(address, Grade)
    cells.store.write(address, Grade, grades, stale)
    assert bench.run().found == 6
    assert contents(bench.folder / "store") == files


def test_a_torn_past_stops_its_own_problem_only(bench):
    bench.run(range(1))
    [torn] = list((bench.folder / "store").rglob("memory_bank/*/t00/p-1.parquet"))
    torn.write_bytes(torn.read_bytes()[:100])
    outcome = bench.run(range(1, 2))
    assert (outcome.made, [one.problem for one in outcome.stopped]) == (2, ["p-1"])
    assert "not a readable parquet file" in outcome.stopped[0].reason


def test_grades_of_another_version_of_the_record_are_made_again(server, tmp_path):
    bench = Bench(experiment(server.url, iterations=1), tmp_path)
    bench.run()
    path = Path(bench.made[0].grades_file.path)
    table = pq.read_table(path)
    older = {**table.schema.metadata, b"tmas.schema_version": b"1"}
    pq.write_table(table.drop_columns(["judgement"]).replace_schema_metadata(older), path)
    bench.run()
    assert (len(bench.made), len(bench.found)) == (0, 3)
    assert len(gather(bench.cells, bench.problems).grades) == 9


def test_a_grades_file_without_a_grade_for_each_rollout_is_made_again(server, tmp_path):
    bench = Bench(experiment(server.url, iterations=1), tmp_path)
    bench.run()
    path = Path(bench.made[0].grades_file.path)
    pq.write_table(pq.read_table(path).slice(0, 1), path)
    bench.run()
    assert len(gather(bench.cells, bench.problems).grades) == 9
