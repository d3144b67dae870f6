"""Traces from cells on disk and the call log: what is told, what is not there yet, and what is a fault."""

import asyncio
import sqlite3

import pytest

from resources.calls.call_log import CallLog
from tests.curation.test_questions import question
from tests.engine.bench_of_cells import Bench, experiment, problem
from tests.resources.calls import failed
from tests.scripted import launch
from tests.strategies.adaptive import cast, run
from tmas_assets.curation.trace_filters import filtered
from tmas_assets.engine.building.traces import calls_of, stored_trace, stored_traces
from tmas_assets.records import Grade, TraceFilters
from tmas_assets.strategies.mas_tts import Settings
from tmas_assets.training.team_traces import TraceFault

SETTINGS = {"experts": 3, "critic_iterations": 1, "token_choices": [64, 128]}


def of(one):
    made = question()
    return made.model_copy(update={"candidate": made.candidate.model_copy(update={"problem": one})})


def bench_of(server, folder, **change):
    body = {"iterations": 2, "strategy": {"name": "mas_tts", "settings": SETTINGS}} | change
    return Bench(experiment(server.url, **body), folder)


@pytest.fixture(scope="module")
def server():
    with launch.thread() as running:
        yield running


@pytest.fixture
def bench(server, tmp_path):
    made = bench_of(server, tmp_path)
    made.run()
    return made


@pytest.fixture
def log(bench):
    opened = CallLog(f"sqlite:///{bench.folder}/calls.sqlite")
    yield opened
    opened.close()


def rows(bench, statement):
    with sqlite3.connect(bench.folder / "calls.sqlite") as base:
        return base.execute(statement).fetchall()


def test_every_call_of_the_attempt_is_a_turn_of_one_trace(bench, log):
    found = stored_traces(bench.cells, log, [of(one) for one in bench.problems], attempt=1)
    assert found.unfinished == ()
    assert [one.question for one in found.traces] == ["p-0", "p-1", "p-2"]
    turns = [turn for one in found.traces for turn in one.turns]
    assert sorted(turn.call for turn in turns) == sorted(key for (key,) in rows(bench, "select key from calls"))
    assert {one.attempt for one in found.traces} == {1}


def test_the_trace_names_the_files_and_the_grade_it_was_made_of(bench, log):
    cells, [one, *_] = bench.cells, bench.problems
    trace = stored_trace(cells, log, of(one), attempt=0)
    files = cells.files(1, one)
    graded = cells.store.look(cells.address("benchmark_scores", 1, one))
    assert (trace.rollouts_digest, trace.memory_digest, trace.grades_digest) == (
        files.rollouts.digest, files.memory_bank.digest, graded.digest,
    )  # fmt: skip
    grades = cells.store.read(cells.address("benchmark_scores", 1, one), Grade)
    assert trace.outcome == [grade.outcome for grade in grades][-1]


def test_a_run_of_its_own_gives_the_same_traces(server, bench, log, tmp_path):
    other = bench_of(server, tmp_path / "other")
    other.run()
    second = CallLog(f"sqlite:///{tmp_path}/other/calls.sqlite")
    questions = [of(one) for one in bench.problems]
    assert stored_traces(bench.cells, log, questions, attempt=0) == stored_traces(other.cells, second, questions, attempt=0)
    second.close()


def test_a_question_whose_last_round_is_missing_is_unfinished(server, tmp_path):
    half = bench_of(server, tmp_path)
    half.run(range(1))
    log = CallLog(f"sqlite:///{tmp_path}/calls.sqlite")
    found = stored_traces(half.cells, log, [of(one) for one in half.problems], attempt=0)
    assert (found.traces, found.unfinished) == ((), ("p-0", "p-1", "p-2"))
    half.run()
    assert len(stored_traces(half.cells, log, [of(one) for one in half.problems], attempt=0).traces) == 3
    log.close()


def test_a_changed_question_has_no_trace_yet(bench, log):
    changed = problem(0, statement="What is 40 + 2?", answer="42")
    assert stored_traces(bench.cells, log, [of(changed)], attempt=0).unfinished == ("p-0",)


