"""Grading sets: ours beside this file, and a larger one where the machine has it (TMAS_CASES, or a folder beside
the repository). Each line is one case; the note says what it is about. All of them go through `tmas grade`'s own code.

Ours: `expected` is the outcome, or a list of those allowed; of a parse row it is the value, null for none. The other
set: `expected` is true or false (and a case that should be right may end as undecided where its note says so), or the
value of a parse row.
"""

import json
import os
import shutil
from pathlib import Path

import pytest

from tmas_assets.engine.grade_rows import grade_rows
from tmas_assets.engine.graders import Graders

HERE = Path(__file__).resolve()
SHARED = Path(os.environ.get("TMAS_CASES") or HERE.parents[3] / "shared" / "cases")


def rows(path):
    return [json.loads(line) for line in path.read_bytes().split(b"\n") if line] if path.is_file() else []


OWN = rows(HERE.with_name("grading.jsonl"))
OTHERS = rows(SHARED / "grading.jsonl")


def named(cases):
    return [pytest.param(case, id=case["id"]) for case in cases]


@pytest.fixture(scope="module")
def graders():
    with Graders(max_workers=1) as graders:
        yield graders


def grade(graders, case):
    if case["kind"] == "code" and shutil.which("bwrap") is None:
        pytest.skip("bubblewrap is not installed")
    (row,) = grade_rows([json.dumps(case).encode()], graders, max_workers=1)
    return row


def check_value(case, row):
    expected = case["expected"]
    if isinstance(expected, float):
        expected = pytest.approx(expected, rel=1e-12)
    assert type(row.extracted) is type(case["expected"])
    assert row.extracted == expected, (case["note"], row)
    assert row.outcome == ("wrong" if case["expected"] is None else "right")


def test_our_cases_are_there():
    assert len(OWN) > 300
    assert len({case["id"] for case in OWN}) == len(OWN)


@pytest.mark.parametrize("case", named(OWN))
def test_our_case(graders, case):
    row = grade(graders, case)
    if case["kind"] == "parse":
        check_value(case, row)
        return
    expected = case["expected"] if isinstance(case["expected"], list) else [case["expected"]]
    assert row.outcome in expected, (case["note"], row)


@pytest.mark.skipif(not OTHERS, reason=f"no grading.jsonl in {SHARED}; set TMAS_CASES")
@pytest.mark.parametrize("case", named(OTHERS))
def test_case(graders, case):
    row = grade(graders, case)
    if case["kind"] == "parse":
        check_value(case, row)
        return
    open_allowed = "undecided allowed" in case["note"]
    expected = {"right", "undecided"} if case["expected"] and open_allowed else {"right"} if case["expected"] else {"wrong"}
    assert row.outcome in expected, (case["note"], row)
