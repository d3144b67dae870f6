"""What people say about replies: their text takes a reply's place, only what depends on it is asked again, nothing is lost."""

from datetime import UTC, datetime, timedelta

import pytest

from tests.engine.bench_of_cells import Bench, experiment
from tests.scripted import launch
from tests.whole.files import contents
from tmas_assets.engine.reviews import Review, Reviews, asked_anew, review_digest
from tmas_assets.records import Amendment, Approval

WHEN = datetime(2026, 3, 1, 9, 30, tzinfo=UTC)
SAMPLE = "r0t01c1/solution"
CELL = 3 * (1 + 2 + 1) + 2
"""Calls of one iteration: candidates with two checks and a summary each, and both banks."""


@pytest.fixture
def server():
    with launch.thread() as running:
        yield running


@pytest.fixture
def bench(server, tmp_path):
    made = Bench(experiment(server.url), tmp_path)
    made.problems = made.problems[:2]
    made.run()
    return made


def amend(bench, sample=SAMPLE, *, text="I say \\boxed{77}.", attempt=0, when=WHEN, who="Ann", iteration=1, number=0):
    problem = bench.problems[number]
    bench.cells.reviews.add(problem, Amendment(
        problem=problem.id, problem_digest=problem.digest, iteration=iteration, sample=sample, text=text, attempt=attempt,
        replaces="old", who=who, when=when, why="a test"))  # fmt: skip


def rollouts(bench, iteration, number=0):
    return {one.id: one for one in bench.cells.read(iteration, bench.problems[number])[0][0].rollouts}


def test_an_edited_reply_stands_under_the_persons_name_and_costs_no_token(bench):
    amend(bench)
    bench.run()
    edited = rollouts(bench, 1)["r0t01c1"]
    assert (edited.text, edited.answer, edited.model) == ("I say \\boxed{77}.", "77", "person: Ann")
    assert (edited.trace.status, edited.trace.prompt_tokens, edited.trace.completion_tokens) == ("complete", 0, 0)
    with_log = bench.deployment.call_log()
    [logged] = with_log.calls([edited.trace.call])
    with_log.close()
    assert (logged.answer, logged.finished_at, logged.server) == (edited.text, WHEN, "person")


def test_only_what_depends_on_the_edit_is_asked_again(bench, server):
    calls = server.stats()["total"]
    before = contents(bench.folder / "store")
    amend(bench)
    outcome = bench.run()
    assert (outcome.made, outcome.found, outcome.stopped) == (2, 4, [])
    # of the edited cell the checks and summary of that candidate, and the banks; then the whole cell after it
    assert server.stats()["total"] - calls == (2 + 1 + 2) + CELL
    after = contents(bench.folder / "store")
    kept = {path for path in before if "/t00/" in path or path.endswith("/p-1.parquet")}
    assert {path: after[path] for path in kept} == {path: before[path] for path in kept}


def test_running_again_after_an_edit_asks_nothing_and_changes_no_byte(bench, server):
    amend(bench)
    bench.run()
    calls, files = server.stats()["total"], contents(bench.folder / "store")
    outcome = bench.run()
    assert (outcome.made, outcome.found) == (0, 6)
    bench.run(redo=True)
    assert (server.stats()["total"], contents(bench.folder / "store")) == (calls, files)


def test_the_same_text_by_another_person_is_another_cell(bench):
    amend(bench)
    bench.run()
    first = bench.cells.files(1, bench.problems[0]).memory_bank.digest
    amend(bench, who="Bob", when=WHEN + timedelta(minutes=1))
    assert bench.run().made == 2
    assert rollouts(bench, 1)["r0t01c1"].model == "person: Bob"
    assert bench.cells.files(1, bench.problems[0]).memory_bank.digest != first


def test_asking_anew_sends_one_new_request_and_what_depends_on_it(bench, server):
    calls, old = server.stats()["total"], rollouts(bench, 1)
    amend(bench, text=None, attempt=1)
    bench.run()
    assert server.stats()["total"] - calls == 1 + (2 + 1 + 2) + CELL
    new = rollouts(bench, 1)
    assert new["r0t01c1"].trace.call != old["r0t01c1"].trace.call
    assert new["r0t01c0"] == old["r0t01c0"]
    calls = server.stats()["total"]
    assert bench.run().made == 0
    assert server.stats()["total"] == calls


def test_a_range_that_begins_after_an_amended_cell_is_refused_until_that_is_made_again(bench):
    amend(bench)
    with pytest.raises(RuntimeError, match="t01 is missing for 1 of 2 problems"):
        bench.run(range(2, 3))


def test_edits_of_one_moment_are_all_kept_and_the_latest_counts(bench):
    for number, who in enumerate(("Ann", "Bob", "Cleo")):
        amend(bench, who=who, when=WHEN + timedelta(seconds=number // 2))
    review = bench.cells.reviews.of(bench.problems[0])
    assert [one.who for one in review.amendments][-1] == "Cleo"
    assert len(review.amendments) == 3
    assert review.in_force[SAMPLE].who == "Cleo"
    assert bench.cells.reviews.of(bench.problems[1]).amendments == ()


def test_an_edit_does_not_hold_for_another_problem_text_or_other_settings(bench, tmp_path):
    amend(bench)
    changed = bench.problems[0].model_copy(update={"statement": "What is 40 + 2?"})
    assert bench.cells.reviews.of(changed).amendments == ()
    other = Reviews(bench.cells.store, bench.experiment.name, "another variant")
    assert other.of(bench.problems[0]).amendments == ()


def test_cells_without_an_amendment_name_none(bench):
    files = bench.cells.files(1, bench.problems[1])
    assert files.amended is None
    assert [parent.name for parent in files.memory_bank.made_from if parent.name == "amendments"] == []


def test_a_torn_review_stops_its_problem_and_no_other(bench):
    amend(bench)
    [file] = (bench.folder / "store" / "scripted" / "amendments").rglob("*.parquet")
    file.write_bytes(b"torn")
    outcome = bench.run()
    assert [one.problem for one in outcome.stopped] == ["p-0"]
    assert "scripted/amendments" in outcome.stopped[0].reason
    assert file.read_bytes() == b"torn"


def test_a_new_attempt_differs_from_the_request_and_from_every_other_attempt(bench):
    log = bench.deployment.call_log()
    [call] = log.calls([rollouts(bench, 1)["r0t01c1"].trace.call])
    log.close()
    keys = {asked_anew(call.request, attempt).key("m") for attempt in (1, 2, 3)} | {call.request.key("m")}
    assert len(keys) == 4


def test_an_approval_is_for_one_very_plan(bench):
    rounds, _ = bench.cells.read(0, bench.problems[0])
    [made] = rounds
    leave = Approval(problem="p-0", plan=review_digest(made), who="Ann", when=WHEN, why="")
    other = made.model_copy(update={"memory": made.memory.model_copy(update={"problem_digest": "other"})})
    review = Review(approvals=(leave,))
    assert review.approval_of(made) == leave
    assert review.approval_of(other) is None
