"""The scripted model server: OpenAI chat completions over real HTTP/1.1, with counts of what it saw.

Run it as its own process (`python -m tests.scripted.server --port 0`; it prints one JSON line with its url)
or start `ScriptedServer` inside a running loop; `launch.py` wraps both for synchronous tests. Replies and
faults come from `replies.py` and `faults.py`; the HTTP grammar is in `http.py`.

Besides `/v1/chat/completions`: `GET /v1/models`, `GET /health`, `GET /stats`, `GET /requests` (with record
on) and `POST /script` with `{"faults": [...], "clear": true, "latency": 0.1, "reset": true}`.
"""

import argparse
import asyncio
import json
import math
import signal
import sys
import time
from collections import Counter
from dataclasses import dataclass, field, replace
from typing import Any

from tests.scripted.answers import broken_answer, completion, error
from tests.scripted.faults import Fault, Faults, bend
from tests.scripted.http import Answer, Connection, Request, json_answer
from tests.scripted.replies import Asked, Script, default, load_script, request_digest


@dataclass
class Settings:
    """How the server behaves until `POST /script` changes it."""

    port: int = 0
    model: str = "scripted"
    """Several, with commas between, are one model under several names."""
    root: str | None = None
    """What `/v1/models` gives as the folder behind the model."""
    only_model: bool = False
    """Answer 404 to any other model name, as vLLM does."""
    latency: float = 0.0
    """Seconds to a reply; the median when `sigma` is above 0."""
    sigma: float = 0.0
    """Spread of the latency (lognormal, drawn from the request's digest)."""
    fault_rate: float = 0.0
    fault_kinds: tuple[str, ...] = ("429", "503")
    context: int | None = None
    """Window in words: prompt plus max_tokens above it is refused in vLLM's words."""
    api_key: str | None = None
    """Bearer token, or the whole Authorization header, without which requests get a 401."""
    record: bool = False
    """Keep every request's body, arrival and status for `/requests`."""


@dataclass
class Stats:
    """What the server saw since it started (or since the last reset)."""

    total: int = 0
    in_flight: int = 0
    peak_in_flight: int = 0
    answered: int = 0
    aborted: int = 0
    """Requests whose client left before the answer."""
    connections: int = 0
    paths: Counter[str] = field(default_factory=Counter)
    statuses: Counter[str] = field(default_factory=Counter)
    attempts: Counter[str] = field(default_factory=Counter)
    """Requests per digest."""


