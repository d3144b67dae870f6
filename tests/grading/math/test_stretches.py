"""Expressions of running text are taken as a whole, and words are not taken with them."""

import pytest

from tmas_assets.grading.math.stretches import stretches


def with_digits(text):
    return [text[start:end] for start, end in stretches(text) if any(sign.isdigit() for sign in text[start:end])]


@pytest.mark.parametrize("expression", [
    "sqrt(3)", "2*sqrt(3)", "1 + sqrt(3)", "log 3", "3x", "3 + n", "±3", "x=2±3", "f(x) = 2x + 3", "7 mod 3", "x >= 5", "2 < x < 5",
    "4:05", "n(n-1)/2", "pi/2", "4 pi", "C(20, 10)", "(1, 2)", "x_1 + 3", "2^10", "3 \u2248 3.1", "1/sqrt(2)", r"\sqrt{3} + 1",
])
def test_a_whole_expression(expression):
    assert with_digits(f"So the value here is {expression}.") == [expression]


@pytest.mark.parametrize(("text", "found"), [
    ("There are 5 ways - a few.", ["5"]), ("Step 3: the total is 8 apples", ["3", "8"]), ("Result = 42 cm^2", ["42"]),
    ("=> 5", ["5"]), ("-> 5", ["5"]), ("$x = 3$ and 4", ["4"]), ("the 4-sided one", ["4"]), ("> 5", ["5"]),
])
def test_words_and_signs_around_a_number_stay_outside(text, found):
    assert with_digits(text) == found


@pytest.mark.parametrize("text", ["(" * 3_000, "(1+" * 500, "sin " * 2_000, "x=" * 3_000, "\\\\frac{" * 500, "a(" * 3_000])
def test_no_nesting_is_too_deep(text):
    assert isinstance(list(stretches(text)), list)
