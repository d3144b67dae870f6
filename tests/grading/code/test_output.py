"""Printed output against expected: blanks are forgiven, lines and words are not; a tolerance is for numbers only."""

import pytest

from tmas_assets.grading.code.data import CodeOutput
from tmas_assets.grading.code.output import difference


@pytest.mark.parametrize(("printed", "wanted", "tolerance", "same"), [
    ("1 2\n3\n", "1  2 \n3", None, True),
    ("\n\n1\n\n", "1", None, True),
    ("1\r\n2\r\n", "1\n2\n", None, True),
    ("", "", None, True),
    ("1\n2 3", "1 2\n3", None, False),
    ("1\n\n2", "1\n2", None, False),
    ("1", "", None, False),
    ("", "1", None, False),
    ("yes", "YES", None, False),
    ("0.30000000000000004", "0.3", None, False),
    ("0.285714", "0.285714285714", 1e-6, True),
    ("0.29", "0.285714285714", 1e-6, False),
    ("1000000.5", "1000000.9", 1e-6, True),
    ("3", "3.0000001", 1e-6, True),
    ("x 1.0000001", "x 1", 1e-6, True),
    ("y 1", "x 1", 1e-6, False),
    ("1 2", "1", 1e-6, False),
    ("1000000000000000001", "1000000000000000000", 1e-6, False),
    ("+5 007", "5 7", 1e-6, True),
    ("inf", "inf", 1e-6, True),
    ("-inf", "inf", 1e-6, False),
    ("nan", "nan", 1e-6, True),
    ("nan", "1", 1e-6, False),
    ("1_0", "10.0", 1e-6, False),
    ("١", "1.0", 1e-6, False),
])
def test_what_is_the_same(printed, wanted, tolerance, same):
    found = difference(printed, CodeOutput(stdin="", stdout=wanted, float_tolerance=tolerance))
    assert (found is None) is same


def test_the_first_difference_is_named():
    assert difference("1\n2\n", CodeOutput(stdin="", stdout="1\n3\n")) == "line 2 is '2', expected '3'"
    assert difference("1\n", CodeOutput(stdin="", stdout="1\n3\n")) == "1 lines, expected 2"
