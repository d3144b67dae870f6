"""HumanEval and MBPP: a reference passes its own tests, a wrong one does not, imports of the tests are honoured."""

import gzip
import json
import subprocess
import sys

import pytest

from tmas_assets.benchmarks import BenchmarkError, benchmark, check_problems
from tmas_assets.benchmarks.mbpp_sanitized import entry_point


def problems(released, name):
    entry = benchmark(name)
    read = entry.read(released(name, entry.default_release), entry.Settings(), entry.default_release)
    check_problems(read, entry.releases[entry.default_release], name)
    return {problem.id: problem for problem in read}


def passes(code, tests):
    """Whether the tests run to their end after the code: the released references are trusted, so no sandbox here."""
    done = subprocess.run([sys.executable, "-c", f"{code}\n{tests}\nprint('ran')"], capture_output=True, text=True, timeout=60)
    return done.stdout.endswith("ran\n")


def test_every_reference_of_humaneval_defines_its_entry_point_and_compiles(released):
    found = problems(released, "humaneval")
    for problem in found.values():
        data = json.loads(problem.grading_data)
        assert sorted(data) == ["entry_point", "prompt", "tests"]
        assert data["prompt"] == problem.statement
        assert data["tests"].endswith(f"check({data['entry_point']})\n")
        assert f"def {data['entry_point']}(" in problem.answer
        compile(f"{problem.answer}\n{data['tests']}", problem.id, "exec")
    assert list(found)[:2] == ["HumanEval/0", "HumanEval/1"]


@pytest.mark.parametrize("id_", ["HumanEval/0", "HumanEval/32", "HumanEval/163"])
def test_a_reference_of_humaneval_passes_and_an_empty_function_does_not(released, id_):
    problem = problems(released, "humaneval")[id_]
    tests = json.loads(problem.grading_data)["tests"]
    assert passes(problem.answer, tests)
    assert not passes(problem.statement + "    return None\n", tests)


def test_mbpp_is_the_official_test_range_with_the_assertions_in_the_statement(released):
    found = problems(released, "mbpp_sanitized")
    assert min(int(id_) for id_ in found) == 11
    assert max(int(id_) for id_ in found) == 479
    assert found["11"].statement == (
        "Write a python function to remove first and last occurrence of a given character from the string.\n"
        "Your code should pass these tests:\n\n"
        'assert remove_Occ("hello","l") == "heo"\nassert remove_Occ("abcda","a") == "bcd"\n'
        'assert remove_Occ("PHP","P") == "H"'
    )
    for problem in found.values():
        assert json.loads(problem.grading_data)["entry_point"] in problem.statement


def test_the_thirteen_tasks_that_need_an_import_have_it_and_pass_by_it_alone(released):
    found = problems(released, "mbpp_sanitized")
    needing = []
    for problem in found.values():
        tests = json.loads(problem.grading_data)["tests"]
        if tests.startswith(("import ", "from ")):
            needing.append((problem, tests))
    assert len(needing) == 13
    problem, tests = needing[0]
    assert passes(problem.answer, tests)
    without = problem.answer.replace("import math\n", ""), tests.replace("import math\n", "")
    assert not passes(*without)


@pytest.mark.parametrize(
    ("code", "tests", "name"),
    [
        ("def f(x): return x", ["assert set(f(1)) == set(f(2))"], "f"),
        ("import math\ndef area(r): return r", ["assert math.isclose(area(1), 1)"], "area"),
        ("def helper(): pass\ndef g(): helper()", ["assert g() is None"], "g"),
        ("class A:\n  def m(self): pass\ndef h(): return A()", ["assert h().m() is None"], "h"),
    ],
)
def test_the_entry_point_is_what_the_first_assertion_calls_of_the_reference(code, tests, name):
    assert entry_point(code, tests, "here") == name


@pytest.mark.parametrize(
    ("code", "tests", "said"),
    [("x = 1", ["assert set([1])"], "no test calls"), ("def f(", ["assert f()"], "not Python")],
)
def test_a_task_without_an_entry_point_is_named(code, tests, said):
    with pytest.raises(BenchmarkError, match=f"here: .*{said}"):
        entry_point(code, tests, "here")


def test_zipped_rows_are_read_whatever_wrote_the_zip_and_a_torn_file_is_refused(released):
    entry = benchmark("humaneval")
    ((path, content),) = released("humaneval", "openai").items()
    again = gzip.compress(gzip.decompress(content), mtime=7)
    assert again != content
    assert entry.read({path: again}, entry.Settings(), "openai") == entry.read({path: content}, entry.Settings(), "openai")
    with pytest.raises(BenchmarkError, match="cannot be unzipped"):
        entry.read({path: content[:-100]}, entry.Settings(), "openai")
    with pytest.raises(BenchmarkError, match="cannot be unzipped"):
        entry.read({path: b"<html>"}, entry.Settings(), "openai")
