"""The agents of tree of thoughts: what each shows of a state, and what becomes of every kind of reply."""

import json

import pytest
from jsonschema import Draft202012Validator

from tmas_assets.agents import Limits, thought_proposals, thought_sample, thought_value, thought_vote
from tmas_assets.records import Failure

LIMITS = Limits()


def asked(problem, ask, *, text="6/2 = 3.", structured=False, limits=LIMITS):
    a = ask(structured=structured)
    return {
        "step": thought_sample.ask(problem, a, text=text, finish=False, limits=limits),
        "finish": thought_sample.ask(problem, a, text=text, finish=True, limits=limits),
        "proposal": thought_proposals.ask(problem, a, text=text, count=3, limits=limits),
        "value": thought_value.ask(problem, a, text=text, limits=limits),
    }


def user(request):
    return request.messages[-1].content


def test_all_requests_about_a_state_begin_with_problem_and_state_and_end_with_their_task(problem, ask):
    made = asked(problem, ask)
    start = f"Problem: {problem.statement}\n\nSolution so far:\n~~~\n6/2 = 3.\n~~~\n\n"
    assert all(user(request).startswith(start) and "Task: " in user(request) for request in made.values())
    assert len({request.messages[0] for request in made.values()}) == 1
    assert {name: request.role for name, request in made.items()} == {
        "step": "solution", "finish": "solution", "proposal": "proposal", "value": "value",
    }  # fmt: skip


def test_the_root_shows_no_solution(problem, ask):
    for name in ("step", "proposal"):
        assert "so far:" not in user(asked(problem, ask, text="")[name])


@pytest.mark.parametrize(
    ("grader", "step", "finish"),
    [("math", r"final answer, put that in \boxed{}", r"final answer in \boxed{}"),
     ("choice", r"put its letter in \boxed{}", r"letter of the one right option in \boxed{}"),
     ("code", None, "```python block"), ("concepts", None, "Write the text that is asked for")],
)  # fmt: skip
def test_a_step_may_give_a_boxed_answer_and_what_is_graded_whole_is_handed_in_by_the_finish(problem, ask, grader, step, finish):
    made = asked(problem.model_copy(update={"grader": grader}), ask)
    for name in ("step", "proposal"):
        assert (step in user(made[name])) if step else ("boxed" not in user(made[name]))
    assert finish in user(made["finish"])


def test_a_long_state_is_cut_and_a_state_cannot_close_its_fence(problem, ask):
    made = asked(problem, ask, text="step " * 900 + "~~~~ end", limits=Limits(rollout_chars=300))
    for request in made.values():
        block = user(request).split("so far:\n")[1].split("\n\n")[0]
        assert block.startswith("~~~~~\n")
        assert "left out" in user(request)
        assert len(block) < 330


@pytest.mark.parametrize(
    ("answer", "steps"),
    [
        ('{"steps": ["add 4", " box \\boxed{7} "]}', ("add 4", r"box \boxed{7}")),
        ("Step 1: add 4\nStep 2: multiply\nby 2", ("add 4", "multiply\nby 2")),
        ("**Step 1:** add 4\n\n**Step 2:** so \\boxed{7}", ("add 4", r"so \boxed{7}")),
        ("1. add 4\n2. do\n   1. this\n   2. that\n3) box", ("add 4", "do\n   1. this\n   2. that", "box")),
        ("Well:\nStep 1: add 4", ("add 4",)),
    ],
)
def test_both_forms_of_proposals_are_read(call, answer, steps):
    found = thought_proposals.read(call(answer), count=3)
    assert found.parse == "parsed"
    assert found.proposals.steps == steps


def test_proposals_over_the_count_or_without_words_are_left_aside_and_counted(call):
    found = thought_proposals.read(call('{"steps": ["a", "...", "b", "c", "d"]}'), count=3)
    assert found.proposals.steps == ("a", "b", "c")
    assert found.parse_error == "left aside: 2 of 5 steps, empty or over 3"


@pytest.mark.parametrize("answer", ["Add four.", "Step 2: add", '{"steps": []}', '{"steps": "add"}', '{"steps": ["ad', "Step 1:"])
def test_a_reply_without_steps_is_a_parse_error(call, answer):
    found = thought_proposals.read(call(answer), count=3)
    assert (found.proposals, found.parse) == (None, "parse_error")
    assert found.parse_error


