"""One launch of a trainer as a process group under a guard: started, looked at, asked to end, killed.

Whoever started it holds a pipe; should that process be killed, the guard ends the whole tree within 10 s. What is seen is judged in
`trainer_job.py`.
"""

import contextlib
import os
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

from resources.serving import process_guard
from resources.training.launchers import PACKAGES
from resources.training.ranks import Ranks, memory_kills

MARGIN_SECONDS = 12.0
"""The guard waits up to 10 s for the kernel to let go of what it killed."""


class TrainerProcess:
    def __init__(
        self, command: Sequence[str], environment: Mapping[str, str], log: Path, *, ranks: int, grace: float, inherited: int
    ) -> None:
        """`inherited` is a descriptor that stays open until the tree is gone. Raises OSError."""
        self.log, self.grace = log, grace
        self._shown = self.log_start = log.stat().st_size if log.exists() else 0
        self._kills = memory_kills()
        read, self._pipe = os.pipe()
        try:
            with log.open("ab") as out:
                self.guard = subprocess.Popen(
                    [sys.executable, "-m", "resources.serving.process_guard", "--ask", "SIGTERM", "--grace", str(grace),
                     str(log.parent), *command],
                    stdin=read, stdout=out, stderr=out, cwd=PACKAGES, env=dict(environment), start_new_session=True,
                    pass_fds=(inherited,),
                )  # fmt: skip
        except BaseException:
            os.close(self._pipe)
            raise
        finally:
            os.close(read)
        self.ranks = Ranks(self.guard.pid, ranks)

    def ended(self) -> int | None:
        """Exit status, 128 + n for signal n; None while it runs."""
        self.ranks.look()
        status = self.guard.poll()
        return status if status is None or status >= 0 else 128 - status

    def ask_to_end(self) -> None:
        """SIGTERM to every rank, and after the grace SIGKILL to all that is left; returns when the tree is gone.

        Not through the launcher where it can be helped: torchrun signals a rank's whole process group, its graders too, and
        deepspeed one rank after the other, waiting up to 30 s for each."""
        if not self.ranks.ask():
            self._say(process_guard.ASK)
        self._wait(self.grace)
        self._say(process_guard.KILL_NOW)
        self._wait(MARGIN_SECONDS)

    def _say(self, word: bytes) -> None:
        with contextlib.suppress(BrokenPipeError):
            os.write(self._pipe, word)

    def _wait(self, seconds: float) -> None:
        deadline = time.monotonic() + seconds
        while self.ended() is None and time.monotonic() < deadline:
            time.sleep(0.05)

    def end(self) -> None:
        """Nothing of it is left afterwards, however far it was; safe to call again."""
        if self._pipe >= 0:
            os.close(self._pipe)  # the guard takes this for our end
            self._pipe = -1
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.guard.wait(MARGIN_SECONDS + 8)
        if self.guard.poll() is None:
            self.guard.kill()
            self.guard.wait()
        self.ranks.kill()
        self.ranks.close()

    def memory_kills(self) -> int:
        """By the kernel, on this machine, since the start."""
        return memory_kills() - self._kills

    def written(self) -> str:
        """The end of the log of this launch: what an earlier one wrote must not explain this one's end."""
        with self.log.open("rb") as file:
            file.seek(max(self.log_start, self.log.stat().st_size - 400_000))
            return file.read().decode(errors="replace")

    def new_lines(self) -> str:
        """Of the log, since the last call."""
        with self.log.open("rb") as file:
            file.seek(self._shown)
            new = file.read()
        self._shown += len(new)
        return new.decode(errors="replace")
