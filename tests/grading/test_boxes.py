"""The last complete box, whatever its braces; a box that never closes is none."""

import pytest

from tmas_assets.grading import last_box
from tmas_assets.grading.boxes import complete_boxes


@pytest.mark.parametrize(("text", "content"), [
    (r"so \boxed{152}.", "152"),
    (r"\boxed{\frac{1}{2^{n}}}", r"\frac{1}{2^{n}}"),
    (r"\boxed { 7 }", "7"),
    (r"\boxed{ 7 }", "7"),
    (r"\boxed 5", "5"),
    (r"\boxed5.", "5"),
    (r"\boxed -5", "-5"),
    (r"\boxed x", "x"),
    (r"\boxed \pi", r"\pi"),
    (r"\boxed 1,250 is it", "1,250"),
    (r"\fbox{5}", "5"),
    (r"\boxed{1}, then \boxed{2}", "2"),
    (r"\boxed{1}, then \boxed{2", "1"),
    (r"\boxed{12", None),
    (r"\boxed{\frac{1}{2}", None),
    (r"\boxed{}", ""),
    (r"\boxed{\boxed{5}}", "5"),
    (r"\boxed{\{1, 2\}}", r"\{1, 2\}"),
    (r"\boxed{\text{Incorrect}}", r"\text{Incorrect}"),
    ("\\boxed{a\nb}", "a\nb"),
    (r"a stray { and \boxed{5}", "5"),
    (r"a stray } and \boxed{5}", "5"),
    (r"\boxedtext{5}", None),
    ("no box", None),
    ("", None),
])
def test_the_content(text, content):
    assert last_box(text) == content


def test_an_open_box_is_told_from_no_box():
    assert complete_boxes(r"\boxed{12")[1] is True
    assert complete_boxes("12")[1] is False


@pytest.mark.parametrize("piece", [r"\boxed{", r"\boxed", "{", "}", r"\boxed{1}", r"\boxed{{}}"])
def test_long_texts_take_no_time(piece):
    complete_boxes(piece * 20_000)
