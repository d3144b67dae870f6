"""Expressions are read by the rules of mathematics, and what is no expression is refused."""

from fractions import Fraction

import pytest

from tmas_assets.grading.math.exact import TooLarge, is_huge, rational
from tmas_assets.grading.math.expression import Unparsed, parse
from tmas_assets.grading.math.latex import one_spelling


def value(text):
    return rational(parse(one_spelling(text)).node)


@pytest.mark.parametrize(("text", "expected"), [
    ("007", 7), ("-3", -3), ("+3", 3), ("1.50", Fraction(3, 2)), (".5", Fraction(1, 2)), ("2+3*4", 14), ("2-3-4", -5),
    ("-3^2", -9), ("(-3)^2", 9), ("2^3^2", 512), ("2^{-1}", Fraction(1, 2)), ("2^-1", Fraction(1, 2)),
    ("3 + -2", 1), ("3 \\cdot -2", -6), ("12/4/3", 1), ("1/2 + 1/3", Fraction(5, 6)),
    (r"\frac12", Fraction(1, 2)), (r"\frac 59", Fraction(5, 9)), (r"\frac9{19}", Fraction(9, 19)),
    (r"\frac{270}7", Fraction(270, 7)), (r"\dfrac{1}{2}", Fraction(1, 2)), (r"-\frac{1}{2}", Fraction(-1, 2)),
    (r"3\frac{5}{8}", Fraction(29, 8)), ("3 5/8", Fraction(29, 8)), ("-3 5/8", Fraction(-29, 8)),
    (r"3\frac{8}{5}", Fraction(24, 5)), (r"2 \cdot \frac12", 1), ("3½", Fraction(7, 2)),
    (r"0.\overline{3}", Fraction(1, 3)), (r"1.2\overline{34}", Fraction(611, 495)),
    ("5!", 120), ("5!!", 15), ("0!", 1), ("3!^2", 36), (r"\binom{5}{2}", 10), (r"\dbinom52", 10),
    (r"\sqrt{9}", 3), (r"\sqrt[3]{8}", 2), ("8^{2/3}", 4), ("4^{0.5}", 2), (r"\sqrt{\frac49}", Fraction(2, 3)),
    ("2(3)", 6), ("(2)(3)", 6), ("|−5|", 5), ("|2-7|", 5), (r"\lfloor 2.5 \rfloor", 2), (r"\lceil 2.5 \rceil", 3),
    (r"\left\lfloor -2.5 \right\rfloor", -3), ("50%", Fraction(1, 2)), ("1,234,567", None), ("2**3", 8),
    (r"6.72 \times 10^{-5}", Fraction(672, 10**7)), ("x", None), (r"\pi", None), (r"\sqrt2", None), ("1/0", None),
    ("0^{-1}", None), ("(-1)!", None), ("0.5!", None),
])
def test_the_rational_value(text, expected):
    if expected is None and "," in text:
        with pytest.raises(Unparsed):
            value(text)
    else:
        assert value(text) == expected


@pytest.mark.parametrize("text", [
    "", "1+", "(1", "1)", "3 5", r"\gcd a", "f()", r"\int x", r"\text{odd}", "1,2", "x=1", "a<b", r"\frac{1}",
    "(" * 100 + "1" + ")" * 100, "1" + "!" * 500, "1+" * 300 + "1", "9" * 4_000, r"\sin^{-1}", "^2", "5^",
])
def test_what_is_no_expression_is_refused(text):
    with pytest.raises(Unparsed):
        parse(one_spelling(text))


@pytest.mark.parametrize("text", [
    r"7^{7^{7^{7}}}", "9^9^9^9", r"(10^{10})!", r"-2^{10^9}", r"(9^{9^9})^2", r"2^{(10^6)!}", "5000!!",
])
def test_a_giant_is_known_as_one_without_being_built(text):
    node = parse(one_spelling(text)).node
    with pytest.raises(TooLarge):
        rational(node)
    assert is_huge(node)


@pytest.mark.parametrize("text", [r"1^{7^{7^7}}", r"(1/2)^{10^9}", r"2^{-10^9}", r"7^{7^7}-7^{7^7}", "x^{9^9}"])
def test_what_only_looks_like_a_giant_is_not_called_one(text):
    assert not is_huge(parse(one_spelling(text)).node)


def test_a_chain_of_powers_around_an_open_end_is_looked_at_once_a_level():
    tower = "7^{7^{7^7}}+1"
    for _ in range(15):
        tower = f"2^{{{tower}}}"
    assert not is_huge(parse(tower).node)