class ScriptedServer:
    """Listens on 127.0.0.1 in the running loop: `async with ScriptedServer(...) as server: ...`"""

    def __init__(self, settings: Settings | None = None, script: Script = default) -> None:
        self.settings = replace(settings or Settings())
        self.script = script
        self.faults = Faults(
            self.settings.fault_rate, tuple(Fault.parse(kind) for kind in self.settings.fault_kinds)
        )
        self.stats = Stats()
        self.requests: list[dict[str, Any]] = []
        self.port = 0
        self._server: asyncio.Server | None = None
        self._connections: set[Connection] = set()
        self._started = time.monotonic()

    @property
    def url(self) -> str:
        """Base URL up to and with /v1."""
        return f"http://127.0.0.1:{self.port}/v1"

    async def start(self) -> "ScriptedServer":
        loop = asyncio.get_running_loop()
        make = lambda: Connection(self)  # noqa: E731
        self._server = await loop.create_server(make, "127.0.0.1", self.settings.port, backlog=4096)
        self.port = self._server.sockets[0].getsockname()[1]
        return self

    async def close(self) -> None:
        """Stop listening and cut every connection, as a killed server would."""
        if self._server is not None:
            self._server.close()
            for connection in list(self._connections):
                connection.abort()
            await self._server.wait_closed()
            self._server = None

    async def __aenter__(self) -> "ScriptedServer":
        return await self.start()

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    # --- what a connection calls -------------------------------------------------------------------------

    def opened(self, connection: Connection) -> None:
        self._connections.add(connection)
        self.stats.connections += 1

    def closed(self, connection: Connection) -> None:
        self._connections.discard(connection)

    async def answer(self, request: Request) -> Answer:
        self.stats.paths[request.path] += 1
        if request.path == "/v1/chat/completions" and request.method == "POST":
            return await self._chat(request)
        match (request.method, request.path):
            case ("GET", "/health"):
                return Answer(200, b"")
            case ("GET", "/v1/models"):
                cards = [
                    {"id": name, "object": "model", "owned_by": "scripted", "root": self.settings.root or name,
                     "max_model_len": self.settings.context}
                    for name in self.settings.model.split(",")
                ]  # fmt: skip
                return json_answer(200, {"object": "list", "data": cards})
            case ("GET", "/stats"):
                return json_answer(200, vars(self.stats))
            case ("GET", "/requests"):
                return json_answer(200, self.requests)
            case ("POST", "/script"):
                self.apply(json.loads(request.body))
                return json_answer(200, {"queued": len(self.faults.queue)})
        return error(404, f"no such path {request.path}", "NotFoundError")

    def apply(self, change: dict[str, Any]) -> None:
        """`POST /script`: clear the queue, reset the counts, add faults, set latency and fault rate."""
        if change.get("clear"):
            self.faults.queue.clear()
        if change.get("reset"):
            self.stats = Stats(in_flight=self.stats.in_flight)
            self.requests = []
        self.faults.queue += [Fault.parse(fault) for fault in change.get("faults", ())]
        self.settings.latency = change.get("latency", self.settings.latency)
        self.faults.rate = change.get("fault_rate", self.faults.rate)

    # --- chat --------------------------------------------------------------------------------------------

    async def _chat(self, request: Request) -> Answer:
        stats = self.stats
        stats.total += 1
        stats.in_flight += 1
        stats.peak_in_flight = max(stats.peak_in_flight, stats.in_flight)
        entry: dict[str, Any] = {"arrived": time.monotonic() - self._started, "status": None}
        if self.settings.record:
            self.requests.append(entry)
        try:
            answer = await self._chat_answer(request, entry)
        except asyncio.CancelledError:
            stats.aborted += 1
            entry["status"] = "aborted"
            raise
        finally:
            stats.in_flight -= 1
        entry["status"] = answer.status if answer.cut is None else "drop"
        stats.answered += 1
        stats.statuses[str(entry["status"])] += 1
        return answer

    async def _chat_answer(self, request: Request, entry: dict[str, Any]) -> Answer:
        settings = self.settings
        wanted = (settings.api_key, f"Bearer {settings.api_key}")
        if settings.api_key is not None and request.headers.get("authorization") not in wanted:
            return error(401, "Unauthorized", "AuthenticationError")
        try:
            body = json.loads(request.body)
        except ValueError as problem:
            return error(400, f"body is no JSON: {problem}", "BadRequestError")
        asked = Asked(body, request_digest(body), 0)
        asked = Asked(body, asked.digest, self.stats.attempts[asked.digest])
        self.stats.attempts[asked.digest] += 1
        entry.update(body=body if settings.record else None, attempt=asked.attempt)
        fault = self.faults.draw(asked)
        reply = self.script(asked)
        seconds = settings.latency if reply.seconds is None else reply.seconds
        if settings.sigma:
            seconds *= math.exp(settings.sigma * asked.random("latency").gauss(0, 1))
        if fault is not None and fault.kind == "slow":
            seconds += fault.seconds
        if seconds:
            await asyncio.sleep(seconds)
        refused = self._refusal(asked)
        if refused is not None:
            return refused
        if fault is not None and (broken := broken_answer(fault, asked, reply)) is not None:
            return broken
        return json_answer(200, completion(asked, bend(reply, fault) if fault else reply))

    def _refusal(self, asked: Asked) -> Answer | None:
        settings, body = self.settings, asked.body
        if settings.only_model and body.get("model") != settings.model:
            return error(404, f"The model `{body.get('model')}` does not exist.", "NotFoundError")
        if not isinstance(body.get("messages"), list) or body.get("stream") or body.get("n", 1) != 1:
            return error(400, "needs messages; stream and n are not scripted", "BadRequestError")
        window, words = settings.context, asked.prompt_words
        budget = body.get("max_tokens", body.get("max_completion_tokens", 16))
        if budget < 1:
            return error(400, f"max_tokens must be at least 1, got {budget}.", "BadRequestError")
        if window is not None and words + budget > window:
            over = (
                f"This model's maximum context length is {window} tokens. However, you requested {budget} "
                f"output tokens and your prompt contains {words} input tokens, for a total of "
                f"{words + budget} tokens. Please reduce the length of the input prompt or the number of "
                f"requested output tokens."
            )
            return error(400, over, "BadRequestError")
        return None


def parse_arguments(arguments: list[str]) -> tuple[Settings, Script]:
    parser = argparse.ArgumentParser(prog="tests.scripted.server", description=__doc__)
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--model", default="scripted")
    parser.add_argument("--root")
    parser.add_argument("--only-model", action="store_true")
    parser.add_argument("--latency", type=float, default=0.0)
    parser.add_argument("--sigma", type=float, default=0.0)
    parser.add_argument("--fault-rate", type=float, default=0.0)
    parser.add_argument("--fault-kinds", type=lambda text: tuple(text.split(",")), default=("429", "503"))
    parser.add_argument("--context", type=int)
    parser.add_argument("--api-key")
    parser.add_argument("--record", action="store_true")
    parser.add_argument("--script", default="tests.scripted.replies:default", help="module:function")
    given = vars(parser.parse_args(arguments))
    script = load_script(given.pop("script"))
    return Settings(**given), script


async def serve(settings: Settings, script: Script) -> None:
    server = await ScriptedServer(settings, script).start()
    stop = asyncio.Event()
    for signum in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(signum, stop.set)
    print(json.dumps({"url": server.url, "port": server.port}), flush=True)
    await stop.wait()
    await server.close()


if __name__ == "__main__":
    asyncio.run(serve(*parse_arguments(sys.argv[1:])))
