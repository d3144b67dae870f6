"""The files by which lease holders and the keeper of one model server speak: spec, state, leases, locks, log.

One folder a server. Every file is replaced in one step. Standard library only, since the keeper lives long and should
stay small; who decides what is written is the business of `vllm_server` and `server_keeper`.
"""

import dataclasses
import fcntl
import json
import os
import re
import time
from pathlib import Path
from typing import TypeVar

SPEC, STATE, LOG, KEEPER_LOG, KEEPER_LOCK, START_LOCK, LAST_USE, LEASES = (
    "spec.json", "state.json", "server.log", "keeper.log", "keeper.lock", "start.lock", "last_use.json", "leases",
)  # fmt: skip


@dataclasses.dataclass(frozen=True)
class Spec:
    """What the keeper is to start and hold."""

    instance: str
    """Of this start; state that names another is a leftover."""
    command: list[str]
    model: str
    """Name under which the model must be served."""
    root: str
    """Folder it must be served from."""
    port: int | None
    """Forced by the user; None lets the keeper choose and choose again."""
    linger_seconds: float
    start_timeout_seconds: float


@dataclasses.dataclass(frozen=True)
class State:
    """What the keeper has come to."""

    instance: str
    phase: str
    """starting, ready, failed or ended."""
    port: int
    keeper: int
    guard: int
    seconds: float = 0.0
    """From start to ready."""
    restarts: int = 0
    fault: str = ""
    sentence: str = ""
    log: str = ""


@dataclasses.dataclass(frozen=True)
class Lease:
    """One holder: a process told apart from a later one with the same id by its start time."""

    pid: int
    start: str
    linger_seconds: float
    released: float = 0.0
    """When it was given back, in the record of the last use; each is another one."""


_NAMED_ERROR = re.compile(r"(\([^)]*\) )?(ERROR [^\]]*\] )?[\w.]*(Error|Exception): ")
"""A traceback's last line, bare or as vLLM logs it: `(EngineCore pid=7) ERROR 11-29 17:19:46 [core.py:12] ...`."""
Written = TypeVar("Written", Spec, State, Lease)


def write(path: Path, value: Spec | State | Lease) -> None:
    beside = path.with_name(f".{path.name}.{os.getpid()}.{time.monotonic_ns()}")
    beside.write_text(json.dumps(dataclasses.asdict(value)))
    beside.replace(path)


def read(path: Path, kind: type[Written]) -> Written | None:
    """None when there is no such file."""
    try:
        text = path.read_text()
    except FileNotFoundError:
        return None
    return kind(**json.loads(text))


def start_time(pid: int) -> str | None:
    """Boot and clock tick in which process `pid` started; None when it is gone or a zombie."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        boot = Path("/proc/sys/kernel/random/boot_id").read_text().strip()
    except OSError:
        return None
    return None if fields[0] in "ZX" else f"{boot}:{fields[19]}"


def keeper_is_alive(folder: Path) -> bool:
    """A keeper holds its lock from its first to its last moment; the kernel lets go of it with the process."""
    with (folder / KEEPER_LOCK).open("a") as held:
        try:
            fcntl.flock(held, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except BlockingIOError:
            return True
    return False


def last_lines(log: Path, since: int = 0, count: int = 15) -> str:
    """The end of a log, at most from byte `since` on, and before it the errors named further up.

    A traceback's last lines often say only `see root cause above`.
    """
    try:
        with log.open("rb") as file:
            file.seek(max(since, log.stat().st_size - 200_000))
            lines = file.read().decode(errors="replace").splitlines()
    except FileNotFoundError:
        return ""
    named = [line for line in lines[:-count] if _NAMED_ERROR.match(line)]
    return "\n".join([*dict.fromkeys(named[-3:]), *lines[-count:]])
