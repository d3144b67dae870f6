"""Grading sets: ours beside this file, and a larger one where the machine has it (TMAS_CASES, or a folder beside
the repository). Each line is one case; the note says what it is about.

Ours: `expected` is the outcome, or a list of those allowed. The other set: `expected` is true or false, and a case
that should be right may end as undecided where its note says so.
"""

import io
import os
from pathlib import Path

import pytest

from tmas_assets.benchmarks._tables import csv_rows, json_lines
from tmas_assets.grading import last_box, split_thinking
from tmas_assets.grading.find_answer import number_in
from tmas_assets.grading.pool import GraderPool
from tmas_assets.records import Problem

HERE = Path(__file__).resolve()
SHARED = Path(os.environ.get("TMAS_CASES") or HERE.parents[3] / "shared" / "cases")
ELSEWHERE = {"completion", "verdict", "score", "json", "vote", "pass_at_k", "context_error"}
"""Targets of `parse` that other rooms read: replies, agents, statistics."""


def rows(path):
    if not path.is_file():
        return []
    return [line.value for line in json_lines(io.BytesIO(path.read_bytes()))]


OWN = rows(HERE.with_name("grading.jsonl"))
OTHERS = rows(SHARED / "grading.jsonl")
MATH = [row for row in OTHERS if row["kind"] == "math"]
PARSE = [row for row in OTHERS if row["kind"] == "parse" and row["gold"] not in ELSEWHERE]


def named(cases):
    return [pytest.param(case, id=case["id"]) for case in cases]


@pytest.fixture(scope="module")
def graders():
    with GraderPool(max_workers=1) as pool:
        yield pool


def grade(graders, case):
    problem = Problem(benchmark="cases", release="", id=case["id"], statement="", answer=case["gold"], grader=case["kind"])
    return graders.grade_sync(problem, case["response"])


def read_columns(text):
    header = tuple(text.removeprefix("\ufeff").partition("\n")[0].split(","))
    return [row.get("answer") for row in csv_rows(text.encode(), "case", header)]


READERS = {
    "thinking": lambda text: dict(zip(("thinking", "answer"), split_thinking(text), strict=True)),
    "boxed": last_box,
    "number": number_in,
    "csv": read_columns,
    "jsonl": lambda text: sum(line.value is not None for line in json_lines(io.BytesIO(text.encode()))),
}


def test_our_cases_are_there():
    assert len(OWN) > 300
    assert len({case["id"] for case in OWN}) == len(OWN)


@pytest.mark.parametrize("case", named(OWN))
def test_our_case(graders, case):
    expected = case["expected"] if isinstance(case["expected"], list) else [case["expected"]]
    verdict = grade(graders, case)
    assert verdict.outcome in expected, (case["note"], verdict)


@pytest.mark.skipif(not OTHERS, reason=f"no grading.jsonl in {SHARED}; set TMAS_CASES")
@pytest.mark.parametrize("case", named(MATH))
def test_math_case(graders, case):
    open_allowed = "undecided allowed" in case["note"]
    expected = {"right", "undecided"} if case["expected"] and open_allowed else {"right"} if case["expected"] else {"wrong"}
    verdict = grade(graders, case)
    assert verdict.outcome in expected, (case["note"], verdict)


@pytest.mark.skipif(not OTHERS, reason=f"no grading.jsonl in {SHARED}; set TMAS_CASES")
@pytest.mark.parametrize("case", named(PARSE))
def test_parse_case(case):
    assert READERS[case["gold"]](case["response"]) == case["expected"], case["note"]
