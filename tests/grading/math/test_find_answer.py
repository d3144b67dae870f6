"""The answer of a reply is found where it stands: in a box, after a mark, or last in running text."""

import pytest

from tmas_assets.grading.math.find_answer import find_answer


@pytest.mark.parametrize(("text", "asked", "found"), [
    (r"so \boxed{5}", "number", "5"), (r"\boxed{1} \quad \text{and} \quad \boxed{2}", "number", "1, 2"),
    (r"$x = \boxed{1}$ or $x = \boxed{-1}$", "number", "1, -1"), (r"maybe \boxed{1}. Alternatively \boxed{2}.", "number", "2"),
    ("Answer: 12 (since the 4 cases give 3 each)", "number",
     "12 (since the 4 cases give 3 each)"), ("The answer is 12, because 3*4=12.", "number", "12"),
    ("Answer: the total is 58 apples", "number", "58"), ("Answer: 4 or 5", "number", "4 or 5"),
    ("the answer is $x=12$ where x is the length", "number", "x=12"), ("The answer is not 5.", "number", "not 5"),
    ("The answer is 5? No, it is 6.", "number", "6"), ("答案是 12。", "number", "12"), ("Ответ: 12.", "number", "12"),
    ("The solutions are $1$ and $2$.", "number", "1, 2"), ("$\\frac13 $", "number", r"\frac13"),
    ("It costs $5 and $6 in all: 11", "number", "11"), ("so 1 000", "number", "1 000"), ("so 2,74", "number", "2,74"),
    ("minus 8, or rather negative 9", "number", "negative 9"), ("3 5/8 hours", "number", "3 5/8"),
    ("There are (n-2)! ways.", "formula", "(n-2)!"), ("The polynomial is x^2 + 1 in full.", "formula", "x^2 + 1"),
    ("The domain is (0, 2).", "formula", "(0, 2)"), ("They are 17, 45 and 80.", "formula", "17, 45 and 80"),
    ("It is 1/sqrt(n).", "formula", "1/sqrt(n)"), ("Hence $f(x) = 2x$ for all $x$, as claimed.", "formula", "f(x) = 2x"),
    ("The solutions are $x=1$, $x=2$ and $x=3$.", "formula", "x=1, x=2, x=3"), ("All even n.", "words", "All even n"),
])
def test_the_answer_found(text, asked, found):
    assert find_answer(text, asked=asked).text == found


@pytest.mark.parametrize(("text", "asked"), [
    (r"\boxed{5", "number"), ("", "number"), ("I do not know.", "number"), ("I cannot say", "formula"),
    (" ".join(rf"\boxed{{{n}}}" for n in range(9)), "number"),
])
def test_no_answer(text, asked):
    assert find_answer(text, asked=asked) is None


def test_the_exclamation_mark_of_a_sentence_is_no_factorial_for_sure():
    assert find_answer("The answer is 42!", asked="number").other == "42"
    assert find_answer(r"The answer is $5!$", asked="number").other is None
    assert find_answer(r"\boxed{5!}", asked="number").other is None


def test_boxes_with_names_may_mean_the_last_alone():
    found = find_answer(r"$k=\boxed{45}$, $n=\boxed{2}$", asked="number")
    assert (found.text, found.other) == ("45, 2", "2")
