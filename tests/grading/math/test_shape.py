"""The structure of an answer is read the same however it is typeset."""

import pytest

from tmas_assets.grading.math.shape import read


def outline(shape):
    if shape.kind in ("value", "words", "empty"):
        return shape.key if shape.kind == "value" else shape.kind
    return (shape.kind + shape.marks, *map(outline, shape.items))


@pytest.mark.parametrize(("text", "expected"), [
    ("5", "5"), ("$5$", "5"), (r"\(5\)", "5"), ("**5**", "5"), ("5.", "5"), ("(5)", "5"), ("５", "5"), (r"\text{5}", "5"),
    ("1, 2 and 3", ("list", "1", "2", "3")), ("1, 2, and 3", ("list", "1", "2", "3")),
    (r"1 \text{ or } 2", ("list", "1", "2")), ("1; 2", ("list", "1", "2")), (r"\{1,2\}", ("list{}", "1", "2")),
    (r"\pm 2", ("list", "+2", "-2")), (r"\{1\pm x, 3\}", ("list{}", "1+x", "1-x", "3")),
    ("(1,2)", ("group()", "1", "2")), ("[1,2)", ("group[)", "1", "2")), ("]1,2[", ("group()", "1", "2")),
    (r"\left(1,2\right]", ("group(]", "1", "2")), (r"\langle 1,2\rangle", ("group()", "1", "2")),
    ("(1,2),(3,4)", ("list", ("group()", "1", "2"), ("group()", "3", "4"))),
    (r"(0,1)\cup(2,3)", ("union", ("group()", "0", "1"), ("group()", "2", "3"))),
    ("(0,1) U (2,3)", ("union", ("group()", "0", "1"), ("group()", "2", "3"))),
    ("x=5", ("relation", "x", "5")), (r"0<x\le 1", ("relation", "0", "x", "1")), ("x <= 1", ("relation", "x", "1")),
    (r"\{x : x > 2\}", ("relation", "x", "2")), (r"\{x \mid x > 2\}", ("relation", "x", "2")),
    (r"2 \approx 2.1", "2"), (r"x = 1 \implies y = 2", ("relation", "y", "2")),
    ("1:2:3", ("ratio", "1", "2", "3")),
    (r"\begin{pmatrix}1&2\\3&4\end{pmatrix}", ("matrix2x2", "1", "2", "3", "4")),
    (r"\begin{array}{cc}1&2\\3&4\end{array}", ("matrix2x2", "1", "2", "3", "4")),
    ("1,234", "1234"), ("1,234, 5", ("list", "1234", "5")), ("(1,234)", ("group()", "1", "234")),
    (r"\{1,234\}", ("list{}", "1", "234")), ("1,23", ("list", "1", "23")), ("0,234", ("list", "0", "234")),
    ("odd n", "words"), (r"\text{no solution}", "words"), ("", "empty"), (" . ", "empty"), ("$$", "empty"),
])
def test_the_structure(text, expected):
    assert outline(read(text)) == expected


@pytest.mark.parametrize(("text", "unit"), [
    ("5 cm", "centimetre"), (r"5\text{ cm}", "centimetre"), (r"5 \mathrm{kg}", "kilogram"), ("5 apples", "apple"),
    (r"5\text{ cm}^2", "centimetre centimetre"), ("5 miles per hour", "mile per hour"), ("5", ""), ("5n", ""), ("5 less than x", ""),
])
def test_the_unit(text, unit):
    assert read(text).unit == unit


@pytest.mark.parametrize(("text", "digits", "base"), [
    ("52_8", "52", 8), ("52_{8}", "52", 8), ("(52)_8", "52", 8), (r"52_{\text{eight}}", "52", 8), ("1F_{16}", "1F", 16),
    ("0052_8", "52", 8), ("52 base 8", "52", 8),
])
def test_numbers_in_another_base(text, digits, base):
    shape = read(text)
    assert (shape.kind, shape.marks, shape.base) == ("based", digits, base)


@pytest.mark.parametrize("text", ["x_8", "98_8", "a_1"])
def test_what_is_no_number_in_another_base(text):
    assert read(text).kind != "based"
