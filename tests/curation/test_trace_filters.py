"""The filters of traces: each drops the trace that breaks just its own rule, and is counted whatever the others say."""

import pytest

from tmas_assets.curation.trace_filters import dropped_by, filter_counts, filtered, used
from tmas_assets.records import Message, TeamTrace, TraceFilters, TraceTurn

ALL = TraceFilters()
ROLES = ("ceo", "expert_recruiter", "problem_solver", "critic", "executor", "evaluator")


def turn(order, role, **change):
    body = {
        "order": order, "iteration": 0, "role": role, "agent": f"r0t00/{role}", "messages": (Message(role="user", content="q"),),
        "thinking": "first this", "reply": "then that", "status": "complete", "parse": "parsed", "parse_error": None,
        "prompt_tokens": 1, "completion_tokens": 2, "model": "m", "call": f"k{order}",
    }  # fmt: skip
    return TraceTurn.model_validate(body | change)


def trace(at=None, *, question="p", attempt=0, turn_change=None, **change):
    """A trace that passes everything; `turn_change` holds for the turn of role `at`."""
    turns = tuple(turn(order, role, **((turn_change or {}) if role == at else {})) for order, role in enumerate(ROLES))
    body = {
        "question": question, "problem_digest": "d", "grader": "math", "attempt": attempt, "licence": "MIT", "domain": "physics",
        "turns": turns, "solution": "so \\boxed{2}", "answer": "2", "agreed": True, "outcome": "right", "accepted": True,
        "rollouts_digest": "r", "memory_digest": "m", "grades_digest": "g",
    }  # fmt: skip
    return TeamTrace.model_validate(body | change)


def verdict(one, settings=ALL):
    found = filtered(one, settings)
    return found.consensus, found.format, found.correctness, found.kept


def test_a_trace_that_keeps_every_rule_is_kept():
    assert verdict(trace()) == (True, True, True, True)
    assert filtered(trace(), ALL).format_fault is None


def test_consensus_drops_where_they_did_not_agree():
    assert verdict(trace(agreed=False)) == (False, True, True, False)


@pytest.mark.parametrize("outcome", ["wrong", "undecided", "failed"])
def test_correctness_drops_what_is_not_right(outcome):
    assert verdict(trace(outcome=outcome)) == (True, True, False, False)


BREACHES = [
    ({"status": "failed", "reply": "", "thinking": None, "parse": "failed", "parse_error": "request: bad_request: no"},
     "the request failed: request: bad_request: no"),
    ({"status": "truncated"}, "the reply was cut off"),
    ({"status": "empty", "reply": " "}, "no reply after the thinking"),
    ({"reply": "", "thinking": None}, "empty reply"),
    ({"reply": "<think>more"}, "the thinking is not closed exactly once"),
    ({"reply": "so</think>that"}, "the thinking is not closed exactly once"),
    ({"thinking": "a</think>b"}, "the thinking is not closed exactly once"),
    ({"parse": "parse_error", "parse_error": "no verdict"}, "not readable: no verdict"),
]  # fmt: skip


@pytest.mark.parametrize("role", ROLES)
@pytest.mark.parametrize(("change", "fault"), BREACHES)
def test_format_drops_one_breach_of_any_role_and_nothing_else(role, change, fault):
    for thinking in ("required", "closed"):
        settings = TraceFilters(thinking=thinking)
        one = trace(role, turn_change=change)
        assert verdict(one, settings) == (True, False, True, False)
        assert filtered(one, settings).format_fault == f"{role} r0t00/{role}: {fault}"


@pytest.mark.parametrize("role", ROLES)
@pytest.mark.parametrize("thinking", [None, "", " \n"])
def test_thinking_is_asked_of_every_role_only_where_it_is_required(role, thinking):
    one = trace(role, turn_change={"thinking": thinking})
    assert filtered(one, ALL).format_fault == f"{role} r0t00/{role}: no thinking in tags"
    assert filtered(one, TraceFilters(thinking="closed")).format


@pytest.mark.parametrize("solution", ["so 2", "so \\boxed{2", "so \\boxed{ }", ""])
def test_an_answer_outside_a_box_is_a_breach_where_boxes_are_read(solution):
    assert verdict(trace(solution=solution)) == (True, False, True, False)
    assert filtered(trace(solution=solution), TraceFilters(boxed=False)).format
    assert not filtered(trace(solution=solution, grader="choice"), ALL).format
    for grader in ("code", "concepts"):
        assert filtered(trace(solution=solution, grader=grader), ALL).format


def test_the_first_breach_in_order_is_told():
    one = trace(solution="")
    turns = [one.model_copy(update={"reply": ""}) if one.role in ("critic", "evaluator") else one for one in one.turns]
    assert filtered(one.model_copy(update={"turns": tuple(turns)}), ALL).format_fault.startswith("critic")


@pytest.mark.parametrize(
    ("broken", "setting"), [({"agreed": False}, {"consensus": False}), ({"outcome": "wrong"}, {"correct": False})]
)
def test_a_filter_that_is_off_judges_and_drops_nothing(broken, setting):
    settings = TraceFilters.model_validate(setting)
    found = filtered(trace(**broken), settings)
    assert found.kept
    assert dropped_by(found, settings) == ()
    assert not (found.consensus and found.correctness)


def test_all_filters_judge_a_trace_that_breaks_all():
    one = trace("critic", agreed=False, outcome="wrong", turn_change={"reply": ""})
    assert verdict(one) == (False, False, False, False)
    assert dropped_by(filtered(one, ALL), ALL) == ("consensus", "format", "correctness")


def test_counts_tell_each_filter_apart_and_what_it_drops_alone():
    traces = [
        trace(), trace(agreed=False), trace(agreed=False, outcome="wrong"), trace(solution="no box", outcome="wrong"),
        trace(solution="no box"), trace(solution="no box"),
    ]  # fmt: skip
    counts = filter_counts([filtered(one, ALL) for one in traces], ALL)
    assert [(one.filter, one.on, one.judged, one.failed, one.only) for one in counts] == [
        ("consensus", True, 6, 2, 1), ("format", True, 6, 3, 2), ("correctness", True, 6, 2, 0),
    ]  # fmt: skip
    off = TraceFilters(consensus=False)
    counts = filter_counts([filtered(one, off) for one in traces], off)
    assert [(one.on, one.failed, one.only) for one in counts] == [(False, 2, 0), (True, 3, 2), (True, 2, 1)]


def test_the_first_kept_attempt_of_a_question_is_used_in_the_order_of_the_questions():
    judged = [
        filtered(one, ALL)
        for one in (
            trace(question="b", attempt=2), trace(question="b", attempt=1), trace(question="b", attempt=0, agreed=False),
            trace(question="a"), trace(question="c", outcome="wrong"),
        )
    ]  # fmt: skip
    assert [(one.question, one.attempt) for one in used(judged, ["c", "b", "a"])] == [("b", 1), ("a", 0)]
    assert [one.question for one in used(judged, ["c", "b", "a"], target=1)] == ["b"]


def test_a_kept_trace_of_a_question_that_was_not_selected_is_refused():
    with pytest.raises(ValueError, match="'p' first"):
        used([filtered(trace(), ALL)], ["a"])
