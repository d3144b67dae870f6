"""The process that owns one model server for as long as somebody holds a lease.

    python -m resources.serving.server_keeper FOLDER

Reads FOLDER/spec.json, writes FOLDER/state.json. Starts the server (under a guard that ends it should this process be
killed), says when it is ready, starts it again when it dies in use, ends it when the leases have run out. Which server
is wanted is the business of `vllm_server`.
"""

import fcntl
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

from resources.serving import server_files as files
from resources.serving.process_guard import GRACE_SECONDS, adopt_orphans, kill_descendants
from resources.serving.server_probe import Refused, diagnose, free_port, is_ready

POLL_SECONDS = 0.25
PORT_ATTEMPTS = 5
RESTARTS = 3
"""How often a server that had been ready is started again on its port when it dies while leases are held."""
PROBE_SECONDS = 120.0
"""The first completion may have kernels to compile."""
PACKAGES = Path(__file__).parents[2]


class Leases:
    """How long nobody has held a lease. A holder that went without a word stops counting."""

    def __init__(self, folder: Path, linger_seconds: float) -> None:
        self.folder, self.linger_seconds = folder, linger_seconds
        self.idle_since = time.monotonic()
        self.last_use: files.Lease | None = None

    def expired(self) -> bool:
        """No lease for as long as the last holders asked the server to linger."""
        live = list(self.live())
        last_use = files.read(self.folder / files.LAST_USE, files.Lease)
        if live:
            self.linger_seconds = max(lease.linger_seconds for lease in live)
        elif last_use and last_use != self.last_use:  # a lease may come and go between two looks
            self.linger_seconds = last_use.linger_seconds
        if live or last_use != self.last_use:
            self.idle_since = time.monotonic()
        self.last_use = last_use
        return not live and time.monotonic() - self.idle_since > self.linger_seconds

    def live(self) -> Iterator[files.Lease]:
        for path in (self.folder / files.LEASES).glob("[!.]*"):
            lease = files.read(path, files.Lease)
            if lease and files.start_time(lease.pid) == lease.start:
                yield lease
            elif lease:
                path.unlink(missing_ok=True)


class Server:
    """One start: the guard process and the pipe that keeps it."""

    def __init__(self, folder: Path, command: list[str], port: int) -> None:
        self.port, self.url = port, f"http://127.0.0.1:{port}/v1"
        read, self.pipe = os.pipe()
        self.log = folder / files.LOG
        with self.log.open("ab") as log:
            self.log_start = log.tell()
            self.guard = subprocess.Popen(
                [sys.executable, "-m", "resources.serving.process_guard", str(folder), *command, "--port", str(port)],
                stdin=read, stdout=log, stderr=log, cwd=PACKAGES, start_new_session=True,
            )  # fmt: skip
        os.close(read)

    def last_lines(self) -> str:
        """Of this start: what an earlier one wrote must not explain this one's end."""
        return files.last_lines(self.log, self.log_start)

    def end(self) -> None:
        """End the whole tree; orphans of a guard that was itself killed have become ours."""
        if self.pipe >= 0:
            os.close(self.pipe)
            self.pipe = -1
        try:
            self.guard.wait(GRACE_SECONDS + 2)
        except subprocess.TimeoutExpired:
            self.guard.kill()
        kill_descendants()


class Keeper:
    def __init__(self, folder: Path, spec: files.Spec) -> None:
        self.folder, self.spec = folder, spec
        self.leases = Leases(folder, spec.linger_seconds)
        self.ports, self.restarts = 0, 0
        self.start(spec.port or free_port())

    def start(self, port: int) -> None:
        self.ready, self.began, self.ports = False, time.monotonic(), self.ports + 1
        self.server = Server(self.folder, self.spec.command, port)
        self.tell("starting")

    def tell(self, phase: str, fault: str = "", sentence: str = "", log: str = "") -> None:
        state = files.State(
            instance=self.spec.instance, phase=phase, port=self.server.port, keeper=os.getpid(),
            guard=self.server.guard.pid, seconds=round(time.monotonic() - self.began, 2), restarts=self.restarts,
            fault=fault, sentence=sentence, log=log,
        )  # fmt: skip
        files.write(self.folder / files.STATE, state)

    def look(self) -> None:
        """One look at the server; raises Refused when it is not going to answer."""
        status = self.server.guard.poll()
        if status is not None:
            fault, sentence = diagnose(status, self.server.last_lines())
            self.server.end()
            if self.ready and self.restarts < RESTARTS and any(self.leases.live()):
                self.restarts += 1
                self.start(self.server.port)  # lease holders know this port and are trying again
            elif fault == "port taken" and not (self.spec.port or self.restarts) and self.ports < PORT_ATTEMPTS:
                self.start(free_port())
            else:
                raise Refused(fault, sentence)
        if self.ready:
            return
        left = self.began + self.spec.start_timeout_seconds - time.monotonic()
        if is_ready(self.server.url, self.spec.model, self.spec.root, min(PROBE_SECONDS, max(1.0, left))):
            self.ready = True
            self.tell("ready")
        elif left < 0:
            raise Refused("not ready in time", f"No answer within {self.spec.start_timeout_seconds:g} s.")


def keep(folder: Path) -> None:
    """Hold the server of `folder` until its leases have run out, it fails, or SIGTERM."""
    with (folder / files.KEEPER_LOCK).open("a") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        # Detached from whoever asked first: no zombie of theirs, not in their tree when that is killed. The lock
        # stays held, since both sides of a fork share it.
        if os.fork():
            os._exit(0)
        os.setsid()
        stop: list[int] = []
        signal.signal(signal.SIGTERM, lambda number, _: stop.append(number))
        adopt_orphans()
        spec = files.read(folder / files.SPEC, files.Spec)
        if spec is None:
            raise FileNotFoundError(folder / files.SPEC)
        keeper = Keeper(folder, spec)
        while True:
            try:
                keeper.look()
            except Refused as refused:
                log = keeper.server.last_lines()
                keeper.server.end()
                return keeper.tell("failed", refused.fault, str(refused), log)
            if stop or keeper.leases.expired():
                # Under this lock nobody is between writing a lease and finding this keeper alive.
                with (folder / files.START_LOCK).open("a") as lock:
                    fcntl.flock(lock, fcntl.LOCK_EX)
                    if stop or keeper.leases.expired():
                        keeper.server.end()
                        keeper.tell("ended")
                        held.close()  # while nobody can look: who comes next must not take us for alive
                        return None
            time.sleep(POLL_SECONDS)


if __name__ == "__main__":
    keep(Path(sys.argv[1]))
