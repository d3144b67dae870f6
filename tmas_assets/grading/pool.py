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
from dataclasses import dataclass, replace
from functools import partial
from types import TracebackType
from typing import Literal, Self

from pebble import ProcessExpired, ProcessPool

from tmas_assets.grading import concepts, gym_grader, worker
from tmas_assets.grading.choice import grader as choice
from tmas_assets.grading.math import grader as math_grader
from tmas_assets.grading.processes import forked_context
from tmas_assets.grading.versions import UnknownGrader, grader_version
from tmas_assets.records import Failure, Problem, Verdict

Kind = Literal["math", "reasoning_gym"]
_PRELOAD: dict[Kind, tuple[str, ...]] = {
    "math": ("tmas_assets.grading.worker", "tmas_assets.grading.math.symbol_leaf", "math_verify"),
    "reasoning_gym": ("tmas_assets.grading.worker", "tmas_assets.grading.gym_package"),
}
_TASKS_PER_WORKER = 2_000
"""A worker is replaced after so many, since the caches of its libraries only grow."""
_CPU_SHARE = 0.75
"""Of the limit, the CPU time a comparison gets: what is left is for ending the worker and telling the caller."""
_CLOCK_PER_CPU = 3
"""A worker is also killed after this many times the limit by the clock, in case it sleeps or the machine thrashes.
Its task is tried once more, since that is no fault of the task."""
_ATTEMPTS = 3
"""Tries of a task whose worker dies otherwise: out of memory, killed from outside, or along with its pool."""
_LOOK_SECONDS = 0.2
"""How often lost tasks are looked for and broken ones sent again: by then a broken pool shows as one."""
_IDLE_SECONDS = 30.0
"""Work that waits this long while no worker works was lost with a worker that died as it took it."""


@dataclass(frozen=True, eq=False)
class _Errand:
    """One task on its way: what to do, for whom, and how often it was tried."""

    done: "Future[Verdict]"
    kind: Kind
    task: Callable[[], Verdict]
    answer: str
    attempt: int = 1


