"""The ranks of a running trainer as processes: which they are, which ended first, and their end when nobody else is left to see to it.

Each is held by a pidfd, so that a number that the kernel gives away again is never taken for one. Linux.
"""

import contextlib
import os
import select
import signal
from pathlib import Path

from resources.serving.process_guard import descendants


class Ranks:
    """Those below the process `guard`; `look` is to be called again and again."""

    def __init__(self, guard: int, expected: int) -> None:
        self.guard, self.expected = guard, expected
        self.held: dict[int, tuple[int, int]] = {}
        """Rank to process id and pidfd."""
        self.first_dead: int | None = None
        """None too where one ended before all had been seen: it may have been another."""
        self._known: set[int] = set()
        self._missed = False

    def look(self) -> None:
        if len(self._known) < self.expected:
            for pid in descendants(self.guard):
                rank = _rank(pid)
                if rank is not None and rank not in self._known:
                    with contextlib.suppress(ProcessLookupError):
                        self.held[rank] = pid, os.pidfd_open(pid)
                        self._known.add(rank)
        for rank, (_, process) in list(self.held.items()):
            if select.select([process], [], [], 0)[0]:
                os.close(self.held.pop(rank)[1])
                if len(self._known) < self.expected:
                    self._missed = True
                elif self.first_dead is None and not self._missed:
                    self.first_dead = rank

    def ask(self) -> bool:
        """SIGTERM to each; False when they have not all been seen yet."""
        self.look()
        if len(self._known) < self.expected:
            return False
        for _, process in self.held.values():
            with contextlib.suppress(ProcessLookupError):
                signal.pidfd_send_signal(process, signal.SIGTERM)
        return True

    def kill(self) -> None:
        """Those that are left, with all below them."""
        self.look()
        for pid, process in self.held.values():
            below = descendants(pid)  # asked while it is there: afterwards they are nobody's
            with contextlib.suppress(ProcessLookupError):
                signal.pidfd_send_signal(process, signal.SIGKILL)
            for child in below:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(child, signal.SIGKILL)

    def close(self) -> None:
        while self.held:
            os.close(self.held.popitem()[1][1])


def _rank(pid: int) -> int | None:
    """RANK in the environment that the process was started with; None for the launcher, and for one that is gone."""
    try:
        variables = (Path("/proc") / str(pid) / "environ").read_bytes().split(b"\0")
    except OSError:
        return None
    found = [variable for variable in variables if variable.startswith(b"RANK=")]
    return int(found[0][5:]) if found and found[0][5:].isdigit() else None


def memory_kills() -> int:
    """How many processes this machine's kernel has killed for memory since it started; 0 where it does not count them."""
    try:
        counts = Path("/proc/vmstat").read_text()
    except OSError:
        return 0
    return next((int(line.split()[1]) for line in counts.splitlines() if line.startswith("oom_kill ")), 0)
