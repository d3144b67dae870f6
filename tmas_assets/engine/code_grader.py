"""Grades answers that are code, each in a sandbox of its own. Leaves out which part of a reply is the code.

The verdict is the tests' own or, for programs, the output's; what breaks here is `failed` and never a score.
"""

import contextlib
import secrets
import threading
from collections.abc import Callable
from concurrent.futures import Future, InvalidStateError, ThreadPoolExecutor
from types import TracebackType
from typing import Self

from resources.sandbox.bubblewrap import SandboxFault
from resources.sandbox.jobs import Job, ProgramJob, Run, TestJob
from resources.sandbox.limits import Isolation, Limits
from resources.sandbox.sandbox import Sandbox
from resources.sandbox.watch import Remains
from tmas_assets.grading.code.data import BadGradingData, CodeOutput, CodeTests, code_data
from tmas_assets.grading.code.output import difference
from tmas_assets.grading.code.program import asked
from tmas_assets.grading.code.text import answer_code, program_code
from tmas_assets.records import Failure, Outcome, Problem, Verdict
from tmas_assets.strategies import Ran

_SHOWN = 4_000
_SHOWN_REASON = 600
_TRIES = 2
"""A sandbox that did not come up is tried once more: the machine may have been short of something for a moment."""


class CodeGrader:
    """Use as a context manager; `close` ends what runs. Usable from any thread and any event loop."""

    def __init__(self, isolation: Isolation = "bubblewrap", limits: Limits | None = None, max_workers: int = 2) -> None:
        """`max_workers`: answers that run at once. Raises SandboxFault where answers cannot be run as asked."""
        self._sandbox = Sandbox(isolation, limits)
        self._threads = ThreadPoolExecutor(max_workers, thread_name_prefix="code-grader")
        self._owed: set[Future[Verdict] | Future[Ran]] = set()
        self._lock = threading.Lock()

    def submit(self, problem: Problem, text: str) -> "Future[Verdict]":
        """The verdict on the reply `text`, sooner or later. Cancelling it ends the answer. Raises RuntimeError if closed."""
        done: Future[Verdict] = Future()
        with self._lock:
            self._owed.add(done)
        done.add_done_callback(self._forget)
        self._threads.submit(self._work, done, problem, text)
        return done

    def run_program(self, program: str, stdin: str = "") -> "Future[Ran]":
        """What `program` prints, sooner or later. Cancelling it ends the program. SandboxFault where it cannot be run."""
        done: Future[Ran] = Future()
        with self._lock:
            self._owed.add(done)
        done.add_done_callback(self._forget)
        self._threads.submit(self._run, done, ProgramJob(program, stdin, secrets.token_hex(16)))
        return done

    def grade_sync(self, problem: Problem, text: str) -> Verdict:
        return self.submit(problem, text).result()

    def close(self) -> None:
        """End what runs. A grade that is still asked for is cancelled."""
        with self._lock:
            owed = list(self._owed)
        for done in owed:
            done.cancel()
        self._threads.shutdown(wait=True, cancel_futures=True)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None,
                 trace: TracebackType | None) -> None:
        self.close()

    def _forget(self, done: "Future[Verdict] | Future[Ran]") -> None:
        with self._lock:
            self._owed.discard(done)

    def _work(self, done: "Future[Verdict]", problem: Problem, text: str) -> None:
        if done.cancelled():
            return
        try:
            verdict = self._grade(problem, text, done.cancelled)
        except BadGradingData as error:
            verdict = _failed("bad_grading_data", f"problem {problem.id}: {error}")
        except (OSError, Remains) as error:
            verdict = _failed("sandbox", f"problem {problem.id}: {error}")
        except Exception as error:  # noqa: BLE001 - what one answer breaks must not end the grading of all others
            verdict = _failed("sandbox", f"problem {problem.id}: {type(error).__name__}: {error}")
        with contextlib.suppress(InvalidStateError):  # nobody waits any more
            done.set_result(verdict.model_copy(update={"unsandboxed": self._sandbox.isolation == "none"}))

    def _run(self, done: "Future[Ran]", job: ProgramJob) -> None:
        if done.cancelled():
            return
        try:
            run = self._sandbox.run(job, done.cancelled)
            for _ in range(_TRIES - 1):
                if not run.started and run.stopped is None:
                    run = self._sandbox.run(job, done.cancelled)
            if not run.started:
                said = run.errors.strip()[-300:] or run.stopped or "it said nothing"
                raise SandboxFault(f"a program could not be run: the sandbox did not come up: {said}; run again")
            ran = Ran(stdout=_plain(run.stdout, _SHOWN), stderr=_plain(run.errors[-_SHOWN:], _SHOWN),
                      ended=self._how(run), unsandboxed=self._sandbox.isolation == "none")
        except (OSError, Remains, SandboxFault) as error:
            with contextlib.suppress(InvalidStateError):
                done.set_exception(error if isinstance(error, SandboxFault) else SandboxFault(f"a program could not be run: {error}"))
            return
        with contextlib.suppress(InvalidStateError):
            done.set_result(ran)

    def _how(self, run: Run) -> str:
        limits = self._sandbox.limits
        if run.stopped is not None:
            return _STOPPED[run.stopped].format(limits=limits)
        status = run.report.status if run.report else None
        if status == 0:
            return "passed"
        return "it ended the process that ran it" if status is None else _signal(-status, limits) if status < 0 else f"exit status {status}"

    def _grade(self, problem: Problem, text: str, cancelled: Callable[[], bool]) -> Verdict:
        data = code_data(problem.grading_data)
        job = _job(data, text)
        if job is None:
            return Verdict(outcome="wrong", reason="the reply answers nothing")
        run = self._sandbox.run(job, cancelled)
        for _ in range(_TRIES - 1):
            if not run.started and run.stopped is None:
                run = self._sandbox.run(job, cancelled)
        outcome, reason = _judged(run, data, self._sandbox.limits)
        if outcome == "failed":
            kind = "bad_grading_data" if run.started else "sandbox"
            return _failed(kind, f"problem {problem.id}: {reason}", job.code)
        return Verdict(outcome=outcome, extracted=_plain(job.code, _SHOWN), reason=_plain(reason, _SHOWN_REASON) or None)


