"""A thread that does small jobs in batches: whatever queued up meanwhile goes into the next batch.

So many waiting callers share one transaction and its flush to disk. Callers await from any event loop. Leaves out
what a batch does.
"""

import asyncio
import contextlib
import queue
import threading
import time
from collections.abc import Callable, Sequence
from typing import Generic, TypeVar

Job = TypeVar("Job")
Result = TypeVar("Result")


class Batches(Generic[Job, Result]):
    """`work` gets a list of jobs, oldest first, and gives as many results; an error of it is every caller's error.

    A batch waits in steps of `pause` seconds as long as each step brings company, `longest` in all, and holds
    `largest` jobs at most. The thread starts with the first job and ends with `close()`, which first does what is
    queued.
    """

    def __init__(
        self,
        name: str,
        work: Callable[[Sequence[Job]], Sequence[Result]],
        *,
        largest: int = 500,
        pause: float = 0.002,
        longest: float = 0.012,
    ) -> None:
        self._name = name
        self._work = work
        self._largest = largest
        self._pause = pause
        self._longest = longest
        self._queue: queue.SimpleQueue[list[tuple[Job, asyncio.Future[Result]]] | None] = queue.SimpleQueue()
        self._pending: dict[asyncio.AbstractEventLoop, list[tuple[Job, asyncio.Future[Result]]]] = {}
        """Jobs of this step of each loop. They are handed over together: waking a thread costs more than a job."""
        self._starting = threading.Lock()
        self._thread: threading.Thread | None = None
        self._closed = False

    async def do(self, job: Job) -> Result:
        """The result of `job` once its batch is done. Cancelling the wait does not undo the job."""
        if self._closed:
            raise RuntimeError(f"{self._name} is closed")
        if self._thread is None:
            self._start()
        loop = asyncio.get_running_loop()
        promise: asyncio.Future[Result] = loop.create_future()
        pending = self._pending.get(loop)
        if pending is None:
            self._pending[loop] = [(job, promise)]
            loop.call_soon(self._hand_over, loop)
        else:
            pending.append((job, promise))
        return await promise

    def close(self) -> None:
        """Wait for what is queued, then end the thread. Calling it again does nothing."""
        self._closed = True
        for loop in list(self._pending):
            self._hand_over(loop)
        if self._thread is not None and self._thread.is_alive():
            self._queue.put(None)
            self._thread.join()

    def _hand_over(self, loop: asyncio.AbstractEventLoop) -> None:
        jobs = self._pending.pop(loop, None)
        if jobs:
            self._queue.put(jobs)

    def _start(self) -> None:
        with self._starting:
            if self._thread is None and not self._closed:
                # A daemon, so that a process that dies without closing does not hang on it; nothing that was
                # reported done is lost by that.
                self._thread = threading.Thread(target=self._run, name=self._name, daemon=True)
                self._thread.start()

    def _run(self) -> None:
        ended = False
        while not ended:
            handed = [self._queue.get()]
            if handed[0] is not None:
                self._wait_for_company()
                while not self._queue.empty():
                    handed.append(self._queue.get())
            ended = None in handed
            batch = [entry for entries in handed if entries is not None for entry in entries]
            for start in range(0, len(batch), self._largest):
                self._do(batch[start : start + self._largest])

    def _wait_for_company(self) -> None:
        """A thread that runs often takes the interpreter's lock from the event loop, which costs more than waiting."""
        ends = time.monotonic() + self._longest
        before = -1
        while self._queue.qsize() > before and time.monotonic() < ends:
            before = self._queue.qsize()
            time.sleep(self._pause)

    def _do(self, batch: list[tuple[Job, asyncio.Future[Result]]]) -> None:
        results: Sequence[Result] | None = None
        failure: Exception | None = None
        try:
            results = self._work([job for job, _ in batch])
        except Exception as error:  # noqa: BLE001 - raised again in every caller
            failure = error
        by_loop: dict[asyncio.AbstractEventLoop, list[tuple[asyncio.Future[Result], Result | None]]] = {}
        for position, (_, promise) in enumerate(batch):
            result = results[position] if results is not None else None
            by_loop.setdefault(promise.get_loop(), []).append((promise, result))
        for loop, answered in by_loop.items():
            # A loop that was closed meanwhile has nobody waiting.
            with contextlib.suppress(RuntimeError):
                loop.call_soon_threadsafe(_deliver, answered, failure)


def _deliver(answered: list[tuple[asyncio.Future[Result], Result | None]], failure: Exception | None) -> None:
    for promise, result in answered:
        if promise.done():
            continue
        if failure is not None:
            promise.set_exception(failure)
        else:
            promise.set_result(result)  # type: ignore[arg-type]
