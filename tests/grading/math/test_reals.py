"""Sets of reals are equal exactly when they hold the same numbers, however they are said."""

from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tmas_assets.grading.math import reals
from tmas_assets.grading.math.exact import rational
from tmas_assets.grading.math.numeric import placed
from tmas_assets.grading.math.shape import read


def same(first, second, place=placed):
    one, other = reals.region(read(first)), reals.region(read(second))
    assert one is not None
    assert other is not None
    return reals.same(one, other, place)


@pytest.mark.parametrize(("first", "second", "expected"), [
    (r"x \ne -3", r"(-\infty,-3)\cup(-3,\infty)", True), (r"x \ne -3", r"\mathbb{R}\setminus\{-3\}", True),
    (r"x \ne -3", r"\mathbb{R}", False), (r"[0,1]\cup[1,2]", "[0,2]", True), (r"[0,1)\cup(1,2]", "[0,2]", False),
    (r"2<x<102, x\ne12", r"(2,12)\cup(12,102)", True), (r"x<2 \text{ or } x>3", r"\mathbb{R}\setminus[2,3]", True),
    (r"|x|<2", "(-2,2)", True), (r"|x-1|\le2", "[-1,3]", True), (r"|2x+1|>3", r"x<-2 \text{ or } x>1", True),
    (r"0<x<\sqrt2", r"(0, 2^{1/2})", True), (r"0<x<\sqrt2", "(0, 1.414)", False), ("x>2, x<3", "(2,3)", True),
    ("x<2, x>3", r"(-\infty,2)\cup(3,\infty)", True), (r"n=1, n\ge3", r"n\ge3", False), (r"1>x\ge0", "[0,1)", True),
    (r"x\in[0,1)", r"0\le x<1", True), (r"x\notin[0,1)", r"x<0 \text{ or } x\ge1", True), (r"(0,1)", "(0,1]", False),
    ("n>1", r"n\ge2", None), ("x>1", r"x\ge2", False), ("x>1", "y>1", None), ("x>1", "y>2", False),
])
def test_the_verdict(first, second, expected):
    assert same(first, second) is expected
    assert same(second, first) is expected


def test_tiny_intervals_are_told_apart():
    assert same("(0, 2^{-400})", "(0, 2^{-401})") is False
    assert same(r"(0, 2^{-400}\sqrt2)", r"(0, 2^{-400}\sqrt3)") is False
    assert same(r"(0, 2^{-400}\sqrt2)", r"(0, 2^{-399}/\sqrt2)") is True


ENDS = st.integers(-4, 4)
PIECES = st.lists(st.tuples(ENDS, ENDS, st.sampled_from("(["), st.sampled_from(")]")), min_size=1, max_size=3)


def holds(pieces, x):
    return any((low < x or (low == x and left == "[")) and (x < high or (x == high and right == "]"))
               for low, high, left, right in pieces)


@settings(max_examples=150, deadline=None)
@given(PIECES, PIECES)
def test_two_unions_are_equal_exactly_when_no_number_tells_them_apart(first, second):
    texts = [r" \cup ".join(f"{left}{low},{high}{right}" for low, high, left, right in pieces) for pieces in (first, second)]
    numbers = [Fraction(n, 2) for n in range(-10, 11)]
    expected = all(holds(first, x) == holds(second, x) for x in numbers)
    assert same(*texts, place=rational) is expected