def _job(data: CodeTests | CodeOutput, text: str) -> Job | None:
    marker = secrets.token_hex(16)
    if isinstance(data, CodeOutput):
        program = program_code(text)
        return None if program is None else ProgramJob(program, data.stdin, marker)
    want = asked(data)
    code = answer_code(text, want.wanted, want.prompt, want.given)
    if code is None:
        return None
    return TestJob(preamble=want.preamble, code=code, tests=want.tests, wanted=tuple(sorted(want.entry)),
                   declared=tuple(sorted(want.declared)), mentioned=tuple(sorted(want.mentioned)),
                   followed=tuple(sorted(want.followed)), marker=marker)


def _judged(run: Run, data: CodeTests | CodeOutput, limits: Limits) -> tuple[Outcome, str]:
    """The outcome and its reason. Right needs the report with the marker; nothing else is taken for it."""
    if not run.started:
        return "failed", f"the sandbox did not come up: {run.errors.strip()[-300:] or run.stopped or 'it said nothing'}"
    if run.stopped is not None:
        return "wrong", _STOPPED[run.stopped].format(limits=limits)
    if run.report is None:
        return "wrong", "the answer ended the process that judges it"
    status, reason = run.report.status, run.report.reason
    if run.report.outcome == "passed":
        return "right", ""
    if run.report.outcome == "unusable":
        return "failed", reason
    if status is not None and status < 0:
        return "wrong", f"{reason}{'; ' if reason else ''}{_signal(-status, limits)}"
    if run.report.outcome != "ended":
        return "wrong", reason
    if status != 0:
        return "wrong", (run.errors.strip().split("\n") or [""])[-1] or f"exit status {status}"
    assert isinstance(data, CodeOutput)
    wrong = difference(run.stdout, data)
    return ("right", "") if wrong is None else ("wrong", wrong)


_STOPPED = {
    "wall": "it did not end within {limits.wall_seconds:g} s",
    "cpu": "its processes used more than {limits.cpu_seconds} s of CPU time",
    "memory": "it used more than {limits.memory_bytes} bytes of memory",
    "processes": "it started more than {limits.processes} processes",
    "files": "it made more than {limits.files} files",
    "cancelled": "it was not wanted any more",
    "output": "it printed more than {limits.output_bytes} bytes",
}
_SIGNALS = {
    9: "it was killed, by itself or over {limits.cpu_seconds} s of CPU time", 11: "its interpreter crashed",
    24: "it used more than {limits.cpu_seconds} s of CPU time", 25: "it wrote a file of more than {limits.file_bytes} bytes",
}


def _signal(number: int, limits: Limits) -> str:
    return _SIGNALS.get(number, f"it ended by signal {number}").format(limits=limits)


def _failed(kind: str, detail: str, code: str | None = None) -> Verdict:
    shown = None if code is None else _plain(code, _SHOWN)
    return Verdict(outcome="failed", extracted=shown,
                   failure=Failure(boundary="grader", kind=kind, detail=_plain(detail, _SHOWN_REASON)))


def _plain(text: str, most: int) -> str:
    """Its beginning, without the zeros and half characters that some files do not take."""
    return text[:most].replace("\0", "\\0").encode("utf-8", "backslashreplace").decode()
