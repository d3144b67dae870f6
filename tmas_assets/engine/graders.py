"""Every grader that needs no model, behind one door: the problem's `grader` says which one reads the answer.

Comparisons run in a pool of killable workers. Leaves out judges: those are asked by `judging.py` where this ends undecided.
"""

import asyncio
from concurrent.futures import Future
from types import TracebackType
from typing import Self

from tmas_assets.grading.pool import GraderPool
from tmas_assets.records import Problem, Verdict


class Graders:
    """Use as a context manager; `close` ends the workers. Usable from any thread and any event loop."""

    def __init__(self, max_workers: int = 2, seconds: float = 2.0) -> None:
        """`seconds`: CPU time that one comparison may use."""
        self._pool = GraderPool(max_workers, seconds)

    def submit(self, problem: Problem, text: str) -> "Future[Verdict]":
        """The verdict on the reply `text`, sooner or later. Raises UnknownGrader."""
        return self._pool.submit(problem, text)

    async def grade(self, problem: Problem, text: str) -> Verdict:
        return await asyncio.wrap_future(self.submit(problem, text))

    def grade_sync(self, problem: Problem, text: str) -> Verdict:
        return self.submit(problem, text).result()

    def close(self) -> None:
        """End the workers. A grade that is still asked for is cancelled."""
        self._pool.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None,
                 trace: TracebackType | None) -> None:
        self.close()
