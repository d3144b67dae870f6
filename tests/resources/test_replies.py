"""Bodies of chat completions, as servers send them, read into status, answer and thinking."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from resources.chat.replies import STORED_CHARACTERS, UnreadableReply, read_reply
from tmas_assets.records import Usage


def body(content: Any, finish: Any = "stop", usage: Any = None, **message: Any) -> dict[str, Any]:
    choice = {"index": 0, "message": {"role": "assistant", "content": content, **message}, "finish_reason": finish}
    return {"choices": [choice]} if usage is None else {"choices": [choice], "usage": usage}


@pytest.mark.parametrize("name", ["reasoning", "reasoning_content"])
def test_both_names_of_the_reasoning_field_are_read(name: str) -> None:
    reading = read_reply(body("\n\n364", **{name: "14*26 = 364"}))
    assert (reading.thinking, reading.answer.strip(), reading.thinking_split) == ("14*26 = 364", "364", "server")
    assert reading.status == "complete"


def test_a_closing_tag_alone_is_cut_by_us() -> None:
    reading = read_reply(body("thought</think>\n\n364", reasoning_content=None))
    assert (reading.thinking, reading.answer, reading.thinking_split) == ("thought", "364", "client")


def test_an_opening_tag_that_never_closes_is_no_answer() -> None:
    cut = read_reply(body("<think>the answer may be \\boxed{5}", "length"))
    assert (cut.status, cut.answer, cut.thinking_split) == ("truncated", "", "client")
    ended = read_reply(body("<think>the answer may be \\boxed{5}", "stop"))
    assert (ended.status, ended.answer) == ("empty", "")


def test_budget_spent_in_the_thinking_is_truncated_without_answer() -> None:
    reading = read_reply(body(None, "length", reasoning_content="Let me count the pairs"))
    assert (reading.status, reading.answer, reading.thinking) == ("truncated", "", "Let me count the pairs")


def test_a_cut_answer_is_kept_and_says_so() -> None:
    reading = read_reply(body("The sum is \\boxed{1", "length", reasoning_content="short"))
    assert (reading.status, reading.answer) == ("truncated", "The sum is \\boxed{1")


@pytest.mark.parametrize("content", ["", None, "  \n ", [], "<think>x</think>"])
def test_nothing_after_the_thinking_is_empty_whatever_the_reasoning_says(content: Any) -> None:
    assert read_reply(body(content, "stop", reasoning="so 5")).status == "empty"


def test_stop_strings_cut_the_answer_and_never_the_thinking() -> None:
    reading = read_reply(body("a\n\nb</think>\n\nfirst\n\nsecond STOP third", "length"), stop=("STOP", "\n\n"))
    assert (reading.thinking, reading.answer) == ("a\n\nb", "first")
    assert (reading.finish_reason, reading.status) == ("stop", "complete")
    assert read_reply(body("no such", "length"), stop=("STOP",)).status == "truncated"


@pytest.mark.parametrize(
    ("finish", "expected", "status"),
    [
        ("stop", "stop", "complete"),
        ("length", "length", "truncated"),
        ("tool_calls", "tool_calls", "complete"),
        ("function_call", "tool_calls", "complete"),
        (None, "unknown", "complete"),
        ("eos_token", "unknown", "complete"),
        (7, "unknown", "complete"),
        ("repetition", "unknown", "truncated"),
    ],
)
def test_finish_reasons_are_a_closed_set(finish: Any, expected: str, status: str) -> None:
    reading = read_reply(body("364", finish))
    assert (reading.finish_reason, reading.status) == (expected, status)
    assert reading.repetitive == (finish == "repetition")


@pytest.mark.parametrize(
    ("reply", "kind"),
    [
        (body("half an ans", "content_filter"), "content_filter"),
        (body(None, "tool_calls", tool_calls=[{"id": "1", "function": {"name": "search"}}]), "tool_calls"),
        (body(None, "stop", tool_calls=[{"id": "1"}]), "tool_calls"),
        (body(None, "stop", refusal="I cannot help with that."), "refusal"),
    ],
)
def test_replies_that_are_no_answer_fail_on_the_models_side(reply: dict[str, Any], kind: str) -> None:
    reading = read_reply(reply)
    assert reading.status == "failed"
    assert reading.failure is not None
    assert (reading.failure.boundary, reading.failure.kind) == ("model", kind)


@pytest.mark.parametrize(
    "reply",
    [None, "text", [], 3, {}, {"choices": []}, {"choices": None}, {"choices": [{"message": None}]}, {"error": "busy"}],
)
def test_bodies_of_another_shape_are_unreadable(reply: object) -> None:
    with pytest.raises(UnreadableReply) as caught:
        read_reply(reply)
    assert caught.value.reason == "bad_body"


@pytest.mark.parametrize("finish", ["abort", "error"])
def test_a_request_the_server_gave_up_is_unreadable(finish: str) -> None:
    with pytest.raises(UnreadableReply) as caught:
        read_reply(body("a fragment", finish))
    assert caught.value.reason == "aborted"


@pytest.mark.parametrize("where", ["content", "reasoning"])
def test_endless_repetition_is_flagged_and_stored_short_with_its_end(where: str) -> None:
    text = "The value of x is therefore two. " * 5000 + "\\boxed{2}"
    reply = body(text, "length") if where == "content" else body("\\boxed{2}", "stop", reasoning=text)
    reading = read_reply(reply)
    stored = reading.answer if where == "content" else reading.thinking
    assert reading.repetitive
    assert stored is not None
    assert len(stored) == STORED_CHARACTERS
    assert stored.endswith("\\boxed{2}")
    assert "left out]" in stored


def test_a_long_reply_that_does_not_repeat_is_stored_whole() -> None:
    text = "\n".join(f"{n}: {n * n * 7919 % 1000003} and {n**3 % 99991}" for n in range(6000))
    reading = read_reply(body(text))
    assert not reading.repetitive
    assert reading.answer == text


@pytest.mark.parametrize(
    ("usage", "expected"),
    [
        (None, Usage()),
        ({}, Usage()),
        ("many", Usage()),
        ({"prompt_tokens": 5, "completion_tokens": 0}, Usage(prompt_tokens=5, completion_tokens=0)),
        ({"prompt_tokens": None, "completion_tokens": "7"}, Usage()),
        ({"prompt_tokens": -1, "completion_tokens": True}, Usage()),
        ({"prompt_tokens": 5, "prompt_tokens_details": {"cached_tokens": 3}}, Usage(prompt_tokens=5, cached_tokens=3)),
        ({"prompt_tokens": 5, "prompt_tokens_details": None}, Usage(prompt_tokens=5)),
    ],
)
def test_usage_that_is_missing_or_no_count_is_unknown_and_not_zero(usage: Any, expected: Usage) -> None:
    assert read_reply(body("364", usage=usage)).usage == expected


def test_content_in_parts_and_lone_surrogates_are_text() -> None:
    parts = [{"type": "text", "text": "3"}, {"type": "image"}, {"type": "text", "text": "64"}]
    assert read_reply(body(parts)).answer == "364"
    assert read_reply(body("x\ud800y 😀")).answer == "x\ufffdy 😀"


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(
        ["choices", "message", "content", "finish_reason", "usage", "reasoning", "tool_calls", "prompt_tokens"]
    ), inner, max_size=4),
    max_leaves=12,
)  # fmt: skip


@given(JSON | st.builds(lambda message, finish, usage: {
    "choices": [{"message": message, "finish_reason": finish}], "usage": usage}, st.dictionaries(st.sampled_from(
        ["content", "reasoning", "refusal", "tool_calls"]), JSON, max_size=4), JSON, JSON))  # fmt: skip
def test_any_json_is_read_or_called_unreadable(value: object) -> None:
    try:
        reading = read_reply(value, stop=("\n",))
    except UnreadableReply:
        return
    assert reading.status in ("complete", "truncated", "empty", "failed")
    assert (reading.status == "failed") == (reading.failure is not None)
    reading.answer.encode()
