"""AIME answers stay text, leading zeros and all; the one faulty statement is repaired."""

import json

import pytest

from tmas_assets.benchmarks import BenchmarkError, benchmark, check_problems
from tmas_assets.benchmarks._aime import read_rows
from tmas_assets.engine.graders import Graders


def line(**changes):
    return json.dumps({"id": "a", "problem": "q", "expected_answer": "045", **changes}).encode() + b"\n"


@pytest.mark.parametrize("year", [2024, 2025])
def test_thirty_problems_of_one_to_three_digits(released, year):
    entry = benchmark(f"aime{year}")
    problems = entry.read(released(entry.name, entry.default_release), entry.Settings(), entry.default_release)
    check_problems(problems, entry.releases[entry.default_release], entry.name)
    assert {problem.grader for problem in problems} == {"integer"}
    assert all(problem.answer.isdigit() for problem in problems)


def test_a_leading_zero_is_kept_and_graded_by_value():
    (problem,) = read_rows("aime2024", "x.jsonl", line(), (), "r")
    assert problem.answer == "045"
    with Graders(max_workers=1) as graders:
        outcomes = [graders.grade_sync(problem, rf"\boxed{{{answer}}}").outcome for answer in ("45", "045", "450", "4.5")]
    assert outcomes == ["right", "right", "wrong", "wrong"]


@pytest.mark.parametrize("answer", ["1000", "-3", "4.5", "", "٤٥", "m+n"])
def test_an_answer_that_is_no_aime_answer_is_named(answer):
    with pytest.raises(BenchmarkError, match=r"x\.jsonl row 1 \(a\): answer"):
        read_rows("aime2024", "x.jsonl", line(expected_answer=answer), (), "r")


def test_an_answer_that_is_a_number_is_refused():
    with pytest.raises(BenchmarkError, match="expected_answer is 45, expected text"):
        read_rows("aime2024", "x.jsonl", line(expected_answer=45), (), "r")


def test_the_statement_without_its_domain_has_it_again_and_its_answer_holds(released):
    entry = benchmark("aime2025")
    problems = {p.id: p for p in entry.read(released("aime2025", "nemo_skills"), entry.Settings(), "nemo_skills")}
    assert [id_ for id_, problem in problems.items() if problem.errata] == ["aime25-29"]
    assert problems["aime25-29"].statement.startswith("For positive real  $x$")

    def lowest(k, low, high):
        return min((x - 18) * (x - 72) * (x - 98) * (x - k) / x for x in (low + (high - low) * n / 20_000 for n in range(1, 20_001)))

    for k, between in ((8, 49), (32, 55), (200, 97)):
        left, right = lowest(k, 0, between), lowest(k, between, 250)
        assert abs(left - right) < 1e-5 * abs(left), "two equal minima"
    assert sum((8, 32, 200)) == int(problems["aime25-29"].answer)
