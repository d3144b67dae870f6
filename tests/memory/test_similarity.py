"""Likeness of bank lines: symmetric and bounded, normalised, and a correction is not taken for what it corrects."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tmas_assets.memory import apart, cosine, jaccard, same_formulas, tokens

lines = st.text(max_size=80)


@given(lines, lines)
def test_jaccard_is_symmetric_and_between_0_and_1(a: str, b: str) -> None:
    assert jaccard(a, b) == jaccard(b, a)
    assert 0 <= jaccard(a, b) <= 1


@given(lines)
def test_a_line_is_wholly_like_itself(a: str) -> None:
    assert jaccard(a, a) == 1
    assert same_formulas(a, a)


def test_cosine_is_of_the_vectors_never_negative_and_of_no_other_line() -> None:
    alike = cosine({"a": [1, 0], "b": [3, 3], "c": [-1, 0], "none": [0, 0]})
    assert alike("a", "b") == alike("b", "a") == pytest.approx(0.5**0.5)
    assert alike("b", "b") == pytest.approx(1)
    assert alike("a", "c") == alike("a", "none") == alike("none", "none") == 0
    with pytest.raises(KeyError):
        alike("a", "d")


def test_apart_keeps_lines_with_other_formulas_from_being_alike() -> None:
    assert apart(jaccard)("the sum is 47", "the sum is 57") == 0
    assert apart(jaccard)("the sum is 47", "the sum is 47 now") == jaccard("the sum is 47", "the sum is 47 now") > 0


def test_jaccard_is_shared_tokens_over_all_tokens() -> None:
    assert jaccard("check the parity first", "check the sign first") == pytest.approx(3 / 5)


def test_latex_commands_are_tokens_and_keep_their_case() -> None:
    assert jaccard(r"\Delta", r"\delta") == 0
    assert jaccard(r"\frac{3}{8}", "frac 3 8") == pytest.approx(2 / 4)


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("The sum is even.", "the sum is even"),
        (r"$x \le 3$ holds", "x ≤ 3 holds"),
        (r"use \left( n+1 \right)", "use (n + 1)"),
        (r"**Check** $\dfrac{1}{2}$", r"check \frac{1}{2}"),
        ("2 × 3 = 6", r"2 \cdot 3 = 6"),
    ],
)
def test_spelling_and_layout_do_not_count(a: str, b: str) -> None:
    assert jaccard(a, b) == 1
    assert same_formulas(a, b)


def test_lines_without_any_token_match_only_themselves() -> None:
    assert jaccard("...", "...") == 1
    assert jaccard("...", "!?") == 0
    assert jaccard("", "word") == 0


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("adding the units first the sum of 12 and 35 is 47", "adding the units first the sum of 12 and 35 is 57"),
        ("in every case we looked at the number n is even", "in every case we looked at the number n is not even"),
        ("it is known that 5-3=2 in this setting", "it is known that 5-2=3 in this setting"),
        ("for all of the remaining cases x > 0 holds here", "for all of the remaining cases x < 0 holds here"),
        ("for all of the remaining cases x is prime", "for all of the remaining cases y is prime"),
        ("the remainder of 7 on division by 3", "the remainder of 3 on division by 7"),
        ("the rule does apply to every odd prime", "the rule doesn't apply to every odd prime"),
    ],
)
def test_a_correction_reads_alike_and_still_states_something_else(a: str, b: str) -> None:
    assert jaccard(a, b) >= 0.7
    assert not same_formulas(a, b)


@given(lines, lines)
def test_size_adds_up_over_lines_and_is_0_only_for_blanks(a: str, b: str) -> None:
    assert tokens(f"{a}\n{b}") == tokens(a) + tokens(b)
    assert (tokens(a) == 0) == (not a.strip())


@pytest.mark.parametrize(
    ("text", "measured"),
    [
        ("The sum of 12 and 35 is 47, so the units digit is 7.", 23),
        (r"Let $n = 2k+1$; then $n^2 \equiv 1 \pmod 8$ for every odd $n$.", 33),
        (r"Do not divide by zero when simplifying \frac{x-1}{x^2-1}.", 20),
        ("Use induction on the number of vertices and remove a leaf at each step.", 15),
        ("The solution above is correct and should be changed.", 10),
        ("设 n 为奇数，则 n 的平方除以 8 余 1。", 28),
    ],
)
def test_size_is_near_what_a_tokenizer_counted_and_hardly_ever_under_it(text: str, measured: int) -> None:
    assert 0.95 * measured <= tokens(text) <= 1.4 * measured
