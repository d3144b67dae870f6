"""Run one command so that nothing of its process tree outlives the parent that asked for it; Linux, standard library.

    python -m resources.serving.process_guard [--ask SIGTERM] [--grace SECONDS] DIRECTORY COMMAND...

The parent keeps the write end of a pipe whose read end is our standard input. When it writes `.` or we get SIGTERM, the command
is asked to end, given the grace, and its whole tree is killed. So it is when the parent closes the pipe, or is killed and the
kernel closes it, but then within `ORPHAN_SECONDS`. When it writes `!`, the tree is killed at once. Our exit status is the
command's, with 128 + n for signal n. What the command is for is the parent's business.
"""

import argparse
import contextlib
import ctypes
import os
import select
import signal
import subprocess
import sys
import time
from pathlib import Path

GRACE_SECONDS = 6.0
"""vLLM ends by itself in about 3 s after SIGINT."""
ORPHAN_SECONDS = 8.0
"""Longest grace where nobody waits for the command any more."""
ASK, KILL_NOW = b".", b"!"
KILL_SECONDS = 10.0
PR_SET_PDEATHSIG, PR_SET_CHILD_SUBREAPER = 1, 36


def run_guarded(
    directory: str, command: list[str], ask: signal.Signals = signal.SIGINT, grace: float = GRACE_SECONDS
) -> int:
    """Run until `command` ends or is to end; returns the exit status. Only from a process's main thread."""
    adopt_orphans()
    told: list[int] = []
    signal.signal(signal.SIGTERM, lambda number, _: told.append(number))

    def before_exec() -> None:
        signal.signal(signal.SIGINT, signal.SIG_DFL)  # a shell's background job ignores it, and so would its children
        _prctl(PR_SET_PDEATHSIG, signal.SIGKILL)  # should this guard be killed

    try:
        child = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, cwd=directory, process_group=0, preexec_fn=before_exec
        )
    except OSError as error:
        print(f"cannot start {command[0]}: {error}", file=sys.stderr, flush=True)
        return 127
    asked, orphaned = None, False
    while child.poll() is None:
        if select.select([] if orphaned else [sys.stdin], [], [], 0.1)[0]:
            said = os.read(sys.stdin.fileno(), 1)
            if said == KILL_NOW:
                break
            orphaned = not said
            told.append(0)
        if told and asked is None:
            child.send_signal(ask)
            asked = time.monotonic()
        if asked is not None and time.monotonic() - asked > (min(grace, ORPHAN_SECONDS) if orphaned else grace):
            break
    kill_descendants()
    status = child.wait()
    return status if status >= 0 else 128 - status


def end_with_parent() -> None:
    """The kernel kills this process when the one that started it ends, whatever session it moved to."""
    _prctl(PR_SET_PDEATHSIG, signal.SIGKILL)


def adopt_orphans() -> None:
    """From now on a descendant that loses its parent becomes our child, so that we can end and reap it."""
    _prctl(PR_SET_CHILD_SUBREAPER, 1)


def kill_descendants() -> None:
    """SIGKILL and reap every process below this one, whatever group or session it moved to.

    Waits up to `KILL_SECONDS` for the kernel to let go of them.
    """
    deadline = time.monotonic() + KILL_SECONDS
    while (below := descendants(os.getpid())) and time.monotonic() < deadline:
        for pid in below:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
            with contextlib.suppress(ChildProcessError):  # not a child yet; it becomes one when its parent is gone
                os.waitpid(pid, os.WNOHANG)
        time.sleep(0.02)


def descendants(pid: int) -> list[int]:
    """Ids of all processes below `pid`, zombies among them."""
    parents = {int(entry.name): _parent(entry) for entry in Path("/proc").iterdir() if entry.name.isdigit()}
    found, todo = [], [pid]
    while todo:
        above = todo.pop()
        below = [child for child, parent in parents.items() if parent == above]
        found += below
        todo += below
    return found


def _parent(entry: Path) -> int | None:
    try:
        return int((entry / "stat").read_text().rpartition(")")[2].split()[1])
    except OSError:  # gone meanwhile
        return None


def _prctl(option: int, value: int) -> None:
    if ctypes.CDLL(None, use_errno=True).prctl(option, value, 0, 0, 0):
        raise OSError(ctypes.get_errno(), f"prctl({option}) refused")


def _main() -> int:
    reader = argparse.ArgumentParser()
    reader.add_argument("--ask", type=signal.Signals.__getitem__, default=signal.SIGINT)
    reader.add_argument("--grace", type=float, default=GRACE_SECONDS)
    reader.add_argument("directory")
    reader.add_argument("command", nargs=argparse.REMAINDER)
    given = reader.parse_args()
    return run_guarded(given.directory, given.command, given.ask, given.grace)


if __name__ == "__main__":
    sys.exit(_main())
