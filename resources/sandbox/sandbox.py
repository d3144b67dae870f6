"""Runs one job after another, each in a sandbox of its own that is gone when its run returns. Usable from any thread.

Defended: the machine (files, network, other processes, memory, time), the project's secrets, and the verdict: the
process that runs the answer never holds the tests, what they expect, the marker or a pipe to us, and what it hands the
tests arrives as plain values (`inside/`). Not defended: an answer sees the arguments of each call and may know the right
values by heart; tests that compare objects of the answer's own class with each other trust that class; a fault of the
kernel is a way out.

What tests cannot do across two processes: look at the objects behind stand-ins (`inspect`, `dataclasses.asdict`, `pickle`,
code objects) or derive a class from the answer's and one of their own; no verdict is given then. What they do not see:
that an answer's class derives from a builtin (`isinstance(stack, list)`, save for values that cross as their content);
what an answer's own `==` says to a plain value; changes in place of an `array`, or between calls where both hold over
1,000 containers. Their own rebinding of an answer's global does not reach it, and a class that they derive from an
answer's exception is not initialised by it. With isolation `none` only limits hold: an answer can do to this machine and to its verdict
whatever this process could.
"""

import json
import logging
import os
import secrets
import time
from collections.abc import Callable
from typing import Any

from resources.sandbox.bubblewrap import SandboxFault, Way, bubblewrap, ways
from resources.sandbox.folders import remove_left
from resources.sandbox.jobs import Job, Report, Run, TestJob
from resources.sandbox.launch import launched
from resources.sandbox.limits import Isolation, Limits, note_lowered
from resources.sandbox.watch import Watched, watch

_log = logging.getLogger(__name__)
_UNSANDBOXED = ("answers written by a model run WITHOUT a sandbox (code isolation is none): any of them can read, change and "
                "delete what this user can, and forge its own verdict; every verdict says so")
_UNLIMITED = ("; and this user is root, whose processes the kernel does not limit: an answer that starts ever more of them is "
              "only ended once it is noticed, and may bring this machine to a standstill before")
_CHECKED = """
from fractions import Fraction
import os, signal


def f(most):
    for started in range(most + 1):
        try:
            if os.fork() == 0:
                signal.pause()
        except OSError:
            return [Fraction(started < most)]
"""
"""Its import reads files, as the user that answers run as; then it counts how many processes it is granted."""
_LIMIT_ON = {"cpu": "CPU time", "memory": "memory", "processes": "processes", "files": "files", "output": "output"}


class Sandbox:
    """Checked when it is made: raises SandboxFault where answers cannot be run as asked."""

    def __init__(self, isolation: Isolation = "bubblewrap", limits: Limits | None = None) -> None:
        self.isolation: Isolation = isolation
        self.limits = limits or Limits()
        self.lowered = note_lowered(self.limits)
        """Limits that this machine makes smaller."""
        self._bwrap, self._way = "", None
        if isolation == "bubblewrap":
            self._bwrap = bubblewrap()
            self._way = self._working_way()
        else:
            remove_left(time.time())
            _log.warning(_UNSANDBOXED + (_UNLIMITED if os.geteuid() == 0 else ""))
            if (wrong := self._trial(None)) is not None:
                raise SandboxFault(f"answers cannot be run, not even without a sandbox: {wrong}")

    def run(self, job: Job, cancelled: Callable[[], bool] = lambda: False) -> Run:
        """Raises OSError where a process cannot be started, Remains where one cannot be ended."""
        return self._run(job, self._way, cancelled)

    def _run(self, job: Job, way: Way | None, cancelled: Callable[[], bool] = lambda: False) -> Run:
        with launched(job, way, self.limits, self._bwrap) as started:
            return _read(watch(started, self.limits, cancelled), job.marker)

    def _working_way(self) -> Way:
        tried = []
        for way in ways():
            if (wrong := self._trial(way)) is None:
                return way
            tried.append(f"{way}: {wrong}")
        if any(self._too_slow in wrong for wrong in tried):
            raise SandboxFault(f"whether bubblewrap can make a sandbox here is not known yet ({'; '.join(tried)})")
        raise SandboxFault(
            f"bubblewrap is installed and cannot make a sandbox here ({'; '.join(tried)}): allow user namespaces (sysctl "
            "kernel.unprivileged_userns_clone=1, user.max_user_namespaces above 0, kernel.apparmor_restrict_unprivileged_"
            "userns=0; in a container also its seccomp profile), or set TMAS_CODE_ISOLATION=none to run answers without one"
        )

    def _trial(self, way: Way | None) -> str | None:
        """Why a right answer to a small test is not found right, None where it is."""
        # without a sandbox all processes of this user count, and root's do not
        tests = "assert f(0) is None" if way is None else f"assert f({self.limits.processes}) == [1]"
        job = TestJob(preamble="", code=_CHECKED, tests=tests, wanted=("f",), declared=(), mentioned=("f",),
                      marker=secrets.token_hex(16))
        try:
            run = self._run(job, way)
        except OSError as error:
            return f"it cannot be started: {error}"
        if run.report is not None and run.report.outcome == "passed":
            return None
        if run.stopped is not None:
            return self._too_slow if run.stopped == "wall" else f"the trial reached its limit on {_LIMIT_ON.get(run.stopped, run.stopped)}"
        said = run.report.reason if run.report is not None else run.errors.strip()[-300:]
        return said or "the trial ended and said nothing"

    @property
    def _too_slow(self) -> str:
        return f"the trial did not end within {self.limits.wall_seconds:g} s; the machine is probably busy, try again"


def _read(watched: Watched, marker: str) -> Run:
    started, report = False, None
    for line in watched.report.splitlines():
        said = _said(line)
        if said.get("started"):
            started = True
        elif said.get("marker") == marker:
            report = Report(marker, str(said.get("outcome")), str(said.get("reason")), said.get("status"))
    return Run(started=started, report=report, stopped=watched.stopped,
               stdout=watched.stdout.decode("utf-8", "replace"), errors=watched.errors.decode("utf-8", "replace"))


def _said(line: bytes) -> dict[str, Any]:
    """What the line says; nothing where it cannot be read, as when an answer without a sandbox writes there."""
    try:
        said = json.loads(line)
    except (ValueError, RecursionError):
        return {}
    return said if isinstance(said, dict) and isinstance(said.get("status"), int | None) else {}
