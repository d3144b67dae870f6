"""JSON out of replies: LaTeX survives, the last object counts, and nothing but ReplyError is raised."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel, ConfigDict, JsonValue

from tmas_assets.agents.json_reply import MAX_CHARS, ReplyError, read


class Answer(BaseModel):
    answer: str


class Kept(BaseModel):
    kept: list[str]
    dropped: list[str]


class Verdict(BaseModel):
    correct: bool


class Anything(BaseModel):
    model_config = ConfigDict(extra="allow")
    __pydantic_extra__: dict[str, JsonValue]


@pytest.mark.parametrize(
    ("reply", "answer"),
    [
        (r'{"answer": "\frac{3}{8}"}', r"\frac{3}{8}"),
        (r'{"answer": "\\sqrt{2}"}', r"\sqrt{2}"),
        (r'{"answer": "\sqrt{2} \cdot \pi"}', r"\sqrt{2} \cdot \pi"),
        (r'{"answer": "\beta \times \rho \neq \nu"}', r"\beta \times \rho \neq \nu"),
        (r'{"answer": "\(x\) \[y\] \{1, 2\}"}', r"\(x\) \[y\] \{1, 2\}"),
        (r'{"answer": "a\nNext, b\tTab"}', "a\nNext, b\tTab"),
        (r'{"answer": "one\n\ntwo\\n"}', "one\n\ntwo\\n"),
        (r'{"answer": "\\\frac12"}', r"\\frac12".replace("\\\\", "\\" + "\\")),
        (r'{"answer": "say \"yes\" \/ \u00e9 \underline{x}"}', 'say "yes" / é \\underline{x}'),
        ('{"answer": "two\nlines"}', "two\nlines"),
    ],
)
def test_backslashes_come_out_as_they_were_meant(reply: str, answer: str) -> None:
    assert read(reply, Answer).answer == answer


@given(st.text(alphabet=st.characters(codec="utf-8", exclude_categories=["Cc"])))
def test_a_properly_escaped_text_comes_out_unchanged(text: str) -> None:
    assert read(json.dumps({"answer": text}, ensure_ascii=False), Answer).answer == text


@given(st.text(alphabet=st.sampled_from('ab{}"\\ \n$^_0')))
def test_a_text_with_braces_and_quotes_comes_out_unchanged(text: str) -> None:
    assert read("So: " + json.dumps({"answer": text}) + " done.", Answer).answer == text


def test_a_fence_and_prose_around_the_object_do_not_matter() -> None:
    reply = 'Here is the update:\n```json\n{"kept": ["lemma 2"], "dropped": []}\n```\nDone.'
    assert read(reply, Kept) == Kept(kept=["lemma 2"], dropped=[])


@pytest.mark.parametrize(("word", "verdict"), [('"false"', False), ('"true"', True), ("false", False), ("true", True)])
def test_a_boolean_in_quotes_is_the_boolean_it_says(word: str, verdict: bool) -> None:
    assert read(f'{{"correct": {word}, "reason": "sign error"}}', Verdict).correct is verdict


@pytest.mark.parametrize("word", ['"INCORRECT"', '"maybe"', "null", "2", '""'])
def test_any_other_word_for_a_boolean_is_an_error(word: str) -> None:
    with pytest.raises(ReplyError, match="correct"):
        read(f'{{"correct": {word}}}', Verdict)


def test_the_last_object_counts() -> None:
    assert read('Draft {"answer": "1"}, better {"answer": "2"}.', Answer).answer == "2"


def test_a_last_object_that_is_cut_off_or_of_another_shape_is_an_error_and_no_draft_stands_in() -> None:
    with pytest.raises(ReplyError, match="cannot be read"):
        read('Draft {"answer": "1"}, final {"answer": "2', Answer)
    with pytest.raises(ReplyError, match="answer: Field required"):
        read('Draft {"answer": "1"}, final {"result": "2"}', Answer)


def test_a_part_of_a_broken_object_does_not_pass_for_the_whole() -> None:
    with pytest.raises(ReplyError, match="cannot be read"):
        read('{"kept": [], "dropped": [], "why": {"text": "a"}, "more', Kept)


@pytest.mark.parametrize(
    ("reply", "reason"),
    [
        ("no braces", "no JSON object"),
        (r"the set \{1, 2\} and \frac{1}{2}", "no JSON object"),
        ('["answer"]', "no JSON object"),
        ('{"answer": "1", "answer": "2"}', "twice"),
        ('{"answer": NaN}', "NaN is no JSON number"),
        ('{"answer": ' + "9" * 5000 + "}", "cannot be read"),
        ('{"answer": ["x"]}', "answer: Input should be a valid string"),
        ('{"a":' * 50_000, "too deeply|cannot be read"),
        ("x" * (MAX_CHARS + 1), "longer than"),
    ],
    ids=["none", "latex", "list", "twice", "nan", "huge", "shape", "deep", "long"],
)
def test_what_is_no_such_object_is_an_error_that_says_why(reply: str, reason: str) -> None:
    with pytest.raises(ReplyError, match=reason):
        read(reply, Answer)


def test_what_databases_and_utf8_refuse_is_replaced() -> None:
    assert read(r'{"answer": "a\u0000b\ud800c"}', Answer).answer == "a\ufffdb\ufffdc"


@given(st.text() | st.text(alphabet=st.sampled_from('{}[]":,\\nutf08 \n')))
def test_nothing_but_a_reply_error_is_raised_and_what_is_read_can_be_stored(reply: str) -> None:
    try:
        value = read(reply, Anything)
    except ReplyError:
        return
    value.model_dump_json().encode()


@pytest.mark.parametrize("piece", ["{", '{"', '{"a":[', '{"a":"', "\\", "\\n", '\\"', "```json\n", '{"a":{"b":1},'])
def test_a_flood_is_read_in_linear_time(piece: str) -> None:
    with pytest.raises(ReplyError):
        read(piece * (MAX_CHARS // len(piece)), Answer)
