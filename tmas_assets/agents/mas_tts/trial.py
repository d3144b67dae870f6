"""Trying a solution out: the program made of its code and the executor's tests, and what came of running it.

Tests are judged too. They are broken, and written anew in the next round, where
1. they need a name that the solution does not define and the problem does not mention, or cannot be joined with the solution;
2. an error that is no failed assertion stops them in one of their own lines;
3. an assertion of theirs fails on a solution that the critics had agreed on: then either may be wrong, and other tests tell.
Nothing here knows the gold or the hidden tests: names come from the statement and from the written tests. Pure.
"""

import ast
import json
import re
from typing import Literal

from tmas_assets.grading import concepts
from tmas_assets.grading.code.data import BadGradingData, CodeTests
from tmas_assets.grading.code.names import defined, needed, parse
from tmas_assets.grading.code.program import asked
from tmas_assets.grading.code.text import answer_code, program_code
from tmas_assets.records import Problem, Record

MARK = "all tests were run"
"""Last line of the output where no test failed."""
_ADDRESS = re.compile(r"\b0x[0-9a-fA-F]{6,}\b")
_FRAME = re.compile(r'^  File "([^"\n]*)", line (\d+)', re.MULTILINE)
_TESTS = "tests"


class Execution(Record):
    """What was tried and what came of it: kept as the turn `Execution`."""

    kind: Literal["tests", "input", "concepts"]
    written: str
    """The tests or the input; empty for concepts."""
    ended: str
    stdout: str = ""
    stderr: str = ""
    missing: tuple[str, ...] = ()
    """Concepts that the text does not use."""
    broken: str | None = None
    """Why the tests or the input, and not the solution, are to blame; None where they are not."""
    unsandboxed: bool = False

    @property
    def passed(self) -> bool:
        return self.broken is None and self.ended == "passed"

    def told(self) -> str:
        """The whole in words."""
        lines = [f"Result: {self.ended}"]
        if self.kind == "tests" and self.ended != "passed" and (at := self._stopped_at()):
            lines.append(f"Stopped at the test: {at}")
        if self.broken is not None:
            lines.append(f"The tests are broken, so this says nothing of the solution: {self.broken}")
        if self.missing:
            lines.append(f"Words not used: {', '.join(self.missing)}")
        for name, text in (("Tests" if self.kind == "tests" else "Input", self.written), ("Output", self.stdout), ("Errors", self.stderr)):
            if text.strip():
                lines.append(f"{name}:\n{text.strip()}")
        return "\n".join(lines)


    def _stopped_at(self) -> str:
        """The line of the tests that was run last; empty where none was."""
        numbers = [int(number) for name, number in _FRAME.findall(self.stderr) if name == _TESTS]
        lines = self.written.split("\n")
        return lines[numbers[-1] - 1].strip() if numbers and numbers[-1] <= len(lines) else ""


class Program(Record):
    """A program to run, or why there is none."""

    text: str | None
    stdin: str = ""
    fault: str = ""
    """Of the solution, where it has no code."""
    broken: str | None = None
    """Of the tests, where they cannot be run with it."""


def reads_input(problem: Problem) -> bool:
    """Whether the solution is a program of standard input and output: by the form of its grading data, not by its content."""
    try:
        data = json.loads(problem.grading_data)
    except ValueError:
        return False
    return isinstance(data, dict) and "stdin" in data and "tests" not in data


def program_of(problem: Problem, text: str, written: str) -> Program:
    """The solution `text` with the tests (or input) `written`."""
    if reads_input(problem):
        code = program_code(text)
        return Program(text=code, stdin=written, fault="" if code else "the solution has no code")
    try:
        want = asked(CodeTests(tests=written, prompt=problem.statement))
    except BadGradingData as error:
        return Program(text=None, broken=str(error))
    code = answer_code(text, want.wanted or defined(written), want.prompt, want.given)
    if code is None:
        return Program(text=None, fault="the solution has no code")
    if parse(code) is None:
        return Program(text=code)  # running it says why it is no Python
    offered = defined(code) | defined(want.preamble)
    tests = _without(written, offered)
    strange = sorted(name for name in needed(tests) - offered if not re.search(rf"\b{re.escape(name)}\b", problem.statement))
    if strange:
        return Program(text=None, broken=f"the tests need {', '.join(strange)}, which the problem does not mention")
    run = f"exec(compile({tests!r}, {_TESTS!r}, 'exec'), globals())\nprint({MARK!r})"
    return Program(text="\n\n".join(part for part in (want.preamble, code, run) if part))


