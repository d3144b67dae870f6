"""Grades in worker processes that may be killed: no text can hang, crash or swell the process that asks.

What rational arithmetic decides is decided at once in the calling thread; a worker process starts with the first
answer that needs one. Usable from any thread and any event loop.
"""

import asyncio
import contextlib
import signal
import threading
from collections.abc import Callable
from concurrent.futures import CancelledError, Future, InvalidStateError, TimeoutError
from concurrent.futures.process import BrokenProcessPool
from functools import partial
from types import TracebackType
from typing import Literal, Self

from pebble import ProcessExpired, ProcessPool

from tmas_assets.grading import gym_grader, math_grader, worker
from tmas_assets.grading.processes import forked_context
from tmas_assets.grading.versions import UnknownGrader, grader_version
from tmas_assets.records import Failure, Problem, Verdict

Task = Callable[[], Verdict]
Kind = Literal["math", "reasoning_gym"]
_PRELOAD: dict[Kind, tuple[str, ...]] = {
    "math": ("tmas_assets.grading.worker", "math_verify"),
    "reasoning_gym": ("tmas_assets.grading.worker", "reasoning_gym"),
}
_TASKS_PER_WORKER = 2_000
"""A worker is replaced after so many, since the caches of its libraries only grow."""
_CLOCK_PER_CPU = 10
"""A worker is also killed after this many times the limit by the clock, in case it sleeps or the machine thrashes."""
_ATTEMPTS = 2
"""A worker that dies otherwise (out of memory, killed from outside) gets a second chance."""


class GraderPool:
    """Killable graders. Use as a context manager; `close` ends the workers."""

    def __init__(self, max_workers: int = 2, seconds: float = 2.0) -> None:
        """`seconds`: CPU time that one grade may use in its worker, after which it is `failed` (timeout)."""
        self._max_workers = max_workers
        self._seconds = seconds
        self._pools: dict[Kind, ProcessPool] = {}
        self._lock = threading.Lock()
        self._asked: set[Future[Verdict]] = set()
        self._closed = False

    async def grade(self, problem: Problem, text: str) -> Verdict:
        return await asyncio.wrap_future(self.submit(problem, text))

    def grade_sync(self, problem: Problem, text: str) -> Verdict:
        return self.submit(problem, text).result()

    def submit(self, problem: Problem, text: str) -> "Future[Verdict]":
        """The verdict, sooner or later; a grader that breaks gives a failed one. Raises UnknownGrader."""
        grader_version(problem.grader)
        done: Future[Verdict] = Future()
        if problem.answer is None:
            done.set_result(_failed("no_gold", f"problem {problem.id} has no gold answer"))
        elif problem.grader == "reasoning_gym":
            asked = gym_grader.grade_at_once(gold=problem.answer, text=text, grading_data=problem.grading_data)
            if isinstance(asked, Verdict):
                done.set_result(asked)
            else:
                self._ask(done, "reasoning_gym", partial(worker.score, asked, self._seconds), asked.answers[0])
        elif problem.grader in ("math", "integer"):
            compared = math_grader.grade_at_once(
                gold=problem.answer, text=text, whole=problem.grader == "integer")
            if isinstance(compared, Verdict):
                done.set_result(compared)
            else:
                self._ask(done, "math", partial(worker.decide, compared, self._seconds), compared.answer)
        else:
            raise UnknownGrader(f"grader {problem.grader!r} has a version and no pool")
        return done

    def close(self) -> None:
        """End the workers. A grade that is still asked for is cancelled."""
        with self._lock:
            self._closed = True
            pools, self._pools = list(self._pools.values()), {}
            asked, self._asked = self._asked, set()
        for future in asked:
            future.cancel()
        for pool in pools:
            _end(pool)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None,
                 trace: TracebackType | None) -> None:
        self.close()

    def _ask(self, done: "Future[Verdict]", kind: Kind, task: Task, answer: str, attempt: int = 1) -> None:
        """Run `task` in a worker and settle `done` with its verdict."""
        try:
            running = self._pool(kind).schedule(task, timeout=_CLOCK_PER_CPU * self._seconds)
        except (RuntimeError, BrokenProcessPool) as error:
            if self._closed:
                raise
            self._give_up_or_retry(error, done, kind, task, answer, attempt)
            return
        with self._lock:
            self._asked.add(done)
        done.add_done_callback(lambda settled: self._forget(settled, running))
        running.add_done_callback(lambda finished: self._finish(finished, done, kind, task, answer, attempt))

    def _forget(self, settled: "Future[Verdict]", running: "Future[Verdict]") -> None:
        with self._lock:
            self._asked.discard(settled)
        if settled.cancelled():
            running.cancel()

    def _finish(self, finished: "Future[Verdict]", done: "Future[Verdict]", kind: Kind, task: Task, answer: str,
                attempt: int) -> None:
        error = CancelledError() if finished.cancelled() else finished.exception()
        if error is None:
            _settle(done, finished.result())
        elif isinstance(error, CancelledError):
            done.cancel()
        elif isinstance(error, TimeoutError) or (
                isinstance(error, ProcessExpired) and error.exitcode == -signal.SIGPROF):
            _settle(done, _failed("timeout", f"over {self._seconds:g} s of CPU time on {answer[:200]!r}", answer))
        elif isinstance(error, ProcessExpired | BrokenProcessPool):
            self._give_up_or_retry(error, done, kind, task, answer, attempt)
        else:
            _settle(done, _failed(type(error).__name__, f"{error} on {answer[:200]!r}", answer))

    def _give_up_or_retry(self, error: Exception, done: "Future[Verdict]", kind: Kind, task: Task, answer: str,
                          attempt: int) -> None:
        if attempt < _ATTEMPTS and not self._closed and not done.cancelled():
            self._ask(done, kind, task, answer, attempt + 1)
        else:
            _settle(done, _failed("crash", f"the worker died ({error}) on {answer[:200]!r}", answer))

    def _pool(self, kind: Kind) -> ProcessPool:
        with self._lock:
            if self._closed:
                raise RuntimeError("the grader pool is closed")
            pool = self._pools.get(kind)
            if pool is not None and not pool.active:  # a worker that died between tasks takes its pool along
                _end(pool)
                pool = None
            if pool is None:
                pool = ProcessPool(self._max_workers, max_tasks=_TASKS_PER_WORKER, initializer=worker.enter,
                                   context=forked_context(_PRELOAD[kind]))
                self._pools[kind] = pool
            return pool


def _end(pool: ProcessPool) -> None:
    pool.stop()  # type: ignore[no-untyped-call]
    pool.join()


def _settle(done: "Future[Verdict]", verdict: Verdict) -> None:
    with contextlib.suppress(InvalidStateError):  # nobody waits any more
        done.set_result(verdict)


def _failed(kind: str, detail: str, answer: str | None = None) -> Verdict:
    return Verdict(outcome="failed", extracted=answer, failure=Failure(boundary="grader", kind=kind, detail=detail))
