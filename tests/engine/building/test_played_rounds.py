"""What a set reads back from cells: pass rates, references, teachers' rounds and the parents of a row, each from its own file."""

import pytest

from tests.curation.test_questions import question
from tests.engine.bench_of_cells import Bench, experiment
from tests.scripted import launch
from tmas_assets.engine.building.parents import RowParents
from tmas_assets.engine.building.pass_rates import rates
from tmas_assets.engine.building.references import with_references
from tmas_assets.engine.building.seen import seen
from tmas_assets.engine.building.simulation import ChangedCell, played, said
from tmas_assets.records import Grade, PassRate, SourceProblem
from tmas_assets.strategies.tmas import Settings
from tmas_assets.training.rl_checks import check_rerendering
from tmas_assets.training.rl_rows import experience_rows, guideline_rows

SETTINGS = {"candidates": 2, "verifications": 1, "epsilon": 0.5}
OUTCOMES = ("right", "wrong", "undecided", "failed")


@pytest.fixture(scope="module")
def server():
    with launch.thread() as running:
        yield running


def bench_of(server, folder, **change):
    body = {"iterations": 2, "repeats": 2, "strategy": {"name": "tmas", "settings": SETTINGS}} | change
    made = Bench(experiment(server.url, **body), folder)
    made.run()
    return made


def of(problem):
    return SourceProblem(problem=problem, source="p", licence="MIT", topic="t")


def regrade(bench, iteration, problem, *outcomes):
    """Other outcomes in the stored grades of a cell."""
    cells = bench.cells
    address = cells.address("benchmark_scores", iteration, problem)
    grades, file = cells.store.read_stored(address, Grade)
    changed = [one.model_copy(update={"outcome": outcome}) for one, outcome in zip(grades, outcomes, strict=True)]
    return cells.store.write(address, Grade, changed, file.made_from)


def rate(problem):
    return PassRate(problem=problem.id, problem_digest=problem.digest, model="m", samples=2, right=1, p=0.5, ungraded=0, grades_digest="g")


def rounds_of(bench, teacher="first", model="m1"):
    return [one for problem in bench.problems for one in said(bench.cells, teacher, model, problem, range(2))]


def seen_in(bench, rounds, teacher="first"):
    known = {problem.id: rate(problem) for problem in bench.problems}
    return list(seen([of(problem) for problem in bench.problems], known, rounds, {teacher: bench.cells}))


@pytest.fixture
def bench(server, tmp_path):
    return bench_of(server, tmp_path)


def test_a_pass_rate_is_of_graded_samples_alone_and_tells_the_others(server, tmp_path):
    bench = bench_of(server, tmp_path, iterations=1, repeats=4, strategy={"name": "single"})
    some, none, gone = bench.problems
    file = regrade(bench, 0, some, "right", "wrong", "undecided", "wrong")
    regrade(bench, 0, none, "failed", "undecided", "failed", "undecided")
    [grades] = (tmp_path / "store").rglob(f"benchmark_scores/*/t00/{gone.id}.parquet")
    grades.unlink()
    found = {one.problem: one for one in rates(bench.cells, "m@1", map(of, bench.problems))}
    assert set(found) == {some.id, none.id}
    assert (found[some.id].right, found[some.id].samples, found[some.id].ungraded, found[some.id].p) == (1, 3, 1, 1 / 3)
    assert (found[none.id].right, found[none.id].samples, found[none.id].ungraded, found[none.id].p) == (0, 0, 4, None)
    assert (found[some.id].grades_digest, found[some.id].problem_digest, found[some.id].model) == (file.digest, some.digest, "m@1")


@pytest.mark.parametrize(("outcome", "right"), [("right", True), ("wrong", False), ("undecided", None), ("failed", None)])
def test_a_reference_is_the_reply_of_its_own_call_and_right_only_where_that_is_decided(server, tmp_path, outcome, right):
    bench = bench_of(server, tmp_path, iterations=1, repeats=1, strategy={"name": "single"})
    problem = bench.problems[1]
    regrade(bench, 0, problem, outcome)
    asked = question().model_copy(update={"candidate": of(problem)})
    [found] = with_references(bench.cells, [asked])
    [rollout] = bench.cells.read(0, problem)[0][0].rollouts
    assert (found.reference, found.reference_right, found.reference_call) == (rollout.text, right, rollout.trace.call)
    assert found.reference_tokens == rollout.trace.completion_tokens != rollout.trace.prompt_tokens


def test_rounds_name_their_files_and_count_the_grades_of_all_repeats(bench):
    problem = bench.problems[0]
    file = regrade(bench, 1, problem, *OUTCOMES)
    found = [one for one in rounds_of(bench) if one.problem == problem.id]
    assert [one.iteration for one in found] == [0, 1]
    assert (found[1].right, found[1].wrong, found[1].ungraded, found[1].grades_digest) == (1, 1, 2, file.digest)
    files = bench.cells.files(1, problem)
    assert (found[1].rollouts_digest, found[1].verifier_scores_digest, found[1].summaries_digest, found[1].memory_digest) == (
        files.rollouts.digest, files.verifier_scores.digest, files.summaries.digest, files.memory_bank.digest,
    )  # fmt: skip


