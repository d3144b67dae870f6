"""Verdicts of agents: exactly one of two words in the place for it, or none at all."""

import json
from collections.abc import Callable

import pytest
from jsonschema import Draft202012Validator

from tmas_assets.agents import Ask, Limits, bug_report, feedback
from tmas_assets.agents.verdict import VerdictError, marked, of_json
from tmas_assets.records import Call, Problem, Rollout

WORDS = ("correct", "incorrect")


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("All fine.\nVerdict: correct", "correct"),
        ("Step 2 fails.\nVerdict: incorrect", "incorrect"),
        ("Nothing here is incorrect.\n**Verdict:** Correct.", "correct"),
        ("This is correct so far, but step 3 is not.\n\n## Final verdict: `incorrect`  \n", "incorrect"),
        (r"Verdict: \boxed{\text{incorrect}}", "incorrect"),
        ("Verdict: correct\nNo, step 4 drops a sign.\nVerdict: incorrect", "incorrect"),
    ],
)
def test_the_last_line_of_a_verdict_counts_whatever_stands_around_it(text: str, word: str) -> None:
    assert marked(text, WORDS)[0] == word


@pytest.mark.parametrize(
    "text",
    [
        "", "correct", "The solution is correct.", "Verdict: not correct", "Verdict: correct or incorrect",
        "Verdict: v", "Verdict: correct, with one gap", "Verdict: partially correct", "Verdict:", "Verdict: cor",
        "My verdict is correct", "Verdict: correct\nVerdict: unsure", "Verdict: incorrectly stated", "Verdict: uncorrect",
    ],
)  # fmt: skip
def test_what_is_not_wholly_one_of_the_words_is_no_verdict(text: str) -> None:
    with pytest.raises(VerdictError):
        marked(text, WORDS)


@pytest.mark.parametrize("value", [True, False, 1, 0, None, ["correct"], "", "not correct", "true"])
def test_a_field_that_is_no_word_is_refused(value: object) -> None:
    with pytest.raises(VerdictError):
        of_json(value, WORDS)  # type: ignore[arg-type]


@pytest.mark.parametrize("agent", [bug_report, feedback])
def test_a_reply_that_repeats_the_task_holds_no_verdict(
    agent: "type[bug_report]", problem: Problem, ask: Callable[..., Ask], rollout: Callable[..., Rollout], call: Callable[..., Call]
) -> None:
    for structured in (False, True):
        request = agent.ask(problem, ask(structured=structured), proof=False, rollout=rollout("x"), limits=Limits())
        assert agent.read(call(request.messages[-1].content)).parse == "parse_error"


@pytest.mark.parametrize("agent", [bug_report, feedback])
def test_both_forms_are_read_and_each_reply_of_the_schema(
    agent: "type[bug_report]", problem: Problem, ask: Callable[..., Ask], rollout: Callable[..., Rollout], call: Callable[..., Call]
) -> None:
    request = agent.ask(problem, ask(structured=True), proof=True, rollout=rollout("x"), limits=Limits())
    for word, score in zip(agent.WORDS, (1.0, 0.0), strict=True):
        reply = {"report": "The sum is seven.", "verdict": word}
        Draft202012Validator(json.loads(request.response_schema or "")).validate(reply)
        for text in (json.dumps(reply), f"The sum is seven.\nVerdict: {word}"):
            read = agent.read(call(text))
            assert (read.score, read.critique, read.parse) == (score, "The sum is seven.", "parsed")


@pytest.mark.parametrize(
    ("answer", "critique"),
    [
        ("Step 2 drops a sign.", "Step 2 drops a sign."),
        ("Step 2 drops a sign.\nVerdict: unsure", "Step 2 drops a sign.\nVerdict: unsure"),
        ('{"report": "step 2", "verdict": "maybe"}', ""),
        ('{"report": "step 2 is wro', ""),
    ],
)
def test_without_a_verdict_prose_is_kept_and_broken_json_is_not(
    call: Callable[..., Call], answer: str, critique: str
) -> None:
    read = feedback.read(call(answer))
    assert (read.score, read.critique, read.parse) == (None, critique, "parse_error")
    assert read.parse_error


def test_a_verdict_cut_off_says_so_and_no_reply_is_failed(call: Callable[..., Call]) -> None:
    assert "cut off after 64 tokens" in (bug_report.read(call("Verdict: cor", status="truncated")).parse_error or "")
    assert bug_report.read(call("", status="empty")).parse == "failed"
