"""A release with a repeated id, a missing gold or the wrong number of rows is refused."""

import pytest

from tmas_assets.benchmarks import BenchmarkError, Release, check_problems
from tmas_assets.records import Problem

RELEASE = Release(name="r", files=(), note="", rows=2)


def problem(**changes):
    return Problem(**{"benchmark": "b", "release": "r", "id": "a", "statement": "What?", "answer": "1", "grader": "math",
                      "source": "b.csv row 1", **changes})


def test_whole_problems_pass():
    check_problems([problem(), problem(id="c")], RELEASE, "b")


def test_a_repeated_id_shows_both_rows():
    twice = [problem(), problem(statement="Who?", source="b.csv row 2")]
    with pytest.raises(BenchmarkError, match=r"id 'a' twice, at b\.csv row 1 \('What\?'\) and b\.csv row 2 \('Who\?'\)"):
        check_problems(twice, RELEASE, "b")


@pytest.mark.parametrize("answer", [None, "", "  \n"])
def test_a_missing_gold_names_row_and_id(answer):
    with pytest.raises(BenchmarkError, match=r"b\.csv row 1 \(a\): no gold answer"):
        check_problems([problem(answer=answer)], None, "b")


def test_an_empty_statement_names_row_and_id():
    with pytest.raises(BenchmarkError, match=r"\(a\): empty statement"):
        check_problems([problem(statement=" ")], None, "b")


def test_an_empty_id_names_the_row():
    with pytest.raises(BenchmarkError, match=r"b\.csv row 1: empty id"):
        check_problems([problem(id="")], None, "b")


def test_another_number_of_rows_than_the_release_has_is_refused():
    with pytest.raises(BenchmarkError, match="1 problems, expected 2"):
        check_problems([problem()], RELEASE, "b")
