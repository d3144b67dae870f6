"""Every target reads any text without breaking, and what it reads can be written as a row."""

import json
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tmas_assets.engine.graders import Graders
from tmas_assets.engine.parse_targets import TARGETS, parse
from tmas_assets.engine.voting import Voting

PIECES = ["{", "}", "[", "]", '"', ":", ",", "\n", "\r\n", " ", "\\", r"\frac", r"\n", r"\u12", r"\boxed{", "<think>", "</think>", "Score: ", "0.5", "1/2", "#### ",
          "-5", "$1,250", "answer", '"answer"', '"n"', '"finish_reason"', '"message"', '{"content": ', "null", "true", "NaN", "1", "\ufeff", "\u2028", "\x00",
          "maximum context length is ", "8192 tokens", "max_tokens must be at least 1, got -", "<|channel|>final<|message|>", "analysis", "assistantfinal",
          "Verdict: ", "incorrect", "id,answer\n", "```json\n", "9^{9^{9}}"]  # fmt: skip
TEXTS = st.one_of(st.lists(st.sampled_from(PIECES), max_size=40).map("".join), st.text(max_size=80))
FLOODS = ["(", "{", "[", '{"a":', r"\boxed{", "<think>", "</think>", "Answer: ", "#### ", "#### 1 ", "Score: ", "score ", r"score: \boxed{", '"', ",", "\n", "\\",
          "1", "1,", "1/", "maximum context length is 1 tokens ", "max_tokens ", "prompt ", '{"a": "', "{}", '{"": ', "<|channel|>a<|message|>", "analysis assistant",
          "[[", "a,", '"a"\n', "\x00", "id,answer\n", " ", "\ufeff", "- ", "$"]  # fmt: skip


@pytest.fixture(scope="module")
def voting():
    with Graders(max_workers=1) as graders:
        yield Voting(graders)


@pytest.mark.parametrize("target", TARGETS)
def test_any_text_is_read_or_holds_nothing(voting, target):
    @given(TEXTS)
    def check(text):
        json.dumps(parse(target, text, voting).value, allow_nan=False)

    check()


@pytest.mark.parametrize("target", TARGETS)
def test_a_flood_takes_no_time(voting, target):
    for piece in FLOODS:
        for end in ("", "5", '"}'):
            text = (piece * 120_000)[:120_000] + end
            started = time.process_time()
            parse(target, text, voting)
            took = time.process_time() - started
            assert took < 2, f"{piece!r} took {took:.1f} s"


@pytest.mark.parametrize("target", ["number", "verdict", "score", "json", "boxed", "thinking"])
@pytest.mark.parametrize("start", ["answer", "Score:", "</think>", "Verdict", "#### "])
def test_blanks_after_a_mark_take_no_time(voting, target, start):
    for blank in (" ", "\n", "\r\n"):
        started = time.process_time()
        parse(target, start + (blank * 60_000)[:60_000] + "x", voting)
        assert time.process_time() - started < 2


@given(st.integers(1, 60).flatmap(lambda n: st.tuples(st.just(n), st.integers(0, n), st.integers(1, n))))
def test_pass_at_k_is_a_share(counts):
    n, c, k = counts
    value = parse("pass_at_k", json.dumps({"n": n, "c": c, "k": k}), None).value
    assert 0 <= value <= 1
    assert (value == 0) == (c == 0)


@given(st.dictionaries(st.text(max_size=8), st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(
        alphabet=st.characters(codec="utf-8", exclude_categories=["Cc"])), lambda inner: st.lists(inner, max_size=3), max_leaves=8), max_size=4))
def test_an_object_that_was_written_well_is_read_back(value):
    keys = [key for key in value if any(sign < " " or sign in "\x7f" or "\x80" <= sign <= "\x9f" for sign in key)]
    if not keys:
        assert parse("json", json.dumps(value), None).value == value


def test_an_unknown_target_is_refused(voting):
    with pytest.raises(KeyError):
        parse("poem", "", voting)
