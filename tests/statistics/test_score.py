"""Pass@1 of an iteration: both denominators, missing and unequal answers, refusals."""

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tmas_assets.records import CompletionStatus, Failure, Grade, Outcome, Score
from tmas_assets.statistics import headline, mean_interval, score_iteration


def grade(
    problem: str,
    candidate: int,
    outcome: Outcome = "right",
    *,
    repeat: int = 0,
    iteration: int = 1,
    completion: CompletionStatus = "complete",
    repetitive: bool = False,
    grader: str = "math",
    version: str = "1",
    problem_digest: str = "d",
) -> Grade:
    broke = Failure(boundary="grader", kind="timeout", detail="") if outcome == "failed" else None
    return Grade(
        problem=problem, problem_digest=problem_digest, rollout=f"r{repeat}t{iteration:02}c{candidate}", repeat=repeat,
        iteration=iteration, candidate=candidate, outcome=outcome, rule_outcome=outcome,
        judgement=None, unsandboxed=False, extracted=None, gold="1", grader=grader,
        grader_version=version, failure=broke, completion=completion, repetitive=repetitive, rollouts_digest="r",
    )  # fmt: skip


def score(grades: Sequence[Grade], problems: Sequence[str], answers: int) -> Score:
    return score_iteration(
        tuple(grades), problems=problems, answers_per_problem=answers, experiment="e", benchmark="b", release="1",
        iteration=1, grades_digest="g",
    )  # fmt: skip


def test_O08_errors_show_in_both_denominators() -> None:
    outcomes: list[Outcome] = ["right"] * 2 + ["wrong"] * 4 + ["failed"] * 2
    one = score([grade("p", i, outcome) for i, outcome in enumerate(outcomes)], ["p"], 8)
    assert one.value == 2 / 8
    assert one.value_answered == 2 / 6
    assert (one.right, one.wrong, one.undecided, one.failed, one.answers) == (2, 4, 0, 2, 8)


def test_undecided_answers_are_not_right_and_not_answered() -> None:
    one = score([grade("p", 0, "right"), grade("p", 1, "undecided")], ["p"], 2)
    assert (one.value, one.value_answered, one.undecided) == (0.5, 1.0, 1)


def test_only_failures_leave_nothing_to_divide_by_among_the_answered() -> None:
    one = score([grade("p", 0, "failed")], ["p"], 1)
    assert (one.value, one.value_answered) == (0.0, None)


def test_truncated_empty_and_repetitive_answers_are_counted_apart() -> None:
    grades = [
        grade("p", 0, "wrong", completion="truncated", repetitive=True),
        grade("p", 1, "wrong", completion="truncated"),
        grade("p", 2, "wrong", completion="empty"),
        grade("p", 3, repetitive=True),
    ]
    one = score(grades, ["p"], 4)
    assert (one.truncated, one.empty, one.repetitive, one.wrong, one.value) == (2, 1, 2, 3, 0.25)


def test_a_problem_without_grades_is_missing_and_not_wrong() -> None:
    one = score([grade("p", i) for i in range(4)], ["p", "q", "s"], 4)
    assert (one.value, one.problems, one.expected, one.missing) == (1.0, 1, 12, 8)


def test_E07_four_samples_on_one_and_three_on_another_use_three_of_both() -> None:
    full = [grade("p", i, "right" if i < 3 else "wrong") for i in range(4)]
    short = [grade("q", i, "wrong") for i in range(3)]
    one = score(full + short, ["p", "q"], 4)
    assert one.value == 3 / 6  # over all seven answers it would be 3/7, a figure no design defines
    assert (one.answers, one.left_out, one.missing, one.expected) == (6, 1, 1, 8)


def test_E07_the_answers_used_are_the_first_by_repeat_and_candidate_whatever_the_order() -> None:
    full = [grade("p", c, "right" if r == 0 else "wrong", repeat=r) for r in range(2) for c in range(2)]
    short = [grade("q", c) for c in range(2)]
    assert score(full[::-1] + short, ["p", "q"], 4) == score(short + full, ["p", "q"], 4)
    assert score(full[::-1] + short, ["p", "q"], 4).value == 1.0


def test_the_interval_is_over_problems_and_not_over_answers() -> None:
    grades = [grade(p, c, "right" if p < "p5" else "wrong") for p in (f"p{i}" for i in range(10)) for c in range(32)]
    one = score(grades, [f"p{i}" for i in range(10)], 32)
    expected = mean_interval([1.0] * 5 + [0.0] * 5)
    assert expected is not None
    assert (one.low, one.high, one.level) == (expected.low, expected.high, 0.95)


def test_no_grades_give_no_value_and_all_missing() -> None:
    one = score([], ["p", "q"], 8)
    assert (one.value, one.low, one.high, one.value_answered) == (None, None, None, None)
    assert (one.missing, one.answers, one.grader) == (16, 0, "")


def test_graders_of_a_mixed_benchmark_are_all_named() -> None:
    one = score([grade("p", 0, grader="math", version="2"), grade("q", 0, grader="choice", version="1")], ["p", "q"], 1)
    assert (one.grader, one.grader_version) == ("choice+math", "1+2")


@pytest.mark.parametrize(
    ("grades", "says"),
    [
        pytest.param([grade("p", 0, iteration=2)], "iteration 2", id="other-iteration"),
        pytest.param([grade("x", 0)], "not one of the 2 problems in scope", id="other-problem"),
        pytest.param([grade("p", 0), grade("p", 0)], "graded twice", id="twice"),
        pytest.param([grade("p", i) for i in range(3)], "answer number 3 where 2", id="too-many"),
        pytest.param([grade("p", 0), grade("p", 1, version="2")], "one grader in two versions", id="two-versions"),
        pytest.param([grade("p", 0), grade("p", 1, problem_digest="e")], "one version of the problem", id="digests"),
    ],
)
def test_grades_that_do_not_belong_together_are_refused_by_name(grades: list[Grade], says: str) -> None:
    with pytest.raises(ValueError, match=f"score of e, iteration 1.*{says}"):
        score(grades, ["p", "q"], 2)


@pytest.mark.parametrize(("problems", "answers"), [(["p", "p"], 1), (["p"], 0)])
def test_a_scope_that_cannot_be_counted_is_refused(problems: list[str], answers: int) -> None:
    with pytest.raises(ValueError, match="distinct"):
        score([], problems, answers)


OUTCOMES = st.lists(st.sampled_from(["right", "wrong", "undecided", "failed"]), max_size=6)


@given(st.dictionaries(st.sampled_from("abcdef"), OUTCOMES))
def test_counts_always_add_up(outcomes: dict[str, list[Outcome]]) -> None:
    one = score([grade(p, i, o) for p, own in outcomes.items() for i, o in enumerate(own)], "abcdef", 6)
    assert one.right + one.wrong + one.undecided + one.failed == one.answers
    assert one.answers + one.left_out + one.missing == one.expected == 36
    assert one.value is None or one.value == one.right / one.answers


def test_the_headline_is_the_last_whole_iteration() -> None:
    whole = [score([grade("p", 0)], ["p"], 1).model_copy(update={"iteration": t}) for t in (2, 0, 1)]
    partial = score([grade("p", 0)], ["p", "q"], 1).model_copy(update={"iteration": 3})
    empty = score([], ["p"], 1).model_copy(update={"iteration": 4})
    assert headline([empty, partial, *whole]) == whole[0]
    assert headline([empty, partial]) == partial
    assert headline([empty]) is None
    assert headline([]) is None
