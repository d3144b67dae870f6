"""What a tree of processes uses, read from /proc. Whatever ends in between counts as nothing."""

import contextlib
import os
from collections.abc import Iterable
from pathlib import Path

from resources.serving.process_guard import descendants

_PAGE = os.sysconf("SC_PAGE_SIZE")
_TICKS = os.sysconf("SC_CLK_TCK")
_LISTS_CHILDREN = Path(f"/proc/self/task/{os.getpid()}/children").exists()
"""Whether the kernel was built with CONFIG_PROC_CHILDREN."""


def below(pid: int) -> list[int]:
    """All processes under `pid`, itself not among them."""
    if not _LISTS_CHILDREN:
        return descendants(pid)
    found: list[int] = []
    todo = [pid]
    while todo:
        children = _children(todo.pop())
        found += children
        todo += children
    return found


def resident_bytes(pids: Iterable[int]) -> int:
    """Pages that several share count once for each."""
    fields = (_read(f"/proc/{pid}/statm").split() for pid in pids)
    return sum(int(found[1]) for found in fields if found) * _PAGE


def threads(pids: Iterable[int]) -> int:
    return sum(len(_tasks(pid)) for pid in pids)


def threads_of_user(user: int) -> int:
    """On the whole machine, as the kernel counts them for a limit."""
    found = 0
    for entry in os.scandir("/proc"):
        with contextlib.suppress(OSError):
            if entry.name.isdigit() and entry.stat().st_uid == user:
                found += len(_tasks(int(entry.name)))
    return found


def cpu_seconds(pids: Iterable[int]) -> float:
    """Of these processes and of those that ended below them."""
    fields = (_read(f"/proc/{pid}/stat").rpartition(")")[2].split() for pid in pids)
    return sum(sum(map(int, found[11:15])) for found in fields if found) / _TICKS


def cpu_seconds_each(pids: Iterable[int]) -> dict[tuple[int, str], float]:
    """Of each alone, by its number and when it started: a parent that ignores its children's end is not told their time."""
    found: dict[tuple[int, str], float] = {}
    for pid in pids:
        if fields := _read(f"/proc/{pid}/stat").rpartition(")")[2].split():
            found[pid, fields[19]] = sum(map(int, fields[11:13])) / _TICKS
    return found


def eldest(pid: int, generations: int) -> list[int]:
    """The first child of `pid`, its first child, and so on: not what an answer starts beside its main process."""
    line: list[int] = []
    of = _children if _LISTS_CHILDREN else descendants
    while len(line) < generations and (found := of(line[-1] if line else pid)):
        line.append(found[0])
    return line


def seconds_waited(pids: Iterable[int]) -> float:
    """Time that their main threads were ready to run and did not, since others ran."""
    fields = (_read(f"/proc/{pid}/schedstat").split() for pid in pids)
    return sum(int(found[1]) for found in fields if len(found) > 1) / 1e9


def files(pid: int, folder: str) -> int:
    """Files and folders in the file system of `folder`, as process `pid` sees it."""
    try:
        found = os.statvfs(f"/proc/{pid}/root{folder}")
    except OSError:
        return 0
    return found.f_files - found.f_ffree


def _children(pid: int) -> list[int]:
    return [int(one) for task in _tasks(pid) for one in _read(f"/proc/{pid}/task/{task}/children").split()]


def _tasks(pid: int) -> list[str]:
    try:
        return os.listdir(f"/proc/{pid}/task")
    except OSError:
        return []


def _read(path: str) -> str:
    try:
        with open(path, encoding="ascii") as file:
            return file.read()
    except OSError:
        return ""