def _without(tests: str, offered: frozenset[str]) -> str:
    """The tests without functions and classes of their own that the solution defines: it is the solution that is tried.

    Their lines are emptied, so that all others keep their numbers; no other statement can stand on a line of theirs.
    """
    tree = parse(tests)
    lines = re.split(r"\r\n?|\n", tests)
    for node in tree.body if tree else ():
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) and node.name in offered:
            first = min(part.lineno for part in (node, *node.decorator_list))
            lines[first - 1 : node.end_lineno] = [""] * ((node.end_lineno or first) - first + 1)
    return "\n".join(lines)


def ran(
    kind: Literal["tests", "input"], written: str, *, stdout: str, stderr: str, ended: str, unsandboxed: bool, agreed: bool
) -> Execution:
    """What came of a run; `agreed`: whether the critics had agreed on the solution."""
    errors = _steady(_own_frames(stderr))
    broken = _blame(errors, ended, agreed=agreed) if kind == "tests" else None
    return Execution(kind=kind, written=written, ended=ended, stdout=_steady(stdout), stderr=errors, broken=broken,
                     unsandboxed=unsandboxed)  # fmt: skip


def not_run(kind: Literal["tests", "input"], written: str, program: Program) -> Execution:
    return Execution(kind=kind, written=written, ended=program.fault or "not run", broken=program.broken)


def coverage(problem: Problem, text: str) -> Execution:
    """Which of the statement's words a text uses, by the rule that grades it. Raises ValueError for a problem without words."""
    verdict = concepts.grade_at_once(text=text, grading_data=problem.grading_data)
    if verdict.failure is not None or verdict.credit is None:
        raise ValueError(f"{problem.benchmark} {problem.id}: {verdict.failure.detail if verdict.failure else 'no credit'}")
    words = concepts.ConceptTask.model_validate_json(problem.grading_data).concepts
    missing = tuple(word for word in words if not _uses(text, word))
    used = round(verdict.credit * len(dict.fromkeys(words)))
    listed = "; words in a bare list do not count" if len(words) - used > len(missing) else ""
    return Execution(kind="concepts", written="", ended=f"{used} of {len(words)} words are used{listed}", missing=missing)


def _uses(text: str, word: str) -> bool:
    # with another word beside it a text of this one alone is no list
    data = json.dumps({"concepts": [word]})
    return concepts.grade_at_once(text=f"{text} Here.", grading_data=data).credit == 1


def _own_frames(stderr: str) -> str:
    """The traceback from the first line of the solution or the tests on; what stands above are frames of the sandbox."""
    head, first, rest = stderr.partition('  File "answer.py"')
    return head.partition("Traceback (most recent call last):")[0] + first + rest if first else stderr


def _blame(errors: str, ended: str, *, agreed: bool) -> str | None:
    if ended == "passed":
        return None
    frames = _FRAME.findall(errors)
    last = errors.strip().split("\n")[-1]
    failed = last.startswith("AssertionError")
    if frames and frames[-1][0] == _TESTS and not failed and re.match(r"\w+(?:\.\w+)*(?::|$)", last):
        return f"line {frames[-1][1]} of the tests stopped with {last[:200]}"
    if failed and frames and any(name == _TESTS for name, _ in frames) and agreed:
        where = next(line for name, line in reversed(frames) if name == _TESTS)
        return f"line {where} of the tests fails on a solution that all critics agree on"
    return None


def _steady(text: str) -> str:
    """Without addresses in memory, which differ from run to run."""
    return _ADDRESS.sub("0x...", text)
