"""Golds that stand in their statement as the answer are found; ordinary statements with numbers are left alone."""

import pytest

from tmas_assets.benchmarks import benchmark
from tmas_assets.checks.leaked_golds import check_leaked_golds
from tmas_assets.grading.leak import leak
from tmas_assets.records import Problem


def problem(statement, answer, **changes):
    return Problem(**{"benchmark": "b", "release": "r", "id": "a", "statement": statement, "answer": answer,
                      "grader": "math", **changes})


@pytest.mark.parametrize(
    ("statement", "answer"),
    [
        ("Find the sum of 1 to 10, which is 1 + 2 + ... + 10 = 55. What is it?", "55"),
        ("Find $CE$. Then $CE = 104$.", "104"),
        (r"Find $x$. We get $x=\boxed{55}$ after all. What is $x$?", "$55$"),
        (r"Find $x$. \boxed{\frac{1}{2}}", r"$\frac{1}{2}$"),
        ("Find x. The answer is 55.", "55"),
        ("Find x.\nAnswer: 55", "55"),
        ("Find x. #### 55", "55"),
        (r"Thus $f(x) = x^2 + 1$. Which function is it?", "$x^2+1$"),
    ],
)  # fmt: skip
def test_a_gold_handed_out_is_found(statement, answer):
    assert leak(problem(statement, answer)) is not None


@pytest.mark.parametrize(
    ("statement", "answer"),
    [
        ("Solve $x + y = 5$ and $x - y = 1$ for $x$.", "3"),
        ("For $n = 2$ and $n = 3$, how many of the 5 numbers are prime?", "3"),
        ("If $x^2 = 4$ and $x > 0$, what is $x$? Express it as a number below 10.", "2"),
        ("Let $a = 3$ and let $b$ be the number of digits of $10^a$. What is $a \\cdot b - 9$?", "3"),
        ("Give the answer as 3 digits.", "3"),
        (r"Put the answer in \boxed{}.", "3"),
        ("There are 55 sheep and 5 dogs. How old is the shepherd?", "55"),
        ("$f(3) = 550$. What is it?", "55"),
    ],
)
def test_a_number_that_merely_occurs_is_no_leak(statement, answer):
    assert leak(problem(statement, answer)) is None


def test_a_key_letter_is_found_where_it_is_announced_and_not_where_it_stands_as_an_option():
    options = "\n\nA) 3\nB) 4"
    assert leak(problem(f"Which? The correct option is B.{options}", "B", grader="choice")) is not None
    assert leak(problem(f"Which = B?{options}", "B", grader="choice")) is None


def test_a_reference_program_in_the_statement_is_found():
    body = "    total = sum(numbers)\n    return total / len(numbers)\n"
    head = "def mean(numbers):\n"
    assert leak(problem(head + body + "    # finish this", head + body, grader="code")) is not None
    assert leak(problem(head, head + body, grader="code")) is None


def test_concepts_list_their_words_on_purpose():
    assert leak(problem("Use these words: dog, park.", "dog, park", grader="concepts")) is None


_LOCAL = ["aime2024", "aime2025", "math500", "imo_answerbench", "humaneval", "mbpp_sanitized"]


def read(released, name):
    entry = benchmark(name)
    return entry.read(released(name, entry.default_release), entry.Settings(), entry.default_release)


@pytest.mark.parametrize("name", _LOCAL)
def test_no_published_statement_is_flagged(released, name):
    finding = check_leaked_golds(read(released, name))
    assert finding.passed, finding.offences


@pytest.mark.parametrize("way", [" It comes to = {}. What is it?", " \\boxed{{{}}}", " The final answer is {}.", "\nAnswer: {}"])
@pytest.mark.parametrize("name", ["aime2024", "aime2025", "math500", "imo_answerbench"])
def test_a_gold_put_into_any_published_statement_is_found(released, name, way):
    problems = read(released, name)
    spoilt = [one.model_copy(update={"statement": one.statement + way.format(one.answer)}) for one in problems]
    found = check_leaked_golds(spoilt)
    # a gold of several sentences or equations is not the last value of anything
    assert len(found.offences) >= 0.95 * len(problems), sorted({p.answer for p in problems if leak(p) is None})[:20]
