"""HTTP/1.1 for the scripted server: one request at a time on each connection, kept alive."""

import asyncio
import json
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import Any, Protocol

JSON_HEADER = "Content-Type: application/json\r\n"


@dataclass(frozen=True)
class Request:
    method: str
    path: str
    headers: dict[str, str]
    """Names in lower case."""
    body: bytes


@dataclass(frozen=True)
class Answer:
    status: int
    body: bytes
    headers: str = ""
    """Further header lines, each ended by CRLF."""
    cut: int | None = None
    """Close the connection after so many bytes of the body; 0 sends nothing at all."""


def json_answer(status: int, body: Any, headers: str = "") -> Answer:
    return Answer(status, json.dumps(body).encode(), JSON_HEADER + headers)


class Answers(Protocol):
    def opened(self, connection: "Connection") -> None: ...
    def closed(self, connection: "Connection") -> None: ...
    async def answer(self, request: Request) -> Answer: ...


@dataclass(eq=False)
class Connection(asyncio.Protocol):
    """One client connection. A client that leaves cancels the request it waited for."""

    server: Answers
    transport: asyncio.Transport | None = None
    _data: bytearray = field(default_factory=bytearray)
    _task: asyncio.Task[None] | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self.transport = transport
        self.server.opened(self)

    def connection_lost(self, exc: Exception | None) -> None:
        self.server.closed(self)
        if self._task is not None:
            self._task.cancel()

    def abort(self) -> None:
        if self.transport is not None:
            self.transport.abort()

    def data_received(self, data: bytes) -> None:
        self._data += data
        self._next()

    def _next(self) -> None:
        if self._task is not None:
            return
        request = self._take()
        if request is not None:
            self._task = asyncio.get_running_loop().create_task(self._respond(request))

    def _take(self) -> Request | None:
        """The next whole request in the buffer, or None while it is still coming in."""
        end = self._data.find(b"\r\n\r\n")
        if end < 0:
            return None
        first, *lines = self._data[:end].decode("latin-1").split("\r\n")
        headers = {}
        for line in lines:
            name, _, value = line.partition(":")
            headers[name.lower()] = value.strip()
        length = int(headers.get("content-length", "0"))
        if "transfer-encoding" in headers:
            self._write(json_answer(411, {"error": {"message": "send Content-Length"}}))
            self.abort()
            return None
        start = end + 4
        if len(self._data) < start + length:
            return None
        body = bytes(self._data[start : start + length])
        del self._data[: start + length]
        method, target, _ = first.split(" ", 2)
        return Request(method, target.partition("?")[0], headers, body)

    async def _respond(self, request: Request) -> None:
        try:
            answer = await self.server.answer(request)
        except Exception as problem:  # noqa: BLE001 - a broken script shows as a 500, not as a hang
            said = {"message": f"script failed: {problem!r}", "type": "ScriptFailure"}
            answer = json_answer(500, {"error": said})
        self._task = None
        self._write(answer)
        self._next()

    def _write(self, answer: Answer) -> None:
        if self.transport is None or self.transport.is_closing():
            return
        if answer.cut == 0:
            self.transport.abort()
            return
        head = (
            f"HTTP/1.1 {answer.status} {HTTPStatus(answer.status).phrase}\r\n"
            f"{answer.headers}Content-Length: {len(answer.body)}\r\n\r\n"
        )
        self.transport.write(head.encode("latin-1") + answer.body[: answer.cut])
        if answer.cut is not None:
            self.transport.close()
