"""Equality by value: proven to many digits, refuted by a point, and open where neither holds."""

import pytest

from tmas_assets.grading.math.expression import parse
from tmas_assets.grading.math.latex import one_spelling
from tmas_assets.grading.math.numeric import equal

EQUAL, DIFFERENT, OPEN = True, False, None


@pytest.mark.parametrize(("first", "second", "expected"), [
    (r"\frac{\sqrt2}{2}", r"\frac{1}{\sqrt2}", EQUAL),
    (r"\sqrt{2}+\sqrt{3}", r"\sqrt{5+2\sqrt6}", EQUAL),
    (r"\frac{1+\sqrt5}{4}", r"\cos 36^\circ", EQUAL),
    (r"\sin\pi+\sqrt2", r"\sqrt2", EQUAL),
    (r"e^{i\pi}", "-1", EQUAL),
    (r"1-\frac1e", r"1+\frac1e", DIFFERENT),
    (r"\frac{\pi}{2004!}", r"\frac{\pi}{2006!}", DIFFERENT),
    (r"2^{-99}\pi", r"2^{-98}\pi", DIFFERENT),
    (r"\sqrt{2^{2024}+1}", "2^{1012}", DIFFERENT),
    (r"\sqrt2+10^{-300}", r"\sqrt2", DIFFERENT),
    (r"\pi", r"\frac{355}{113}", DIFFERENT),
    ("x^2+2x+1", "(x+1)^2", EQUAL),
    ("x^2+2x+1", "(y+1)^2", DIFFERENT),
    (r"\sin 2x", r"2\sin x\cos x", EQUAL),
    (r"\cot x", r"\frac{\cos x}{\sin x}", EQUAL),
    (r"\sqrt{\frac1n}", r"\frac{1}{\sqrt n}", EQUAL),
    (r"\sqrt{x^2}", "x", OPEN),
    (r"\sqrt{x-5}", r"\sqrt{x-6}", DIFFERENT),
    ("R-2r", "r-2R", DIFFERENT),
    ("(2k-1)!!", r"\frac{(2k)!}{2^k k!}", EQUAL),
    (r"\binom{n}{2}", r"\frac{n(n-1)}{2}", EQUAL),
    ("(-1)^n", r"\cos(n\pi)", EQUAL),
    (r"\lfloor\log_2 a\rfloor+1", r"\lceil\log_2 a\rceil", DIFFERENT),
    (r"\lfloor\sqrt{n-1}\rfloor", r"\lceil\sqrt n\rceil-1", EQUAL),
    (r"\lfloor\sqrt{x-1}\rfloor", r"\lceil\sqrt x\rceil-1", OPEN),
    (r"\sum_{i=1}^n i^2", r"\frac{n(n+1)(2n+1)}{6}", EQUAL),
    (r"\sum_{k=0}^{n-1} F_k F_{n-k-1}", r"\sum_{j=0}^{n-1} F_{n-j-1} F_j", EQUAL),
    (r"\sum_{k=0}^{n-1} F_k F_{n-k-1}", r"\sum_{k=0}^{n-2} F_k F_{n-k-2}", DIFFERENT),
    (r"\sqrt[3]{-8}", "-2", EQUAL),
    ("|x|", "x", DIFFERENT),
    (r"\lfloor \frac{p}{9}\rfloor", r"\frac{p}{9}", DIFFERENT),
    (r"\frac{\log c}{\log v}", r"\frac{\ln c}{\ln v}", EQUAL),
    (r"\log x", r"\ln x", OPEN),
    (r"\log_{10} x", r"\lg x", EQUAL),
    (r"x^{9^{9^{9}}}", "x", OPEN),
    (r"\sin(10^{10^{5}})", "0", OPEN),
    (r"\cosh(10^{9})", "1", OPEN),
    ("a_1+b", "a_2+b", DIFFERENT),
])
def test_the_verdict(first, second, expected):
    left, right = parse(one_spelling(first)).node, parse(one_spelling(second)).node
    assert equal(left, right) is expected
    assert equal(right, left) is expected
