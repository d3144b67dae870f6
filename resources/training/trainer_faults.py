"""What went wrong with a trainer: the kinds of fault, how a log tells them apart, what to do next; pure.

A trainer that stops for a reason of its own prints it in words, behind the name of its error; those are believed before anything
that the rest of the log may look like. Watching: `trainer_job.py`.
"""

import re
import signal
from enum import StrEnum

from tmas_assets.records.base import Record

LINES = 20
"""Of the log, in the text of an error."""


class Fault(StrEnum):
    TRAINER_MISSING = "trainer not installed"
    GPU_MISSING = "GPU missing"
    LAUNCH = "launch refused"
    PORT_TAKEN = "port taken"
    OUT_OF_MEMORY = "out of memory"
    DISK_FULL = "disk full"
    ROWS_CHANGED = "rows changed"
    REFUSED = "plan refused"
    DIVERGED = "diverged"
    STOPPED = "training stopped"
    NOT_SAVED = "not saved"
    NOT_AS_TRAINED = "model not as trained"
    STALLED = "no progress"
    RANK_DIED = "a rank died"
    OTHER = "trainer failed"


ADVICE = {
    Fault.TRAINER_MISSING: "Run `make setup`, or correct launch.python.",
    Fault.GPU_MISSING: "Set `launch.device: cpu`, lower launch.processes, or run where that many GPUs are visible.",
    Fault.LAUNCH: "Correct the launch settings.",
    Fault.PORT_TAKEN: "Name a free launch.port, or none, and one is chosen.",
    Fault.OUT_OF_MEMORY: "Lower optimisation.micro_batch or the token limits, set optimisation.gradient_checkpointing, raise "
    "deepspeed.stage or set deepspeed.offload, or use fewer processes; then run again: it goes on from the last whole state.",
    Fault.DISK_FULL: "Free space below TMAS_HOME and run again: it goes on from the last whole state.",
    Fault.ROWS_CHANGED: "Run again: the plan is made anew from the rows that are there now.",
    Fault.DIVERGED: "Lower optimisation.learning_rate or max_grad_norm and train again from the former checkpoint.",
    Fault.REFUSED: "Correct what it names and run again.",
    Fault.STOPPED: "Correct what it names and run again: it goes on from the last whole state.",
    Fault.NOT_SAVED: "Look at the folder that it names and run again: it goes on from the last whole state.",
    Fault.NOT_AS_TRAINED: "No checkpoint was registered. Run again: the model is saved anew from the last whole state.",
    Fault.STALLED: "Look where it hangs in the log; raise launch.stall_seconds where a step may take so long. A new run goes "
    "on from the last whole state.",
    Fault.RANK_DIED: "Its last lines say why. A new run goes on from the last whole state.",
    Fault.OTHER: "Its last lines say why. A new run goes on from the last whole state.",
}


class TrainerFault(RuntimeError):
    """No training as asked for. `kind` says which fault, the text what was tried, found, and what to do next."""

    def __init__(self, kind: Fault, text: str) -> None:
        super().__init__(f"{kind}: {text}")
        self.kind = kind


class Death(Record):
    """The first rank that ended badly."""

    rank: int
    code: int | None
    """Its exit status, negative for a signal; None where the launcher did not say."""

    def __str__(self) -> str:
        if self.code is None:
            return f"rank {self.rank} ended"
        if self.code < 0:
            return f"rank {self.rank} was killed by {_signal(-self.code)}"
        return f"rank {self.rank} ended with exit code {self.code}"


_SAID = re.compile(r"^(?:\[rank\d+\]:)*(TrainerRefusal|TrainingStopped|StateNotWritten|ModelNotAsTrained|NoAnswer): (.*)", re.M)
"""As `engine/training/process.py` prints them."""
_SAID_KINDS = {
    "TrainerRefusal": Fault.REFUSED, "TrainingStopped": Fault.STOPPED, "StateNotWritten": Fault.NOT_SAVED,
    "ModelNotAsTrained": Fault.NOT_AS_TRAINED, "NoAnswer": Fault.STALLED,
}  # fmt: skip
_ROWS_CHANGED = re.compile(r"rows .* have digest")
_DIVERGED = re.compile(r"\b(nan|inf|no number|not finite|diverged)\b", re.I)
_ELASTIC = re.compile(r"first observed failure\):\s*\[\d+\]:.*?\brank\s*: (\d+).*?exitcode\s*: (-?\d+)", re.DOTALL)
_DEEPSPEED = re.compile(r"exits with return code = (-?\d+)")
_DISK_FULL = re.compile(
    r"No space left on device|ENOSPC|Disk quota exceeded|File too large|os error (28|27|122)\b"
    r"|PytorchStreamWriter failed writing|inline_container\.cc.*unexpected pos", re.I)  # fmt: skip
