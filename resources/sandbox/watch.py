"""Watches one sandbox while it runs: takes its output, ends it at a limit, and leaves nothing of it behind.

Memory and processes are looked at from outside, where they cannot be hidden; CPU time, address space and file sizes
are the kernel's to limit (`inside/confinement.py`). What all is made of is `census.py`'s to say.
"""

import contextlib
import os
import select
import signal
import subprocess
import time
from collections.abc import Callable
from dataclasses import dataclass, field

from resources.sandbox import census
from resources.sandbox.jobs import Stop
from resources.sandbox.limits import Limits

_LOOK_SECONDS = 0.02
_PIECE = 1 << 16
_MOST_REPORT = 1 << 16
_MOST_ERRORS = 1 << 13
_MOST_WAITING = 2
"""How often the limit by the clock is granted again for time that the answer and its judge spent ready on a busy machine."""
_GENERATIONS = 3
"""From bubblewrap down: its first process inside, the judging half, the answer's main process; one less without it."""
_SPARE_PROCESSES = 8
"""Bubblewrap's, the judging half, and a thread or two."""
_CPU_OF_ALL = 2
"""CPU time of all together, in limits for one: the judging half has one of its own."""
_GONE_SECONDS = 30.0


class Remains(RuntimeError):
    """Processes of a sandbox that the kernel does not let go of."""


@dataclass
class _Stream:
    """What came through one pipe: its first or last bytes, and how many there were."""

    most: int
    last: bool = False
    kept: bytearray = field(default_factory=bytearray)
    count: int = 0

    def take(self, data: bytes) -> None:
        self.count += len(data)
        self.kept += data if self.last else data[: self.most - len(self.kept)]
        del self.kept[: max(len(self.kept) - self.most, 0)]


@dataclass(frozen=True)
class Started:
    """A running sandbox. `init`: process and pidfd of the first process inside, whose end is the end of all others."""

    process: "subprocess.Popen[bytes]"
    report: int
    init: tuple[int, int] | None
    writable: tuple[str, ...]
    let_go: Callable[[], None]
    """Asks what runs without a sandbox to end itself."""


@dataclass(frozen=True)
class Watched:
    report: bytes
    stdout: bytes
    errors: bytes
    stopped: Stop | None


def watch(started: Started, limits: Limits, cancelled: Callable[[], bool]) -> Watched:
    """Until the judging half has reported or a limit is reached. Raises Remains."""
    assert started.process.stdout is not None
    assert started.process.stderr is not None
    report, stdout, errors = _Stream(_MOST_REPORT), _Stream(limits.output_bytes), _Stream(_MOST_ERRORS, last=True)
    streams = {
        started.report: report, started.process.stdout.fileno(): stdout, started.process.stderr.fileno(): errors,
    }
    for number in streams:
        os.set_blocking(number, False)
    try:
        stopped = _until_the_report_ends(started, streams, limits, cancelled)
    finally:
        _end(started)
    for number, stream in streams.items():
        _drain(number, stream, limits.output_bytes)
    if stopped is None and max(stdout.count, errors.count) > limits.output_bytes:
        stopped = "output"
    return Watched(bytes(report.kept), bytes(stdout.kept), bytes(errors.kept), stopped)


def _until_the_report_ends(started: Started, streams: dict[int, _Stream], limits: Limits,
                           cancelled: Callable[[], bool]) -> Stop | None:
    poll = select.poll()
    for number in streams:
        poll.register(number, select.POLLIN)
    begun = next_look = time.monotonic()
    spent: dict[tuple[int, str], float] = {}
    while True:
        for number, _ in poll.poll(_LOOK_SECONDS * 1000):
            if not _drain(number, streams[number], limits.output_bytes):
                poll.unregister(number)
                if number == started.report:
                    return None
        if any(stream.count > limits.output_bytes for stream in streams.values()):
            return "output"
        if (now := time.monotonic()) >= next_look:
            next_look = now + _LOOK_SECONDS
            if cancelled():
                return "cancelled"
            set_up = streams[started.report].count > 0
            if (stop := _limit_reached(started, now - begun, limits, set_up, spent)) is not None:
                return stop


def _limit_reached(started: Started, seconds: float, limits: Limits, set_up: bool,
                   spent: dict[tuple[int, str], float]) -> Stop | None:
    """`set_up`: whether the first process inside has its own files by now, and not the machine's any more. `spent`: CPU
    time of each process when it was last seen."""
    inside = census.below(started.process.pid)
    if census.threads(inside) > limits.processes + _SPARE_PROCESSES:
        return "processes"
    if census.resident_bytes(inside) > limits.memory_bytes:
        return "memory"
    spent |= census.cpu_seconds_each(inside)
    if max(census.cpu_seconds(inside), sum(spent.values())) > _CPU_OF_ALL * limits.cpu_seconds + 1:
        return "cpu"
    if set_up and started.init is not None and _files(started.init[0], started.writable) > limits.files:
        return "files"
    over = seconds - limits.wall_seconds
    if over <= 0:
        return None
    main = census.eldest(started.process.pid, _GENERATIONS - (started.init is None))
    return "wall" if over > min(census.seconds_waited(main), _MOST_WAITING * limits.wall_seconds) else None


def _files(pid: int, folders: tuple[str, ...]) -> int:
    return sum(census.files(pid, folder) for folder in folders)


def _drain(number: int, stream: _Stream, most: int) -> bool:
    """Take what is there, up to the limit; whether there may be more."""
    while stream.count <= most:
        try:
            data = os.read(number, _PIECE)
        except BlockingIOError:
            return True
        if not data:
            return False
        stream.take(data)
    return True


def _end(started: Started) -> None:
    if started.init is not None:
        first = started.init[1]
        with contextlib.suppress(ProcessLookupError):
            signal.pidfd_send_signal(first, signal.SIGKILL)
        gone = select.poll()
        gone.register(first, select.POLLIN)
        if not gone.poll(_GONE_SECONDS * 1000):
            raise Remains(f"process {started.init[0]} and what it started still run {_GONE_SECONDS:g} s after they were killed")
    else:
        started.let_go()
        with contextlib.suppress(subprocess.TimeoutExpired):
            started.process.wait(_GONE_SECONDS / 2)
    with contextlib.suppress(subprocess.TimeoutExpired):
        started.process.wait(1.0)
    started.process.kill()
    started.process.wait()
