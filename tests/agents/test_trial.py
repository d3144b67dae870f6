"""Trying a solution out: the program that is made of it, and how tests that are themselves to blame are told."""

import json

import pytest

from tmas_assets.agents.mas_tts.trial import MARK, Execution, coverage, not_run, program_of, ran, reads_input
from tmas_assets.records import Problem

SECRET = "assert solve(9) == 'hidden'"
CODE = Problem(
    benchmark="b", release="1", id="p", statement="Write a function solve(n) that returns twice n.", answer="def solve(n): return 2 * n",
    grader="code", grading_data=json.dumps({"tests": SECRET, "entry_point": "solve"}),
)  # fmt: skip
REPLY = "So:\n```python\ndef solve(n):\n    return 2 * n\n```\nDone."
HEADER = 'Traceback (most recent call last):\n  File "<string>", line 8, in <module>\n  File "resources.sandbox.inside.entry", line 47, in main\n'


def after(lines: str, ended: str = "exit status 1", agreed: bool = False) -> Execution:
    return ran("tests", "assert solve(2) == 4", stdout="", stderr=HEADER + lines, ended=ended, unsandboxed=False, agreed=agreed)


def test_the_program_is_the_solution_with_the_written_tests_and_without_the_hidden_ones():
    program = program_of(CODE, REPLY, "assert solve(2) == 4")
    assert program.broken is None
    names: dict[str, object] = {}
    exec(program.text.replace(f"print({MARK!r})", "done = True"), names)
    assert names["done"]
    assert "hidden" not in program.text
    assert SECRET not in program.text


def test_a_solution_that_goes_on_with_a_prompt_of_code_is_joined_with_it():
    prompt = 'from typing import List\n\n\ndef solve(n: int) -> List[int]:\n    """All below n."""\n'
    problem = CODE.model_copy(update={"statement": prompt, "grading_data": json.dumps({"tests": SECRET, "entry_point": "solve", "prompt": prompt})})
    program = program_of(problem, "```python\n    return list(range(n))\n```", "assert solve(2) == [0, 1]")
    exec(program.text, {})


def test_tests_that_bring_a_solution_of_their_own_try_the_candidates():
    tests = "def solve(n):\n    return 4\n\ndef helper():\n    return 4\n\nassert solve(2) == helper()"
    program = program_of(CODE, REPLY.replace("2 * n", "3 * n"), tests)
    assert program.broken is None
    with pytest.raises(AssertionError):
        exec(program.text, {})


def test_tests_that_need_what_nobody_was_asked_for_are_broken_and_not_run():
    program = program_of(CODE, REPLY, "assert double(2) == 4")
    assert program.text is None
    assert program.broken == "the tests need double, which the problem does not mention"
    assert not_run("tests", "t", program).broken == program.broken


def test_a_name_that_the_problem_asks_for_and_the_solution_lacks_is_the_solutions_fault():
    program = program_of(CODE, "```python\ndef other(n): return n\n```", "assert solve(2) == 4")
    assert program.broken is None
    assert program.text is not None


def test_a_solution_without_code_is_not_run_and_the_tests_are_not_to_blame():
    for text in ("```python\ndef solve(n:\n```", ""):
        program = program_of(CODE, text, "assert solve(2) == 4")
        assert program.broken is None
    assert not_run("tests", "t", program).ended == "the solution has no code"


@pytest.mark.parametrize(
    ("lines", "broken"),
    [
        ('  File "answer.py", line 9, in <module>\n  File "tests", line 2, in <module>\nTypeError: solve() takes 1', "line 2 of the tests stopped with TypeError"),
        ('  File "answer.py", line 9, in <module>\n  File "tests", line 1, in <module>\nNameError: name \'x\'', "line 1 of the tests stopped with NameError"),
        ('  File "answer.py", line 9, in <module>\n  File "tests", line 2, in <module>\n  File "answer.py", line 2, in solve\nTypeError: x', None),
        ('  File "answer.py", line 9, in <module>\n  File "tests", line 2, in <module>\nAssertionError', None),
        ('  File "answer.py", line 1, in <module>\nNameError: name \'y\' is not defined', None),
    ],
)  # fmt: skip
def test_an_error_in_the_tests_own_lines_is_theirs_and_a_failed_assertion_is_not(lines, broken):
    found = after(lines)
    assert (found.broken or "").startswith(broken or "")
    assert (found.broken is None) is (broken is None)