def test_a_round_made_of_another_past_is_not_told(bench, server, tmp_path):
    problem = bench.problems[0]
    before = len(rounds_of(bench))
    other = bench_of(server, tmp_path / "other", seed=9)
    cells = bench.cells
    for part in ("rollouts", "verifier_scores", "summaries", "memory_bank", "benchmark_scores"):
        [theirs] = (tmp_path / "other" / "store").rglob(f"{part}/*/t00/{problem.id}.parquet")
        [ours] = (tmp_path / "store").rglob(f"{part}/*/t00/{problem.id}.parquet")
        ours.write_bytes(theirs.read_bytes())
    assert other.cells.files(0, problem).rollouts.digest == cells.files(0, problem).rollouts.digest
    assert len(rounds_of(bench)) == before - 1
    assert [one.iteration for one in rounds_of(bench) if one.problem == problem.id] == [0]


def test_a_cell_that_was_graded_or_made_anew_is_no_longer_the_one_that_was_named(bench):
    named = rounds_of(bench)
    problem = bench.problems[2]
    own = [one for one in named if one.problem == problem.id]
    assert len(list(played(bench.cells, problem, own))) == 2
    for part in ("rollouts_digest", "summaries_digest", "memory_digest", "grades_digest"):
        with pytest.raises(ChangedCell, match=f"t01 of {problem.id}: its files are other ones"):
            list(played(bench.cells, problem, [own[0], own[1].model_copy(update={part: "x"})]))


def test_each_repeat_is_seen_with_its_own_grades_and_the_files_it_was_read_from(bench):
    problem = bench.problems[0]
    regrade(bench, 0, problem, "right", "right", "wrong", "failed")
    rounds = seen_in(bench, rounds_of(bench))
    assert [one[0].candidate.problem.id for one in rounds] == [problem.id for problem in bench.problems]
    own = rounds[0]
    assert [(one.round.iteration, one.round.repeat) for one in own] == [(0, 0), (0, 1), (1, 0), (1, 1)]
    assert [(one.count("right"), one.count("wrong")) for one in own[:2]] == [(2, 0), (0, 1)]
    assert [{grade.repeat for grade in one.grades} for one in own] == [{0}, {1}, {0}, {1}]
    for one in own:
        files = bench.cells.files(one.round.iteration, problem)
        assert (one.rollouts_digest, one.summaries_digest, one.memory_digest) == (
            files.rollouts.digest, files.summaries.digest, files.memory_bank.digest,
        )  # fmt: skip


def test_rounds_are_labelled_with_the_model_of_their_own_teacher(bench):
    first, second = rounds_of(bench, "first", "m1"), rounds_of(bench, "second", "m2")
    split = [*(one for one in first if one.problem == "p-0"), *(one for one in second if one.problem != "p-0")]
    known = {problem.id: rate(problem) for problem in bench.problems}
    found = list(seen(list(map(of, bench.problems)), known, split, {"first": bench.cells, "second": bench.cells}))
    assert [(one[0].candidate.problem.id, one[0].teacher, one[0].teacher_model) for one in found] == [
        ("p-0", "first", "m1"), ("p-1", "second", "m2"), ("p-2", "second", "m2"),
    ]  # fmt: skip


def test_the_parents_of_every_row_are_found_by_its_names_and_render_it_again(bench):
    settings = Settings(**SETTINGS)
    rows = [
        row
        for rounds in seen_in(bench, rounds_of(bench))
        for make in (experience_rows, guideline_rows)
        for row in make(rounds, settings, data_set="s", most=9, seed=0)
    ]
    assert {(row.extra_info.repeat, row.extra_info.iteration) for row in rows} == {(0, 1), (0, 2), (1, 1), (1, 2)}
    parents = RowParents({problem.id: of(problem) for problem in bench.problems}, {"first": bench.cells})
    found = check_rerendering(rows, parents, settings)
    assert found.passed, found.said
    assert found.looked_at == len(rows) > 12
    for lacking in (RowParents({}, {"first": bench.cells}), RowParents({p.id: of(p) for p in bench.problems}, {})):
        assert len(check_rerendering(rows, lacking, settings).offences) == len(rows)


def test_a_parent_whose_cell_is_not_there_is_gone(bench):
    [row, *_] = experience_rows(seen_in(bench, rounds_of(bench))[0], Settings(**SETTINGS), data_set="s", most=9, seed=0)
    later = row.model_copy(update={"extra_info": row.extra_info.model_copy(update={"iteration": 9})})
    elsewhere = row.model_copy(update={"extra_info": row.extra_info.model_copy(update={"repeat": 9})})
    parents = RowParents({problem.id: of(problem) for problem in bench.problems}, {"first": bench.cells})
    assert parents(row) is not None
    assert (parents(later), parents(elsewhere)) == (None, None)