class GraderPool:
    """Killable graders. Use as a context manager; `close` ends the workers."""

    def __init__(self, max_workers: int = 2, seconds: float = 2.0, idle_seconds: float = _IDLE_SECONDS) -> None:
        """`seconds`: what one grade may take on an idle machine, after which it is `failed` (timeout). It is counted
        in CPU time, so that a busy machine does not turn right answers into failures."""
        self._max_workers = max_workers
        self._seconds = seconds
        self._idle_seconds = idle_seconds
        self._pools: dict[Kind, ProcessPool] = {}
        self._running: dict[_Errand, tuple[Future[Verdict], ProcessPool]] = {}
        self._again: list[_Errand] = []
        self._lock = threading.Lock()
        self._closed = threading.Event()
        self._watch: threading.Thread | None = None

    async def grade(self, problem: Problem, text: str) -> Verdict:
        return await asyncio.wrap_future(self.submit(problem, text))

    def grade_sync(self, problem: Problem, text: str) -> Verdict:
        return self.submit(problem, text).result()

    def submit(self, problem: Problem, text: str) -> "Future[Verdict]":
        """The verdict, sooner or later; a grader that breaks gives a failed one. Raises UnknownGrader."""
        grader_version(problem.grader)
        done: Future[Verdict] = Future()
        if problem.grader == "concepts":
            done.set_result(concepts.grade_at_once(text=text, grading_data=problem.grading_data))
        elif problem.answer is None:
            done.set_result(_failed("no_gold", f"problem {problem.id} has no gold answer"))
        elif problem.grader == "choice":
            done.set_result(choice.grade_at_once(gold=problem.answer, text=text, grading_data=problem.grading_data))
        elif problem.grader == "reasoning_gym":
            asked = gym_grader.grade_at_once(gold=problem.answer, text=text, grading_data=problem.grading_data)
            if isinstance(asked, Verdict):
                done.set_result(asked)
            else:
                score = partial(worker.score, asked, self._seconds)
                self._send(_Errand(done, "reasoning_gym", score, asked.answers[0]))
        elif problem.grader in ("math", "integer"):
            compared = math_grader.grade_at_once(gold=problem.answer, text=text, whole=problem.grader == "integer")
            if isinstance(compared, Verdict):
                done.set_result(compared)
            else:
                decide = partial(worker.decide, compared, _CPU_SHARE * self._seconds)
                self._send(_Errand(done, "math", decide, compared.answer))
        else:
            raise UnknownGrader(f"grader {problem.grader!r} has a version and no pool")
        return done

    def close(self) -> None:
        """End the workers. A grade that is still asked for is cancelled."""
        self._closed.set()
        with self._lock:
            pools, self._pools = list(self._pools.values()), {}
            owed = [*self._running, *self._again]
        for errand in owed:
            errand.done.cancel()
        for pool in pools:
            _end(pool)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None,
                 trace: TracebackType | None) -> None:
        self.close()

    def _send(self, errand: _Errand) -> None:
        """Run the errand in a worker and settle its future with the verdict. Not to be called by a pool's thread."""
        pool = self._pool(errand.kind)
        try:
            running = pool.schedule(errand.task, timeout=_CLOCK_PER_CPU * self._seconds)
        except (RuntimeError, BrokenProcessPool) as error:
            self._send_again(errand, error)
            return
        with self._lock:
            self._running[errand] = running, pool
        errand.done.add_done_callback(lambda settled: self._forget(errand, running, settled.cancelled()))
        running.add_done_callback(lambda finished: self._finish(errand, finished))

    def _forget(self, errand: _Errand, running: "Future[Verdict]", cancelled: bool) -> None:
        with self._lock:
            self._running.pop(errand, None)
        if cancelled:
            running.cancel()

    def _finish(self, errand: _Errand, finished: "Future[Verdict]") -> None:
        error = CancelledError() if finished.cancelled() else finished.exception()
        about = f"on {errand.answer[:200]!r}"
        if error is None:
            _settle(errand, finished.result())
        elif isinstance(error, CancelledError):
            errand.done.cancel()
        elif isinstance(error, TimeoutError) and errand.attempt == 1:
            self._retry(errand, error)
        elif isinstance(error, TimeoutError) or (
                isinstance(error, ProcessExpired) and error.exitcode == -signal.SIGPROF):
            _settle(errand, _failed("timeout", f"over {self._seconds:g} s of CPU time {about}", errand.answer))
        elif isinstance(error, ProcessExpired | BrokenProcessPool):
            self._retry(errand, error)
        else:
            _settle(errand, _failed(type(error).__name__, f"{error} {about}", errand.answer))

    def _retry(self, errand: _Errand, error: Exception) -> None:
        with self._lock:
            was_running = self._running.pop(errand, None)
        if was_running is not None:  # else somebody has seen to it
            self._send_again(errand, error)

    def _send_again(self, errand: _Errand, error: Exception) -> None:
        if errand.attempt < _ATTEMPTS:
            with self._lock:
                self._again.append(replace(errand, attempt=errand.attempt + 1))
        else:
            about = f"the worker died ({error}) on {errand.answer[:200]!r}"
            _settle(errand, _failed("crash", about, errand.answer))

    def _pool(self, kind: Kind) -> ProcessPool:
        broken = None
        with self._lock:
            if self._closed.is_set():
                raise RuntimeError("the grader pool is closed")
            pool = self._pools.get(kind)
            if pool is not None and not pool.active:  # a worker that died between tasks takes its pool along
                broken, pool = pool, None
            if pool is None:
                pool = ProcessPool(self._max_workers, max_tasks=_TASKS_PER_WORKER, initializer=worker.enter,
                                   context=forked_context(_PRELOAD[kind]))
                self._pools[kind] = pool
            if self._watch is None:
                self._watch = threading.Thread(target=self._keep_watch, name="grader-watch", daemon=True)
                self._watch.start()
        if broken is not None:
            self._abandon(broken, BrokenProcessPool("its pool broke"))
        return pool

    def _abandon(self, pool: ProcessPool, reason: Exception) -> None:
        _end(pool)
        with self._lock:
            owed = [errand for errand, (_, where) in self._running.items() if where is pool]
        for errand in owed:
            self._retry(errand, reason)

    def _keep_watch(self) -> None:
        """Send again what broke. Start over where work waits and nobody works: a worker died as it took its task."""
        idle = 0.0
        while not self._closed.wait(_LOOK_SECONDS):
            with self._lock:
                again, self._again = self._again, []
                waiting = [running for running, _ in self._running.values()]
            for errand in again:
                with contextlib.suppress(RuntimeError):  # closed meanwhile, and so cancelled
                    if not errand.done.cancelled():
                        self._send(errand)
            works = any(running.running() for running in waiting)
            idle = 0.0 if works or not waiting else idle + _LOOK_SECONDS
            if idle >= self._idle_seconds:
                idle = 0.0
                with self._lock:
                    pools, self._pools = list(self._pools.values()), {}
                for pool in pools:
                    self._abandon(pool, BrokenProcessPool("it took the task and did not begin"))


def _end(pool: ProcessPool) -> None:
    pool.stop()  # type: ignore[no-untyped-call]
    pool.join()


def _settle(errand: _Errand, verdict: Verdict) -> None:
    with contextlib.suppress(InvalidStateError):  # nobody waits any more
        errand.done.set_result(verdict)


def _failed(kind: str, detail: str, answer: str | None = None) -> Verdict:
    return Verdict(outcome="failed", extracted=answer, failure=Failure(boundary="grader", kind=kind, detail=detail))
