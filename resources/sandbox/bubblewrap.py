"""The command line of the sandbox: which namespaces, which files, which user.

Two ways, since often only one of them works. As root: no user namespace; the first process inside takes an unused user
number of its own, so that the limit on processes holds for it alone. Else a user namespace, in which that limit counts
by itself; not for root, whom the kernel never limits, so root takes another user's number before it. Leaves out limits
(`inside/confinement.py`) and time (`watch.py`).
"""

import os
import random
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Literal

from resources.sandbox.interpreter import ENVIRONMENT, FLAGS, executable, hidden_folders, needed_files

WRITABLE = ("/tmp", "/dev/shm")
"""Memory of bounded size; all other files can only be read."""
Way = Literal["own_user", "user_namespace"]
_USER_INSIDE = 1000
_USERS = (1_879_048_192, 2_130_706_431)
"""Numbers that nobody hands out to people or services."""
_FEW_USERS = (20_000, 59_999)
"""Where the machine has no such large ones (most containers)."""


class SandboxFault(RuntimeError):
    """Answers cannot be run safely here; the text says what to do."""


def bubblewrap() -> str:
    """Path of the program. Raises SandboxFault."""
    if (found := shutil.which("bwrap")) is None:
        raise SandboxFault(
            "code is graded in a sandbox, and its program bwrap is not installed: run `apt-get install bubblewrap` (or set "
            "TMAS_CODE_ISOLATION=none to run the answers without a sandbox, which trusts every one of them with this machine)"
        )
    return found


def ways() -> tuple[Way, ...]:
    """What to try, best first."""
    return ("own_user", "user_namespace") if os.geteuid() == 0 else ("user_namespace",)


def free_user(draw: random.Random) -> int:
    """A user number for one run: the kernel counts processes by user, so no two runs may share one."""
    low, high = _USERS if _highest_user() >= _USERS[1] else _FEW_USERS
    return draw.randint(low, high)


def command(way: Way, *, bwrap: str, room_bytes: int, info: int, filtered: int | None, program: Sequence[str]) -> list[str]:
    """Arguments that start `program` inside. `info`, `filtered`: descriptors for bubblewrap's report and the call filter."""
    line = [bwrap, "--unshare-pid", "--unshare-net", "--unshare-ipc", "--unshare-uts", "--unshare-cgroup-try"]
    if way == "user_namespace":
        line += ["--unshare-user", "--disable-userns", "--uid", str(_USER_INSIDE), "--gid", str(_USER_INSIDE)]
    else:
        line += ["--cap-drop", "ALL", "--cap-add", "CAP_SETUID", "--cap-add", "CAP_SETGID"]
    # else those above a closed home folder would be as closed as that
    for folder in sorted({str(above) for path in needed_files() for above in Path(path).parents} - {"/"}):
        line += ["--perms", "0755", "--dir", folder]
    for path in needed_files():
        line += ["--ro-bind", path, path]
    for folder in hidden_folders():
        line += ["--tmpfs", folder, "--remount-ro", folder]
    # /dev is memory without a bound, so nothing in it but what semaphores need can be written; a mapping of /dev/zero is too
    line += ["--proc", "/proc", "--dev", "/dev", "--dev-bind", "/dev/null", "/dev/zero", "--remount-ro", "/dev"]
    for folder in WRITABLE:
        line += ["--perms", "1777", "--size", str(room_bytes // len(WRITABLE)), "--tmpfs", folder]
    line += ["--remount-ro", "/", "--chdir", WRITABLE[0], "--hostname", "sandbox"]
    line += ["--clearenv", *(part for name, value in ENVIRONMENT.items() for part in ("--setenv", name, value))]
    line += ["--die-with-parent", "--new-session", "--info-fd", str(info)]
    if filtered is not None:
        line += ["--seccomp", str(filtered)]
    return [*line, "--", *program]


def python_inside(bootstrap: str) -> list[str]:
    return [str(executable()), *FLAGS, "-c", bootstrap]


def _highest_user() -> int:
    """Of this user namespace."""
    rows = [line.split() for line in Path("/proc/self/uid_map").read_text().splitlines()]
    return max(int(first) + int(count) - 1 for first, _, count in rows)
