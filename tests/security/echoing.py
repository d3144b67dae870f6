"""A model server that sends back what it was sent to open the door with: in errors, in headers, in its list of models, in replies.

Each way of it is one server, so that a test names what it meets. Leaves out the answers themselves (`tests/scripted/`).
"""

import asyncio
import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager

from tests.scripted.answers import error
from tests.scripted.http import Answer, Request, json_answer
from tests.scripted.server import ScriptedServer, Settings

WAYS = ("honest", "reply", "unauthorized", "forbidden", "bad_request", "unavailable", "raw", "models")
"""`honest` repeats nothing."""


class EchoingServer(ScriptedServer):
    def __init__(self, way: str) -> None:
        super().__init__(Settings(record=True))
        self.way = way
        self.opened_with: set[str] = set()
        """Authorization headers that came."""

    async def answer(self, request: Request) -> Answer:
        header = request.headers.get("authorization", "")
        self.opened_with.add(header)
        if request.path == "/v1/models":
            name = header if self.way == "models" else "scripted"
            return json_answer(200, {"object": "list", "data": [{"id": name, "object": "model"}]}, f"X-Echo: {header}\r\n")
        text = f"\x1b[31mincorrect credentials {header} / {header.split()[-1]} / {json.dumps(header)}"
        match self.way:
            case "unauthorized":
                return error(401, text, "AuthenticationError", headers=f"WWW-Authenticate: {header}\r\n")
            case "forbidden":
                return error(403, text, "PermissionError")
            case "bad_request":
                return error(400, text, "BadRequestError")
            case "unavailable":
                return error(503, text, "Overloaded", headers=f"X-Echo: {header}\r\n")
            case "raw":
                return Answer(400, f"<html><pre>{text}</pre></html>".encode(), f"X-Echo: {header}\r\n")
        answer = await super().answer(request)
        if self.way != "reply" or answer.status != 200:
            return answer
        body = json.loads(answer.body)
        message = body["choices"][0]["message"]
        message["reasoning"] = f"I was asked with {header}."
        message["content"] = f"{header} {message['content']}"
        return json_answer(200, body | {header: header}, f"X-Echo: {header}\r\n")


@contextmanager
def echoing(way: str) -> Iterator[EchoingServer]:
    """The server in a thread with a loop of its own."""
    loop = asyncio.new_event_loop()
    worker = threading.Thread(target=loop.run_forever, name=f"echoing {way}", daemon=True)
    worker.start()
    server = EchoingServer(way)
    try:
        asyncio.run_coroutine_threadsafe(server.start(), loop).result(10)
        yield server
    finally:
        asyncio.run_coroutine_threadsafe(server.close(), loop).result(10)
        loop.call_soon_threadsafe(loop.stop)
        worker.join(10)
        loop.close()
