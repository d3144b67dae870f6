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


BARE_NO = ["INCORRECT", "**INCORRECT**", "No", "Wrong.", "FAIL", "❌", "not correct", "不正确"]
OF_OTHERS = ["The reference is correct.", "Explanation: 3 is correct, 4 was given.", "The final answer 4 is correct only modulo 5.", "The student's first step is correct.",
             "The expected value is right.", "The correct answer is 5."]  # fmt: skip


@given(st.sampled_from(BARE_NO), st.sampled_from(["\n", "\n\n"]), st.sampled_from(OF_OTHERS))
def test_a_first_line_that_is_a_no_stays_one_whatever_else_is_called_correct(no, gap, explained):
    assert read_verdict(no + gap + explained) is False


@given(st.sampled_from(["CORRECT", "**Correct**", "Yes.", "✅"]), st.sampled_from(["The first draft was incorrect.", "An answer of 4 is incorrect.", "Nothing is wrong here."]))
def test_a_first_line_that_is_a_yes_stays_one_where_something_else_is_called_wrong(yes, explained):
    assert read_verdict(f"{yes}\n\n{explained}") is True


@given(st.sampled_from(POSITIVE[:6]), st.sampled_from([word for word in NEGATIVE if not word.startswith("a ")]), st.booleans())
def test_two_opposite_first_words_are_unclear(yes, no, turned):
    first, second = (no, yes) if turned else (yes, no)
    assert read_verdict(f"{first}\n{second}") is None
    assert read_verdict(f"{first}\n\nSo the response is {second}.") is None


@given(st.sampled_from(["not", "does not seem", "never", "cannot be considered", "far from", "by no means", "hardly", "isn't what I call",
                        "un-", "in-", "fails to be", "is no longer"]), st.sampled_from(["correct", "right", "true", "equivalent", "valid"]))
def test_a_denied_yes_is_never_a_yes(denial, word):
    assert read_verdict(f"The answer is {denial} {word}".replace("- ", "-")) is not True
    assert read_verdict(f"Verdict: {denial} {word}".replace("- ", "-")) is not True


def test_contradicting_marks_are_unclear_where_the_last_is_not_clearly_the_last_word():
    assert read_verdict(r"\boxed{Correct} \boxed{Incorrect}") is None
    assert read_verdict("Verdict: correct. Verdict: incorrect.") is None
    assert read_verdict("Verdict: incorrect\nVerdict: correct\n\nThe sign is off.") is None
    assert read_verdict('{"correct": true} {"correct": false}') is None


@pytest.mark.parametrize("value", ["[true]", "{}", "0.5", '"5"', "2", '{"value": true}'])
def test_a_field_that_is_no_yes_or_no_is_unclear(value):
    assert read_verdict(f'{{"correct": {value}}}') is None


@pytest.mark.parametrize(
    "reply",
    ["<html><title>503 Service Unavailable</title>The request failed</html>", '{"reason": "the answer is correct',
     "Verdict: correct (partially)", "Verdict: 50% correct", "Verdict: partly correct"],
)  # fmt: skip
def test_what_is_no_verdict_or_half_of_one_is_unclear(reply):
    assert read_verdict(reply) is None


def test_partial_sums_are_no_partial_verdict():
    assert read_verdict("Verdict: correct, the partial sums agree") is True
