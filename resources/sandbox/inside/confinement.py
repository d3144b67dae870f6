"""Takes away what the answer must not have, before it is there: user, memory, CPU time, processes, a view of its judge.

Leaves out namespaces and the file system: those are bubblewrap's.
"""

from __future__ import annotations

import os
import resource

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_LIMITS = {
    "cpu_seconds": resource.RLIMIT_CPU,
    "memory_bytes": resource.RLIMIT_AS,
    "processes": resource.RLIMIT_NPROC,
    "file_bytes": resource.RLIMIT_FSIZE,
    "open_files": resource.RLIMIT_NOFILE,
    "stack_bytes": resource.RLIMIT_STACK,
}
_NONE = (resource.RLIMIT_CORE, resource.RLIMIT_MEMLOCK, resource.RLIMIT_MSGQUEUE)
_GET_DUMPABLE, _SET_DUMPABLE = 3, 4
"""Operations of prctl."""


class Exposed(OSError):
    """The tests cannot be hidden from the answer."""


def become(user: int) -> None:
    """Give up root for good, so that limits on processes hold. `user` is the number of a user and a group."""
    os.setgroups([])
    os.setresgid(user, user, user)
    os.setresuid(user, user, user)


def limit(limits: dict[str, Any]) -> None:
    """Limits of this process and what it starts. One above the machine's own is lowered to that."""
    with_hard = {_LIMITS[name]: value for name, value in limits.items() if name in _LIMITS}
    for which, wanted in (*with_hard.items(), *((which, 0) for which in _NONE)):
        hard = resource.getrlimit(which)[1]
        soft = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
        # one second between the signal that a process may catch and the one that it may not
        above = soft + 1 if which == resource.RLIMIT_CPU else soft
        resource.setrlimit(which, (soft, above if hard == resource.RLIM_INFINITY else min(above, hard)))


def volunteer_for_the_kernel() -> None:
    """Where memory runs out after all, the kernel is to end this process before any other."""
    with open("/proc/self/oom_score_adj", "w") as score:
        score.write("1000")


def hide() -> None:
    """No process of the same user may read this one's memory or open files (ptrace, /proc). Raises Exposed."""
    # the kernel gives such files of a process that may not be read to root; giving up root does that already
    if os.stat("/proc/self/environ").st_uid != os.getuid():
        return
    import ctypes

    libc = ctypes.CDLL(None, use_errno=True)
    libc.prctl(_SET_DUMPABLE, 0, 0, 0, 0)
    if libc.prctl(_GET_DUMPABLE, 0, 0, 0, 0) != 0:
        raise Exposed("this process stays readable to others of its user")
