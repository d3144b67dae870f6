"""The question reviewer: what it is shown, and that every reply is a review as a whole or a parse error."""

import json
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from tests.strategies.adaptive import call_of
from tmas_assets.agents import Limits, prompt_digests, question_review
from tmas_assets.agents.question_review import DISCIPLINES, read, schema
from tmas_assets.records import Failure, Sampling


def reply(disciplines=("physics", "mathematics"), difficulty=4):
    return json.dumps({"disciplines": list(disciplines), "difficulty": difficulty})


def told(call, text, **more):
    found = read(call(text, **more))
    return found.disciplines, found.difficulty


def broken(found):
    return found.parse == "parse_error" and found.difficulty is None and found.disciplines == () and bool(found.parse_error)


def test_the_statement_is_shown_and_no_gold(problem, ask):
    asked = question_review.ask(problem.model_copy(update={"answer": "7 is the gold"}), ask(), limits=Limits())
    text = "".join(message.content for message in asked.messages)
    assert problem.statement in text
    assert "the gold" not in text


def test_the_subject_is_not_told_by_the_grader(problem, ask):
    made = {
        question_review.ask(problem.model_copy(update={"grader": grader}), ask(), limits=Limits()).messages
        for grader in ("math", "integer", "choice", "code")
    }
    [messages] = made
    assert "mathematics" not in messages[0].content


def test_every_discipline_is_named_in_the_prompt(problem, ask):
    for structured in (True, False):
        text = question_review.ask(problem, ask(structured=structured), limits=Limits()).messages[-1].content
        assert all(one in text for one in DISCIPLINES)


def test_only_a_structured_request_carries_the_schema(problem, ask):
    made = [question_review.ask(problem, ask(structured=on), limits=Limits()) for on in (True, False)]
    assert [one.response_schema for one in made] == [schema(), None]
    assert "JSON" in made[0].messages[-1].content
    assert "JSON" not in made[1].messages[-1].content


def test_the_schema_takes_what_the_list_holds_and_nothing_else():
    checker = Draft202012Validator(json.loads(schema()))
    assert checker.is_valid({"disciplines": ["physics"], "difficulty": 5})
    for bad in (
        {"disciplines": [], "difficulty": 5}, {"disciplines": ["history"], "difficulty": 5}, {"disciplines": ["physics"], "difficulty": 6},
        {"disciplines": ["physics"] * 4, "difficulty": 5}, {"disciplines": ["physics"]},
        {"disciplines": ["physics"], "difficulty": 5, "reason": "x"},
    ):  # fmt: skip
        assert not checker.is_valid(bad)


def test_a_reply_under_the_schema_fits_the_shortest_budget():
    """A token a character is more than any tokenizer needs."""
    longest = max(DISCIPLINES, key=len)
    assert len(json.dumps({"disciplines": [longest] * 3, "difficulty": 5})) < 100
    assert question_review.schemas(Sampling(max_tokens=100)) == question_review.schemas(Sampling(max_tokens=4096))


@given(st.lists(st.sampled_from(DISCIPLINES), min_size=1, max_size=3), st.integers(1, 5))
def test_every_reply_of_the_schema_is_read(disciplines, difficulty):
    found = read(call_of(reply(disciplines, difficulty)))
    assert (found.disciplines, found.difficulty, found.parse) == (tuple(dict.fromkeys(disciplines)), difficulty, "parsed")


@pytest.mark.parametrize(
    "text",
    [
        "Disciplines: physics, mathematics\nDifficulty: 4",
        "It is hard.\n\n**Disciplines:** Physics and Math\n**Difficulty:** 4/5",
        "Difficulty: 4 out of 5\nDisciplines: physics; mathematics.",
        "Disciplines:\n- physics\n- maths\n\nDifficulty: four. It needs its own idea.",
        'So: ```json\n{"disciplines": ["Physics", "mathematics", "physics"], "difficulty": "4"}\n```',
        reply() + "\nDisciplines: physics, mathematics\nDifficulty: 4",
    ],
)
def test_both_forms_are_read(call, text):
    assert told(call, text) == (("physics", "mathematics"), 4)


@pytest.mark.parametrize(
    "text",
    [
        "Difficulty: 4", "Disciplines: physics", "Disciplines: \nDifficulty: 4", "physics 4", reply(difficulty=0), reply(difficulty=6),
        reply(difficulty=3.5), reply(difficulty=True), reply(difficulty=None), reply(["history"]), reply([]), reply(["physics", "theology"]),
        "Disciplines: physics, economics\nDifficulty: 4", "Disciplines: not physics\nDifficulty: 4",
        "Disciplines: physics\nDifficulty: 3 or 4", "Disciplines: physics\nDifficulty: 3-4", "Disciplines: physics\nDifficulty: 4/10",
        "Disciplines: physics\nDifficulty: 4\nDifficulty: 5", "> Disciplines: physics\n> Difficulty: 4", "Disciplines: physics\nDifficulty: hard",
        '{"disciplines": "physics", "difficulty": 4}', '{"disciplines": ["physics"], "difficulty": 4', reply() + "\nDifficulty: 2",
        reply() + "\nDisciplines: biology",
    ],
)  # fmt: skip
def test_what_is_not_plainly_a_review_is_a_parse_error(call, text):
    assert broken(read(call(text)))


@pytest.mark.parametrize("text", ["Disciplines: physics\nDifficulty: 4", reply() + " and on the other hand"])
def test_a_value_that_a_cut_off_reply_ends_with_may_go_on(call, text):
    found = read(call(text, "truncated"))
    assert broken(found)
    assert "cut off after 64 tokens" in found.parse_error


def test_a_failed_request_is_no_parse_error(call):
    found = read(call("", "failed", Failure(boundary="request", kind="bad_request", detail="no")))
    assert (found.parse, found.difficulty, found.parse_error) == ("failed", None, "request: bad_request: no")
    assert read(call(" ", "empty")).parse == "failed"


def test_the_review_names_its_call_and_model(call):
    assert (read(call(reply())).call, read(call("?")).call, read(call(reply())).model) == ("k", "k", "m")


@given(st.text(max_size=80))
def test_any_text_is_a_review_or_an_error(text):
    found = read(call_of(text))
    assert (found.parse == "parsed") == (found.difficulty is not None) == bool(found.disciplines)


@pytest.mark.parametrize("piece", ["**", "physics,", "Difficulty: 4\n", "Disciplines: physics\n", " \t", "* `", "[(", '{"disciplines":', "and "])
def test_a_flood_takes_no_time(call, piece):
    for begin in ("", "Difficulty: ", "Disciplines: "):
        started = time.process_time()
        read(call(begin + piece * (60_000 // len(piece))))
        assert time.process_time() - started < 10


def test_the_digest_covers_prompt_and_schema(monkeypatch):
    before = prompt_digests([question_review])
    monkeypatch.setattr(question_review, "MOST", 2)
    assert prompt_digests([question_review]) != before
    assert list(before) == ["question_review.txt"]
