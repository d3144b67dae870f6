"""Every grader that needs no model, behind one door: the problem's `grader` says which one reads the answer.

Comparisons run in a pool of killable workers, code in a sandbox that is set up with the first code to grade. Leaves
out judges: those are asked by `judging.py` where this ends undecided.
"""

import asyncio
import threading
from collections.abc import Iterable
from concurrent.futures import Future
from types import TracebackType
from typing import Self

from resources.sandbox.bubblewrap import SandboxFault
from resources.sandbox.limits import Isolation
from tmas_assets.engine.code_grader import CodeGrader
from tmas_assets.grading.pool import GraderPool
from tmas_assets.records import Failure, Problem, Verdict
from tmas_assets.strategies import Ran


class Graders:
    """Use as a context manager; `close` ends the workers. Usable from any thread and any event loop."""

    def __init__(self, max_workers: int = 2, seconds: float = 2.0, isolation: Isolation = "bubblewrap") -> None:
        """`seconds`: CPU time that one comparison may use. `isolation`: what code runs in."""
        self._pool = GraderPool(max_workers, seconds)
        self._isolation, self._max_workers = isolation, max_workers
        self._code: CodeGrader | None = None
        self._lock = threading.Lock()

    def require(self, graders: Iterable[str]) -> None:
        """To be asked before answers are paid for. Raises SandboxFault where one of these graders cannot work here."""
        if "code" in graders:
            self._code_grader()

    def submit(self, problem: Problem, text: str) -> "Future[Verdict]":
        """The verdict on the reply `text`, sooner or later; failed where its grader cannot work. Raises UnknownGrader."""
        if problem.grader == "code":
            try:
                return self._code_grader().submit(problem, text)
            except SandboxFault as fault:
                refused: Future[Verdict] = Future()
                failure = Failure(boundary="grader", kind="sandbox", detail=str(fault))
                refused.set_result(Verdict(outcome="failed", failure=failure))
                return refused
        return self._pool.submit(problem, text)

    async def grade(self, problem: Problem, text: str) -> Verdict:
        verdict = self.submit(problem, text)
        at_once = verdict.done() and not verdict.cancelled()
        return verdict.result() if at_once else await asyncio.wrap_future(verdict)

    def grade_sync(self, problem: Problem, text: str) -> Verdict:
        return self.submit(problem, text).result()

    async def run_code(self, program: str, stdin: str = "") -> Ran:
        """Run a program in the sandbox. Raises SandboxFault where there is none to be had."""
        return await asyncio.wrap_future(self._code_grader().run_program(program, stdin))

    def close(self) -> None:
        """End the workers. A grade that is still asked for is cancelled."""
        self._pool.close()
        if self._code is not None:
            self._code.close()

    def _code_grader(self) -> CodeGrader:
        with self._lock:
            if self._code is None:
                self._code = CodeGrader(self._isolation, max_workers=self._max_workers)
            return self._code

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None,
                 trace: TracebackType | None) -> None:
        self.close()
