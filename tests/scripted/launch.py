"""Start the scripted server for a test that is not async: in a process of its own, or in a thread.

`process()` measures honestly (its CPU time is not the client's); `thread()` takes a Python function as the
script. Both give a `Running` with the url and the doors to `/stats`, `/requests` and `/script`.
"""

import asyncio
import http.client
import json
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.scripted.replies import Script, default
from tests.scripted.server import ScriptedServer, Settings

ROOT = Path(__file__).resolve().parents[2]


@dataclass(frozen=True)
class Running:
    url: str
    """Base URL up to and with /v1."""
    port: int
    process: "subprocess.Popen[str] | None" = None

    def stats(self) -> dict[str, Any]:
        return self._call("GET", "/stats")  # type: ignore[no-any-return]

    def requests(self) -> list[dict[str, Any]]:
        """Recorded requests, oldest first: arrived (s), body, attempt, status. Needs `record`."""
        return self._call("GET", "/requests")  # type: ignore[no-any-return]

    def script(self, *faults: str | dict[str, Any], **change: Any) -> None:
        """Queue faults: `"429"`, `"drop"`, `{"kind": "status", "status": 429, "retry_after": "1"}`."""
        self._call("POST", "/script", {"faults": list(faults), **change})

    def _call(self, method: str, path: str, body: Any = None) -> Any:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
        try:
            connection.request(method, path, None if body is None else json.dumps(body))
            answer = connection.getresponse()
            text = answer.read()
            if answer.status != 200:
                raise RuntimeError(f"{method} {path} at {self.url}: status {answer.status}: {text[:500]!r}")
            return json.loads(text)
        finally:
            connection.close()


@contextmanager
def process(*arguments: str) -> Iterator[Running]:
    """The server as `python -m tests.scripted.server *arguments`, ended at the end of the block."""
    command = [sys.executable, "-m", "tests.scripted.server", *arguments]
    child = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True)
    try:
        assert child.stdout is not None
        line = child.stdout.readline()
        if not line:
            raise RuntimeError(f"{' '.join(command)} ended with status {child.wait()} before it listened")
        started = json.loads(line)
        yield Running(started["url"], started["port"], child)
    finally:
        child.terminate()
        child.wait(timeout=10)
        assert child.stdout is not None
        child.stdout.close()


@contextmanager
def thread(settings: Settings | None = None, script: Script = default) -> Iterator[Running]:
    """The server in a thread with a loop of its own."""
    loop = asyncio.new_event_loop()
    worker = threading.Thread(target=loop.run_forever, name="scripted-server", daemon=True)
    worker.start()
    server = ScriptedServer(settings, script)
    try:
        asyncio.run_coroutine_threadsafe(server.start(), loop).result(10)
        yield Running(server.url, server.port)
    finally:
        asyncio.run_coroutine_threadsafe(server.close(), loop).result(10)
        loop.call_soon_threadsafe(loop.stop)
        worker.join(10)
        loop.close()
