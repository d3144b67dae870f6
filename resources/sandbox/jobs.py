"""What a sandbox is asked to run, and what came of it."""

import json
from dataclasses import asdict, dataclass
from typing import Literal

Stop = Literal["wall", "cpu", "memory", "processes", "files", "output", "cancelled"]


@dataclass(frozen=True)
class TestJob:
    """An answer and tests that call it. The answer runs in a process that never holds the tests."""

    __test__ = False  # not a test itself, whatever its name says to pytest
    preamble: str
    """What the prompt brings along (imports, helpers); the answer builds on it, and the tests have their own."""
    code: str
    tests: str
    wanted: tuple[str, ...]
    """Names that the tests need from the answer; a builtin is the answer's for them only where it is among these."""
    declared: tuple[str, ...]
    """Classes that the problem itself declares."""
    mentioned: tuple[str, ...]
    """Words of the tests: of the answer's names only these are handed to them."""
    marker: str
    """Random; whoever says it at the end has held the tests."""
    followed: tuple[str, ...] = ()
    """Names that the tests read and never bind: where the answer binds them anew, the tests see it."""

    def task(self) -> bytes:
        return json.dumps(asdict(self)).encode()

    @property
    def input(self) -> bytes:
        return b""


@dataclass(frozen=True)
class ProgramJob:
    """An answer that reads standard input and writes standard output."""

    code: str
    stdin: str
    marker: str

    def task(self) -> bytes:
        return json.dumps({"code": self.code, "marker": self.marker}).encode()

    @property
    def input(self) -> bytes:
        return self.stdin.encode("utf-8", "surrogatepass")


Job = TestJob | ProgramJob


@dataclass(frozen=True)
class Report:
    """What the judging half said last."""

    marker: str
    outcome: str
    """`passed`, `failed` (the answer), `unusable` (the tests), `ended` (a program)."""
    reason: str
    status: int | None
    """Exit status of the answer's process, -n for signal n, None where it had not ended."""


@dataclass(frozen=True)
class Run:
    started: bool
    """Whether the answer came to run at all; if not, `errors` says why, and nothing is known about the answer."""
    report: Report | None
    stopped: Stop | None
    """The limit that ended it."""
    stdout: str
    errors: str
    """The end of standard error."""
