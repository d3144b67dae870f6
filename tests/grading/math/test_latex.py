"""Every spelling of one thing becomes one spelling."""

import pytest

from tmas_assets.grading.math.latex import LONGEST, one_spelling


@pytest.mark.parametrize(("text", "spelling"), [
    ("1.234.567", "1234567"), ("1'234'567", "1234567"), ("1 234 567", "1234567"), ("1.234,5", "1234.5"), ("1 000,99", "1000.99"),
    ("1 000 4/9", "1000 4/9"), ("1.234", "1.234"), ("1.234, 5", "1.234, 5"), ("12.5.2024", "12.5.2024"),
    ("6.72e-5", r"6.72\cdot 10^{-5}"), ("1E3", r"1\cdot 10^{3}"), ("2e-1", "2e-1"), ("2 x 10^{-5}", r"2\cdot 10^{-5}"),
    (r"0.\overline{3}", r"\frac{3}{9}"), ("0.(3)", r"\frac{3}{9}"), ("0.3333...", r"\frac{3}{9}"), ("0.16666...", r"\frac{15}{90}"),
    ("0.121212...", r"\frac{12}{99}"), ("0.7071...", r"0.7071\ldots"), ("n≡2 (mod 7)", r"n\equiv 2 \pmod{7}"),
    (r"n \equiv 2 \ (\mathrm{mod}\ 7)", r"n \equiv 2 \pmod{7}"), (r"\\frac{1}{2}", r"\frac{1}{2}"), ("185\\\\", "185"),
    ("f'", "f'"), ("'5'", "5"), ("`5`", "5"), ("**5**", "5"), ("28 pct", "28%"), ("28 percent", "28%"), (r"90^{\circ}", "90°"),
    (r"{90^\circ}", "{90°}"), ("90 deg", "90°"), (r"\mathbb Z", r"\mathbb{Z}"), (r"\Z", r"\mathbb{Z}"), ("١٢", "12"), ("１２", "12"),
    (r"\begin{aligned} x &= 2+3 \\ &= 5 \end{aligned}", "x = 2+3 = 5"), (r"\textcolor{red}{5}", "{5}"), (r"\Large 5", "5"),
    (r"14 \frac{\text{m}}{\text{s}}", r"14 \unit{m per s}"), ("{}_5C_2", r"\binom{5}{2}"), ("USD 18.90", "18.90"),
])
def test_the_spelling(text, spelling):
    assert one_spelling(text) == spelling


def test_a_text_too_long_for_an_answer_is_left_alone():
    text = "**" + "1" * LONGEST + "**"
    assert one_spelling(text) is text
