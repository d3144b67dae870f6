"""References of code problems run against their own tests in the sandbox; without one that is said, and not called wrong."""

import json
import shutil

import pytest

from tmas_assets.benchmarks import benchmark
from tmas_assets.checks.golds import check_golds
from tmas_assets.engine.graders import Graders
from tmas_assets.records import Problem, canonical_json

with_sandbox = pytest.mark.skipif(shutil.which("bwrap") is None, reason="needs bubblewrap")


def code(id_, gold, tests, **data):
    return Problem(benchmark="b", release="r", id=id_, statement="Write f.", answer=gold, grader="code",
                   grading_data=canonical_json({"entry_point": "f", "tests": tests, **data}))


RIGHT = code("right", "def f(x):\n    return x + 1\n", "assert f(1) == 2\n")
WRONG = code("wrong", "def f(x):\n    return x\n", "assert f(1) == 2\n")


def read(released, name):
    entry = benchmark(name)
    return entry.read(released(name, entry.default_release), entry.Settings(), entry.default_release)


@with_sandbox
def test_a_reference_that_fails_its_own_tests_is_named_with_the_reason():
    with Graders(max_workers=2) as graders:
        assert check_golds([RIGHT], graders.submit).passed
        finding = check_golds([RIGHT, WRONG], graders.submit)
    assert not finding.passed
    assert finding.severity == "error"
    assert [offence.id for offence in finding.offences] == ["wrong"]


@with_sandbox
def test_published_references_pass_their_own_tests(released):
    """A sample, and all thirteen tasks of MBPP that need the imports of their tests; the asset check runs every one."""
    mbpp = read(released, "mbpp_sanitized")
    imports = [one for one in mbpp if json.loads(one.grading_data)["tests"].startswith(("import ", "from "))]
    with Graders(max_workers=2) as graders:
        finding = check_golds([*read(released, "humaneval")[::8], *imports, *mbpp[::16]], graders.submit)
    assert len(imports) == 13
    assert finding.passed, finding.offences
    assert "0 undecided, 0 wrong, 0 failed" in finding.said


def test_without_a_sandbox_the_check_warns_with_the_command_that_installs_it(monkeypatch):
    monkeypatch.setenv("PATH", "/nonexistent")
    with Graders(max_workers=1) as graders:
        finding = check_golds([RIGHT, WRONG], graders.submit)
    assert not finding.passed
    assert finding.severity == "warn"
    assert "2 references were not run" in finding.said
    assert "apt-get install bubblewrap" in finding.said
    assert [offence.id for offence in finding.offences] == ["right", "wrong"]


def test_references_run_without_a_sandbox_are_counted_as_such():
    with Graders(max_workers=1, isolation="none") as graders:
        finding = check_golds([RIGHT], graders.submit)
    assert finding.passed
    assert "1 ran without a sandbox" in finding.said
