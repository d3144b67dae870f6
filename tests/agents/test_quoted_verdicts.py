"""Replies that quote, contradict or break off: what somebody else wrote, or the reply takes back, is never its verdict."""

import pytest

from tmas_assets.agents import bug_report, feedback, thought_value, thought_vote, verification
from tmas_assets.agents.decision import choice, order
from tmas_assets.agents.mas_tts import ceo, critic, evaluator

ROLES = {
    "verifier": (lambda call: bug_report.read(call).score, "report", "Verdict: {}", "correct", "incorrect", 0.0),
    "feedback": (lambda call: feedback.read(call).score, "report", "Verdict: {}", "right", "wrong", 0.0),
    "critic": (lambda call: critic.read(call).score, "report", "Verdict: {}", "agree", "disagree", 0.0),
    "value": (lambda call: thought_value.read(call).score, "report", "Verdict: {}", "sure", "impossible", 0.0),
    "evaluator": (lambda call: evaluator.read(call).score, "advice", "Verdict: {}", "accept", "reject", 0.0),
    "vote": (lambda call: (thought_vote.read(call, count=3).ballot or VOTE).number, "reason", "Verdict: {}", "1", "2", 2),
    "score": (lambda call: verification.read(call).score, "critique", "Score: \\boxed{{{}}}", "1", "0", 0.0),
}
VOTE = thought_vote.Ballot.model_construct(number=None)
roles = pytest.mark.parametrize("role", ROLES)


def said(role, text, call, status="complete"):
    """What is read of `text` with its marks filled in: LINE+ and LINE- are marked verdicts that pass and do not, JSON+ and
    JSON- objects with one."""
    read, key, line, passes, fails, _ = ROLES[role]
    field = "score" if role == "score" else "verdict"
    for sign, word in (("+", passes), ("-", fails)):
        text = text.replace(f"LINE{sign}", line.format(word)).replace(f"WORD{sign}", word)
        text = text.replace(f"JSON{sign}", f'{{"{key}": "so", "{field}": "{word}"}}')
    return read(call(text.replace("KEY", key).replace("FIELD", field), status))


@roles
@pytest.mark.parametrize(
    "text",
    [
        "The solver writes:\nLINE+\nbut that is false, step 2 fails.",
        "> LINE+\n\nThis is what the solution claims.",
        "> LINE+",
        "~~~\nLINE+\n~~~\nis what the solver wrote.",
        '{"KEY": "he says "JSON+" but no", "FIELD": "WORD-"}',
        '{"KEY": "he says } "JSON+" but no", "FIELD": "WORD-"}',
        '{"KEY": "a", "quoted": JSON+, "FIELD": "WORD-", "FIELD": "WORD-"}',
        '{"KEY": "a", "x": NaN, "quoted": JSON+, "FIELD": "WORD-"}',
        '{"KEY": "he says "JSON+" but',
        '{"KEY": "' + "{ " * 300 + '"JSON+" but no", "FIELD": "WORD-"}',
        "The solver wrote LINE+\nwhich I do not.",
    ],
)
def test_a_quoted_verdict_is_none(call, role, text):
    assert said(role, text, call) is None


@roles
@pytest.mark.parametrize("text", ["The solver says\nLINE+", "LINE+", "JSON+, wrote the solver, but step", "Step 2 fails. LINE+\nThe"])
def test_a_verdict_that_a_cut_off_reply_ends_with_is_none(call, role, text):
    assert said(role, text, call, "truncated") is None


@roles
@pytest.mark.parametrize("text", ["JSON+\nWait, step 2 is wrong.\nLINE-", "The solver wrote JSON+, which I leave aside.\nLINE-"])
def test_a_verdict_behind_an_object_is_never_overruled_by_it(call, role, text):
    assert said(role, text, call) in (None, ROLES[role][-1])


@roles
@pytest.mark.parametrize(
    "text",
    ["JSON+ at first.\nJSON-", "No.\n**LINE-**", "```\nLINE-\n```", "LINE-\n\n---\n", "```json\nJSON-\n```\nDone.", "JSON-\nLINE-"],
)
def test_what_the_reply_itself_says_last_is_read(call, role, text):
    assert said(role, text, call) == ROLES[role][-1]


@roles
@pytest.mark.parametrize("text", ["WORD+", "LINE+ or WORD-", "not LINE+ly", "", "LINE+ish", '{"KEY": "so", "FIELD": ["WORD+"]}'])
def test_what_is_not_plainly_a_verdict_is_none(call, role, text):
    assert said(role, text, call) is None


@pytest.mark.parametrize(
    ("text", "status"),
    [
        ("Action: continue\nExperts: 2\nDirection: x\nTokens: 20", "truncated"),
        ("> Action: stop\n> Reason: said the solution", "complete"),
        ('{"action": "stop"}, said the solution, but', "truncated"),
        ('{"action": "stop"}\nNo:\nAction: continue\nExperts: 2\nTokens: 2048', "complete"),
    ],
)
def test_an_order_that_is_quoted_cut_off_or_taken_back_is_none(call, text, status):
    assert ceo.read(call(text, status)).order is None


def test_a_labelled_reply_that_was_cut_off_loses_the_value_it_ends_with(call):
    assert order.read(call("Action: stop\nTokens: 20", "truncated")).tokens is None
    assert choice.read(call("Reason: so\nDecision: go", "truncated")).choice is None
    assert choice.read(call("Reason: so\n> Decision: go", "complete")).choice is None
