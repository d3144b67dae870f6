"""How answers are kept apart and what one may use, and how that fits this machine."""

import logging
import resource
from dataclasses import asdict, dataclass
from functools import cache
from typing import Literal

Isolation = Literal["bubblewrap", "none"]
ISOLATIONS: tuple[Isolation, ...] = ("bubblewrap", "none")
MIB = 2**20
_log = logging.getLogger(__name__)
_WHICH = {
    "cpu_seconds": resource.RLIMIT_CPU,
    "memory_bytes": resource.RLIMIT_AS,
    "file_bytes": resource.RLIMIT_FSIZE,
    "open_files": resource.RLIMIT_NOFILE,
    "stack_bytes": resource.RLIMIT_STACK,
}


@dataclass(frozen=True)
class Limits:
    """CPU time decides, since it hardly depends on how busy the machine is; the clock only ends what sleeps.

    The references of HumanEval and MBPP take under a second each, so 10 s of CPU time are for answers that are
    right and slow. 2 GiB hold a list of 10**8 small numbers.
    """

    cpu_seconds: int = 10
    """Of one process; the tests in theirs have as much, and all together twice as much."""
    wall_seconds: float = 30.0
    """Not counting the time that the answer's main process was ready and the machine was busy with others, up to twice this
    again: nothing runs longer than 3 times this."""
    memory_bytes: int = 2048 * MIB
    """Address space of one process, and resident memory of all together."""
    processes: int = 32
    """And threads."""
    file_bytes: int = 32 * MIB
    """Of one file. All files of a folder together have twice as much room, in memory."""
    files: int = 2_000
    open_files: int = 64
    output_bytes: int = 4 * MIB
    """Of standard output, and of standard error."""
    stack_bytes: int = 120 * MIB
    """Of the main thread; others have the system's 8 MiB."""

    def __post_init__(self) -> None:
        for name, value in asdict(self).items():
            if value <= 0:
                raise ValueError(f"limit {name} is {value!r} and should be above 0")


def note_lowered(limits: Limits) -> tuple[str, ...]:
    """Limits that the machine's own hard ones lower, logged once each: what the answer gets is then the machine's."""
    found = []
    for name, which in _WHICH.items():
        hard = resource.getrlimit(which)[1]
        if hard != resource.RLIM_INFINITY and hard < getattr(limits, name):
            found.append(f"{name} of an answer is {hard}, the hard limit of this machine, not {getattr(limits, name)}")
    for line in found:
        _note(line)
    return tuple(found)


@cache
def _note(line: str) -> None:
    _log.warning(line)