def test_a_round_whose_past_was_made_anew_is_unfinished(bench, log):
    cells, [one, *_] = bench.cells, bench.problems
    [first], _ = cells.read(0, one)
    cells.write(0, one, [first.model_copy(update={"memory": first.memory.model_copy(update={"stopped": "else"})})], None)
    assert cells.files(0, one) is not None
    assert cells.files(1, one) is not None
    assert stored_trace(cells, log, of(one), attempt=0) is None


def test_a_cell_without_grades_is_unfinished(bench, log):
    cells, [one, *_] = bench.cells, bench.problems
    cells.write_grades(1, one, [], cells.files(1, one).rollouts, "integer 0")
    assert stored_trace(cells, log, of(one), attempt=0) is None


def test_another_log_than_that_of_the_run_is_a_fault_that_names_the_call(bench, tmp_path):
    empty = CallLog(f"sqlite:///{tmp_path}/empty.sqlite")
    with pytest.raises(TraceFault, match=r"p-0: r0t00/ceo was made from call [0-9a-f]{64}, which is not in the call log"):
        stored_trace(bench.cells, empty, of(bench.problems[0]), attempt=0)
    empty.close()


def test_cells_of_another_strategy_are_refused(server, tmp_path):
    other = Bench(experiment(server.url), tmp_path)
    log = CallLog(f"sqlite:///{tmp_path}/calls.sqlite")
    with pytest.raises(TraceFault, match="strategy tmas gives no traces"):
        stored_trace(other.cells, log, of(other.problems[0]), attempt=0)
    log.close()


def test_only_the_first_repeat_is_told(server, tmp_path):
    twice = bench_of(server, tmp_path, repeats=2, iterations=1)
    twice.run()
    log = CallLog(f"sqlite:///{tmp_path}/calls.sqlite")
    trace = stored_trace(twice.cells, log, of(twice.problems[0]), attempt=0)
    assert all(turn.agent.startswith("r0t00") for turn in trace.turns)
    log.close()


@pytest.mark.parametrize("fault", [{"kind": "status", "status": 400}, {"kind": "content_filter"}])
def test_a_request_that_failed_is_told_with_its_prompt_and_breaks_the_form(server, tmp_path, fault):
    made = bench_of(server, tmp_path, iterations=1)
    made.problems = made.problems[:1]
    server.script({**fault, "match": "Judge the solution above"})
    made.run()
    log = CallLog(f"sqlite:///{tmp_path}/calls.sqlite")
    trace = stored_trace(made.cells, log, of(made.problems[0]), attempt=0)
    last = trace.turns[-1]
    assert (last.role, last.status, last.parse) == ("evaluator", "failed", "failed")
    assert "Judge the solution above" in last.messages[-1].content
    assert filtered(trace, TraceFilters(thinking="closed", boxed=False)).format_fault.startswith("evaluator r0t00c")
    log.close()


def test_of_several_failures_of_a_request_the_one_that_the_record_tells_of_is_taken(tmp_path):
    log = CallLog(f"sqlite:///{tmp_path}/calls.sqlite")
    seen = failed(1, "request", server="seen")
    for one in (seen, failed(1, "model", server="other"), failed(1, "endpoint", server="another")):
        asyncio.run(log.put_failure(one))
    assert [one.server for one in log.failures([seen.key])][-1] != "seen"
    [made] = run(cast(), Settings())
    turn = made.memory.turns[0].model_copy(update={"trace": seen.trace})
    memory = made.memory.model_copy(update={"turns": (turn,)})
    found = calls_of(log, [made.model_copy(update={"memory": memory, "rollouts": (), "verifications": ()})])
    assert found == {seen.key: seen}
    log.close()


def test_what_the_filters_say_of_stored_traces_is_told_of_each(bench, log):
    traces = stored_traces(bench.cells, log, [of(one) for one in bench.problems], attempt=0).traces
    judged = [filtered(one, TraceFilters(thinking="closed")) for one in traces]
    assert [one.correctness for one in judged] == [one.outcome == "right" for one in traces]