def test_an_assertion_that_fails_on_a_solution_all_critics_agree_on_puts_the_tests_in_doubt():
    lines = '  File "answer.py", line 9, in <module>\n  File "tests", line 2, in <module>\nAssertionError'
    assert after(lines, agreed=True).broken == "line 2 of the tests fails on a solution that all critics agree on"
    assert after(lines).broken is None
    assert after("", ended="passed", agreed=True).broken is None


def test_what_is_told_names_result_tests_output_and_blame_without_frames_of_the_sandbox():
    found = after('  File "answer.py", line 9, in <module>\n  File "tests", line 1, in <module>\nTypeError: <f at 0x7fb1b1651800>')
    told = found.told()
    assert told.startswith("Result: exit status 1\nStopped at the test: assert solve(2) == 4\nThe tests are broken")
    assert "assert solve(2) == 4" in told
    assert "resources.sandbox" not in told
    assert "0x7fb1b1651800" not in told


def test_a_program_of_standard_input_is_told_by_the_form_of_its_data_and_gets_the_written_input():
    problem = CODE.model_copy(update={"grading_data": json.dumps({"stdin": "SECRET", "stdout": "4"})})
    assert reads_input(problem)
    assert not reads_input(CODE)
    program = program_of(problem, "```python\nprint(int(input()) * 2)\n```", "2\n")
    assert (program.text.strip(), program.stdin) == ("print(int(input()) * 2)", "2\n")


CONCEPTS = Problem(
    benchmark="commongen_hard", release="1", id="c", statement="Use dog, run, tree.", answer="dog, run, tree", grader="concepts",
    grading_data=json.dumps({"concepts": ["dog", "run", "tree"]}),
)  # fmt: skip


def test_coverage_counts_words_in_any_form_and_names_the_missing_ones():
    found = coverage(CONCEPTS, "A dog ran over the green meadow.")
    assert (found.ended, found.missing) == ("2 of 3 words are used", ("tree",))
    assert coverage(CONCEPTS, "The dogs were running around a tree.").missing == ()


def test_a_bare_list_covers_nothing_and_says_why():
    found = coverage(CONCEPTS, "dog, run, tree")
    assert (found.ended, found.missing) == ("0 of 3 words are used; words in a bare list do not count", ())


def test_coverage_of_a_problem_without_words_is_an_error():
    with pytest.raises(ValueError, match="names no concepts"):
        coverage(CONCEPTS.model_copy(update={"grading_data": "{}"}), "A dog.")


@pytest.mark.parametrize("deep", ["+".join(["1"] * 900), "not " * 900 + "0", "solve(1)" + ".real" * 900, "lambda: " * 400 + "1"])
def test_tests_however_deep_are_joined_with_a_solution_of_the_same_name(deep):
    own = f"@staticmethod\ndef solve(n):\n    return 3\nassert {deep}"
    program = program_of(CODE, REPLY, own)
    assert program.text is not None
    assert "return 3" not in program.text


def test_lines_of_tests_keep_their_numbers_where_their_own_solution_is_taken_out():
    own = "def solve(n):\n    return 2\n\nassert solve(1) == 2\nassert solve(2) == 5"
    program = program_of(CODE, REPLY, own)
    with pytest.raises(AssertionError) as caught:
        exec(program.text, {})
    assert caught.tb.tb_next.tb_next.tb_lineno == 5
