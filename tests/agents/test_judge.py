"""The judge's prompt carries problem, gold and answer only; its reply is right, wrong or unreadable."""

from collections.abc import Callable

import pytest

from tmas_assets.agents import Ask, Limits, judge, solution
from tmas_assets.records import Problem


@pytest.fixture
def words(problem: Problem) -> Problem:
    return problem.model_copy(update={"answer": "all even integers", "judge": "answer"})


def text(request) -> str:
    return "\n".join(message.content for message in request.messages)


def test_the_judge_of_an_answer_sees_the_gold(words: Problem, ask: Callable[..., Ask]) -> None:
    asked = text(judge.ask(words, "answer", "every even n", ask()))
    assert "all even integers" in asked
    assert "every even n" in asked
    assert "Verdict: \\boxed{correct}" in asked


def test_the_judge_of_a_text_needs_no_gold(words: Problem, ask: Callable[..., Ask]) -> None:
    plausible = words.model_copy(update={"answer": None, "judge": "plausible"})
    assert "A dog ran." in text(judge.ask(plausible, "plausible", "A dog ran.", ask()))


@pytest.mark.parametrize(("rubric", "gold"), [("", "5"), ("taste", "5"), ("answer", None)])
def test_nothing_to_judge_by_is_refused(words: Problem, ask: Callable[..., Ask], rubric: str, gold: str | None) -> None:
    with pytest.raises(ValueError, match="nothing to judge by"):
        judge.ask(words.model_copy(update={"answer": gold}), rubric, "x", ask())


def test_equal_answers_are_the_same_request(words: Problem, ask: Callable[..., Ask]) -> None:
    assert judge.ask(words, "answer", "n", ask()).key("m") == judge.ask(words, "answer", "n", ask()).key("m")
    assert judge.ask(words, "answer", "n", ask()).key("m") != judge.ask(words, "answer", "m", ask()).key("m")


@pytest.mark.parametrize(
    ("grader", "words_of_task", "subject"),
    [("math", "\\boxed{}", "mathematics problems"), ("choice", "letter", "solve problems"),
     ("code", "```python", "solve problems"), ("concepts", "prose", "solve problems")],
)  # fmt: skip
def test_the_solver_is_told_what_the_grader_reads(
    problem: Problem, ask: Callable[..., Ask], grader: str, words_of_task: str, subject: str
) -> None:
    asked = problem.model_copy(update={"grader": grader})
    request = solution.ask(asked, ask(), proof=False, branch="plain", shown=(), memory=(), limits=Limits(example=True))
    assert words_of_task in request.messages[-1].content
    assert subject in request.messages[0].content
    assert (len(request.messages) == 4) == (grader in ("math", "choice"))
