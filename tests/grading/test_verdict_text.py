"""A judge's reply is yes, no or unclear; what is unclear is never one of the two."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tmas_assets.grading.verdict_text import read_verdict

PIECES = ["correct", "incorrect", "INCORRECT", "not ", "n't ", "Verdict: ", "yes", "no", ". ", "\n", " ", "?", r"\boxed{", "}", '{"correct": ', '"false"',
          "true", "the correct answer is 5", "unclear", "partially ", "GRADE: ", "C", "I", "<think>", "</think>", "match", "equivalent", "or ", "正确", "不",
          "错误", "[[", "]]", "**", "if ", "nothing is "]  # fmt: skip
TEXTS = st.one_of(st.lists(st.sampled_from(PIECES), max_size=30).map("".join), st.text(max_size=80))
POSITIVE = ["correct", "Correct", "CORRECT", "right", "yes", "true", "equivalent", "a match"]
NEGATIVE = ["incorrect", "Incorrect", "INCORRECT", "wrong", "no", "false", "not equivalent", "not correct", "a mismatch"]
MARKS = ["Verdict: {}", "**Verdict:** {}", "Final verdict: **{}**", r"\boxed{{{}}}", r"Verdict: \boxed{{\text{{{}}}}}", '{{"verdict": "{}"}}',
         "Judgement: {}.", "<verdict>{}</verdict>", "The verdict is: {}"]  # fmt: skip


@given(TEXTS)
def test_any_text_gives_one_of_three(text):
    assert read_verdict(text) in (True, False, None)


@given(st.sampled_from(MARKS), st.sampled_from([*((word, True) for word in POSITIVE), *((word, False) for word in NEGATIVE)]),
       st.sampled_from(["", "Nothing here is incorrect.\n", "The sign is wrong, yet it is correct.\n", "<think>Verdict: correct</think>"]))
def test_a_mark_decides_whatever_was_said_before(mark, said, before):
    word, verdict = said
    assert read_verdict(before + mark.format(word)) is verdict


@given(st.sampled_from(POSITIVE), st.sampled_from(NEGATIVE), st.booleans())
def test_opposite_words_without_a_mark_are_unclear(yes, no, turned):
    first, second = (no, yes) if turned else (yes, no)
    assert read_verdict(f"It is {first}. It is {second}.") is None


@given(st.sampled_from(MARKS), st.sampled_from(["unclear", "partially correct", "n/a", "correct or incorrect", "not incorrect", "maybe"]))
def test_an_unclear_mark_is_unclear(mark, word):
    assert read_verdict(mark.format(word)) is None


def test_the_last_mark_counts():
    assert read_verdict("Verdict: correct\nOn reflection:\nVerdict: incorrect") is False
    assert read_verdict(r"\boxed{Incorrect}, no: \boxed{Correct}") is True


@pytest.mark.parametrize("text", ["", "5", "The correct answer is 5, the reply says 6.", "I was unable to compare the two.", "GRADE: A", r"\boxed{Incorr",
                                  "<think>Verdict: correct", '{"correct": null}', '{"correct": true, "equivalent": false}'])
def test_no_verdict_is_none(text):
    assert read_verdict(text) is None


@pytest.mark.parametrize("piece", ["(", "{", r"\boxed{", "Verdict: ", "correct ", "not ", "nothing is ", '"correct": ', "the correct ", "<verdict>", "Verdict\n",
                                   "\n", "*", "[[a]]", r"\boxed{Correct} ", "n't ", "no ", "<think>"])
def test_a_flood_takes_no_time(piece):
    text = (piece * 200_000)[:200_000]
    started = time.process_time()
    for end in ("", "\nVerdict: correct", " correct."):
        read_verdict(text + end)
    assert time.process_time() - started < 4
