"""Whatever a model writes, grading ends at once with a verdict; and a gold always equals itself."""

import time

from hypothesis import given
from hypothesis import strategies as st

from tmas_assets.grading import is_repetitive, last_box, split_thinking
from tmas_assets.grading.math.find_answer import number_in
from tmas_assets.grading.math.grader import Question, decide, grade_at_once

PIECES = [
    r"\boxed{", r"\boxed", "{", "}", "(", ")", "[", "]", "$", "$$", r"\[", r"\]", "1", "23", "x", "n", " ", "\n", "answer",
    ":", "Answer: ", "####", "**", r"\frac", r"\sqrt", r"\text{", " and ", " or ", ",", ";", ".", "!", "^", "_", "=", "<",
    r"\le ", r"\in ", r"\cup ", r"\pm ", r"\begin{matrix}", r"\end{matrix}", "&", r"\\", "|", r"\lfloor ", r"\rfloor ", "%",
    "°", "½", "√", "²", "−", "+", "*", "/", r"\cdot ", "<think>", "</think>", r"\sin ", r"\log ", "e", "i", r"\pi ",
    r"\infty ", r"\ldots ", "odd", "kg", r"\{", r"\}", r"\overline{", "million", "\u2028", "\x00", "答案", "是", "#", "_{", "^{",
]
TEXTS = st.one_of(st.lists(st.sampled_from(PIECES), max_size=60).map("".join), st.text(max_size=80))
GOLDS = ["5", r"\frac12", r"\sqrt2", "x+1", "1, 2", "(1,2)", "[0,1)", "x=5", "odd n", "f(x)=x+c", "1:2", "52_8",
         r"\begin{pmatrix}1\\2\end{pmatrix}", "no solution", "x>2", r"(0,1)\cup(2,3)"]


@given(TEXTS, st.sampled_from(GOLDS), st.booleans())
def test_any_text_gets_a_verdict(text, gold, boxed):
    verdict = grade_at_once(gold=gold, text=rf"\boxed{{{text}}}" if boxed else text)
    assert isinstance(verdict, Question) or verdict.outcome in ("right", "wrong", "undecided")


@given(TEXTS, TEXTS)
def test_any_gold_gets_a_verdict(gold, text):
    grade_at_once(gold=gold, text=text)


@given(TEXTS)
def test_any_text_can_be_taken_apart(text):
    split_thinking(text)
    last_box(text)
    is_repetitive(text)
    number_in(text)


@given(st.lists(st.sampled_from(PIECES), min_size=1, max_size=3).map("".join), st.integers(10_000, 60_000))
def test_a_long_loop_of_anything_takes_no_time(loop, length):
    text = (loop * length)[:length]
    started = time.process_time()
    for gold in ("5", "x+1"):
        grade_at_once(gold=gold, text=text)
    assert time.process_time() - started < 2


NUMBERS = st.integers(-10**6, 10**6)


@given(NUMBERS, st.integers(1, 999), NUMBERS, st.integers(1, 999))
def test_fractions_are_equal_exactly_when_they_are(top, bottom, other_top, other_bottom):
    gold = rf"\frac{{{top}}}{{{bottom}}}"
    text = rf"\boxed{{{other_top}/{other_bottom}}}"
    same = top * other_bottom == other_top * bottom
    assert grade_at_once(gold=gold, text=text).outcome == ("right" if same else "wrong")


@given(NUMBERS, st.integers(1, 999), st.integers(1, 50))
def test_a_fraction_may_be_unreduced_or_a_sum(top, bottom, factor):
    gold = f"{top}/{bottom}"
    assert grade_at_once(gold=gold, text=rf"\boxed{{\frac{{{top * factor}}}{{{bottom * factor}}}}}").outcome == "right"
    assert grade_at_once(gold=gold, text=rf"\boxed{{\frac{{{top - factor}}}{{{bottom}}}+\frac{{{factor}}}{{{bottom}}}}}"
                         ).outcome == "right"


@given(st.integers(1, 10**9))
def test_every_way_to_group_digits_is_the_number(number):
    for text in (f"{number:,}", f"{number:,}".replace(",", "{,}"), f"{number:,}".replace(",", r"\,"),
                 f"{number:,}".replace(",", r",\!"), f"0{number}", f"{number}.0", f"+{number}"):
        assert grade_at_once(gold=str(number), text=rf"So it is \boxed{{{text}}}.").outcome == "right"


@given(st.lists(NUMBERS, min_size=2, max_size=6, unique=True), st.randoms(use_true_random=False))
def test_a_list_matches_in_any_order_and_no_sublist_does(numbers, source):
    gold = ", ".join(map(str, numbers))
    shuffled = source.sample(numbers, len(numbers))
    assert grade_at_once(gold=gold, text=rf"\boxed{{{', '.join(map(str, shuffled))}}}").outcome == "right"
    assert grade_at_once(gold=gold, text=rf"\boxed{{{', '.join(map(str, shuffled[1:]))}}}").outcome == "wrong"


@given(st.lists(NUMBERS, min_size=2, max_size=5, unique=True), st.randoms(use_true_random=False))
def test_a_tuple_matches_in_its_order_only(numbers, source):
    shuffled = source.sample(numbers, len(numbers))
    text = rf"\boxed{{({', '.join(map(str, shuffled))})}}"
    outcome = "right" if shuffled == numbers else "wrong"
    assert grade_at_once(gold=f"({', '.join(map(str, numbers))})", text=text).outcome == outcome


@given(st.integers(2, 40), st.integers(2, 40))
def test_roots_are_equal_exactly_when_their_squares_are(first, second):
    asked = grade_at_once(gold=rf"\sqrt{{{first}}}", text=rf"\boxed{{\frac{{{second}}}{{\sqrt{{{second}}}}}}}")
    verdict = decide(asked) if isinstance(asked, Question) else asked
    assert verdict.outcome == ("right" if first == second else "wrong")
