"""Emphasis and scripts around an answer go; products and powers stay."""

import pytest

from tmas_assets.grading.math.plain_text import plain_text


@pytest.mark.parametrize(("text", "plain"), [
    ("is *42*.", "is 42."), ("is ***42***.", "is 42."), ("**3** and **4**", "3 and 4"), ("**$x$** .", "$x$ ."), ("<b>73</b>", "73"),
    ("\u5171\uff14\uff12\u79cd", "\u5171 42 \u79cd"), ("\u51715\u4e07\u79cd", "\u5171 50000 \u79cd"), ("\uff0d3", "\u22123"), ("x &lt; 5", "x < 5"),
])
def test_what_goes(text, plain):
    assert plain_text(text) == plain


@pytest.mark.parametrize("text", ["2*3*4", "2 * 3 * 4", "n**2 + m**2", "a_1 + a_2", "x < 5 > 3", r"\(x^*\) and \(y^*\)", "f(x)*g(x)*h", "*" * 5_000])
def test_what_stays(text):
    assert plain_text(text) == text