_SIGNS = (
    (Fault.PORT_TAKEN, re.compile(r"EADDRINUSE|address already in use", re.I)),
    (Fault.DISK_FULL, _DISK_FULL),
    (Fault.OUT_OF_MEMORY, re.compile(
        r"CUDA out of memory|OutOfMemoryError|CUBLAS_STATUS_ALLOC_FAILED|CUDA error: out of memory|can't allocate memory"
        r"|std::bad_alloc|Cannot allocate memory|^(\[rank\d+\]:)*MemoryError", re.M)),
    (Fault.GPU_MISSING, re.compile(
        r"No CUDA GPUs are available|Found no NVIDIA driver|no CUDA-capable device|invalid device ordinal"
        r"|Torch not compiled with CUDA enabled|no GPU resources available")),
    (Fault.TRAINER_MISSING, re.compile(r"ModuleNotFoundError: No module named|No module named [\w.]+$|PackageNotFoundError", re.M)),
)  # fmt: skip


def diagnose(status: int, log: str, first_dead: int | None, memory_kills: int) -> tuple[Fault, str, Death | None]:
    """(kind, what was found, first rank that died) of a trainer that ended with exit status `status` and left no outcome.

    `first_dead` is the rank seen to end first, where the launcher's log does not name it; `memory_kills` how many processes the
    kernel killed for memory meanwhile."""
    death = _death(log, first_dead)
    who = str(death) if death else f"the launcher ended with {_ended(status)}"
    if said := _SAID.search(log):
        return _said_kind(said[1], said[2]), said[2].strip(), death
    for kind, sign in _SIGNS:
        if found := sign.search(log):
            line = log[log.rfind("\n", 0, found.start()) + 1 :].partition("\n")[0].strip()
            return kind, f"{who}; its log says {line[:300]!r}", death
    if (death and death.code in (-signal.SIGKILL, 128 + signal.SIGKILL)) or (not death and status == 128 + signal.SIGKILL):
        if memory_kills:
            return Fault.OUT_OF_MEMORY, f"{who}, and the kernel killed {memory_kills} processes for memory meanwhile", death
        return Fault.RANK_DIED, f"{who}; not by the kernel for memory, which it killed none for meanwhile, so look who else did", death
    if death:
        return Fault.RANK_DIED, f"{death}; the others were ended", death
    return Fault.OTHER, f"{who} and left no outcome", None


def _said_kind(name: str, words: str) -> Fault:
    kind = _SAID_KINDS[name]
    if kind is Fault.REFUSED and _ROWS_CHANGED.search(words):
        return Fault.ROWS_CHANGED
    if kind is Fault.STOPPED and _DIVERGED.search(words):
        return Fault.DIVERGED
    if kind is Fault.NOT_SAVED and _DISK_FULL.search(words):
        return Fault.DISK_FULL
    return kind


def last_words(log: str, rank: int | None) -> str:
    """The end of the log, and before it the lines of that rank that name an error: others go on talking."""
    lines = [line for line in log.splitlines() if line.strip()]
    own = [line for line in lines if line.startswith(f"[rank{rank}]:")] if rank is not None else []
    chosen = own or lines
    named = [line for line in chosen[:-LINES] if re.search(r"\b\w*(Error|Exception|Fault)\b.*:", line)][-3:]
    return "\n".join(f"  {line[:2000]}" for line in [*dict.fromkeys(named), *chosen[-LINES:]]) or "  (empty)"


def told_death(log: str) -> bool:
    """Whether the launcher says that a rank ended badly."""
    return bool(_ELASTIC.search(log) or _DEEPSPEED.search(log))


def _death(log: str, first_dead: int | None) -> Death | None:
    if found := _ELASTIC.search(log):
        return Death(rank=int(found[1]), code=int(found[2]))
    if first_dead is None:
        return None
    codes = _DEEPSPEED.findall(log)
    return Death(rank=first_dead, code=int(codes[-1]) if codes else None)


def _ended(status: int) -> str:
    return f"signal {_signal(status - 128)}" if status > 128 and status - 128 in signal.valid_signals() else f"exit code {status}"


def _signal(number: int) -> str:
    return signal.Signals(number).name if number in signal.valid_signals() else f"signal {number}"