@pytest.mark.parametrize(
    ("answer", "score"),
    [("All right.\nVerdict: sure", 1.0), ('{"report": "maybe", "verdict": "Likely"}', 0.5), ("**Verdict:** impossible.", 0.0)],
)
def test_both_forms_of_a_value_are_read(call, answer, score):
    assert thought_value.read(call(answer)).score == score


@pytest.mark.parametrize(
    "answer",
    ["It is surely right.", "Verdict: unsure", "Verdict: not impossible", "Verdict: sure or likely", "sure",
     '{"report": "x", "verdict": 1}', '{"report": "x", "verdict": "sure thing"}', '{"report": "cut'],
)  # fmt: skip
def test_no_other_word_is_a_value(call, answer):
    found = thought_value.read(call(answer))
    assert (found.score, found.parse) == (None, "parse_error")
    assert found.parse_error


def test_a_vote_shows_all_states_numbered_each_with_its_share(problem, ask):
    made = thought_vote.ask(problem, ask(), texts=["x" * 900, "short"], limits=Limits(round_chars=600))
    text = user(made)
    assert text.index("Solution 1 so far:\n~~~\nxxx") < text.index("Solution 2 so far:\n~~~\nshort\n~~~")
    assert "left out" in text
    assert "Compare the 2 solutions" in text


@pytest.mark.parametrize(
    ("answer", "number"),
    [("2 is best.\nVerdict: 2", 2), ('{"reason": "x", "verdict": 3}', 3), ('{"reason": "x", "verdict": "1"}', 1),
     (r"Verdict: \boxed{3}", 3)],
)  # fmt: skip
def test_both_forms_of_a_vote_are_read(call, answer, number):
    assert thought_vote.read(call(answer), count=3).ballot.number == number


@pytest.mark.parametrize(
    "answer",
    ["Solution 2 is best.", "Verdict: 4", "Verdict: 0", "Verdict: 1 or 2", "Verdict: 12", '{"verdict": true}',
     '{"verdict": 2.5}', '{"verdict": 4}', '{"verdict": [1]}'],
)  # fmt: skip
def test_a_number_that_is_no_state_is_no_vote(call, answer):
    found = thought_vote.read(call(answer), count=3)
    assert (found.ballot, found.parse) == (None, "parse_error")
    assert found.parse_error


@pytest.mark.parametrize("max_tokens", [64, 256, 4096])
def test_a_reply_of_the_schema_is_read_whatever_the_budget(problem, ask, call, max_tokens):
    a = ask(max_tokens=max_tokens, structured=True)
    cases = (
        (thought_proposals.ask(problem, a, text="", count=2, limits=LIMITS), {"steps": ["Add the four."]},
         lambda c: thought_proposals.read(c, count=2).proposals),
        (thought_value.ask(problem, a, text="x", limits=LIMITS), {"report": "All is well.", "verdict": "likely"},
         lambda c: thought_value.read(c).score),
        (thought_vote.ask(problem, a, texts=["x", "y"], limits=LIMITS), {"reason": "All is well.", "verdict": 2},
         lambda c: thought_vote.read(c, count=2).ballot),
    )  # fmt: skip
    for request, reply, read in cases:
        schema = json.loads(request.response_schema)
        Draft202012Validator.check_schema(schema)
        assert list(schema["properties"]) == list(reply)
        Draft202012Validator(schema).validate(reply)
        assert read(call(json.dumps(reply))) is not None
        assert "JSON object" in user(request)


def test_without_structured_output_the_marked_form_is_asked_for(problem, ask):
    made = asked(problem, ask) | {"vote": thought_vote.ask(problem, ask(), texts=["x", "y"], limits=LIMITS)}
    assert not any("JSON" in user(request) or request.response_schema for request in made.values())
    assert "Step 1:" in user(made["proposal"])
    assert "Verdict: sure" in user(made["value"])
    assert "Verdict: n" in user(made["vote"])


def test_no_reply_is_failed_and_says_why(call):
    gone = call("", status="failed", failure=Failure(boundary="context", kind="context_overflow", detail="too long"))
    for found in (thought_proposals.read(gone, count=2), thought_value.read(gone), thought_vote.read(gone, count=2)):
        assert found.parse == "failed"
        assert "context_overflow" in found.parse_error
