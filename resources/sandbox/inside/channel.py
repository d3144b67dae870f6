"""One JSON message after another over two pipes. Says so when the other end is gone. Leaves out what messages mean."""

from __future__ import annotations

import json
import os
import select

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_HEAD = 8
_LONGEST = 2**31
_PIECE = 1 << 20


class Gone(BaseException):
    """The other process ended, or wrote what is no message. Not an Exception: tests that catch those must not go on."""


class Channel:
    def __init__(self, reading: int, writing: int, partner: int | None = None) -> None:
        """`partner`: a pidfd of the other process, whose children may hold its end of the pipe open after it."""
        self._reading, self._writing, self._partner = reading, writing, partner

    def send(self, message: object) -> None:
        """Raises Gone, ValueError and RecursionError (what JSON cannot hold)."""
        body = json.dumps(message, separators=(",", ":")).encode()
        left = memoryview(len(body).to_bytes(_HEAD, "big") + body)
        try:
            while left:
                left = left[os.write(self._writing, left):]
        except OSError as error:
            raise Gone(str(error)) from error

    def receive(self) -> Any:
        """Raises Gone."""
        length = int.from_bytes(self._read(_HEAD), "big")
        if length > _LONGEST:
            raise Gone("no message")
        try:
            return json.loads(self._read(length))
        except (ValueError, RecursionError) as error:
            raise Gone(f"no message: {error}") from error

    def _read(self, length: int) -> bytearray:
        found = bytearray()
        while len(found) < length:
            if self._partner is not None:
                self._await_either()
            piece = os.read(self._reading, min(length - len(found), _PIECE))
            if not piece:
                raise Gone("the process ended")
            found += piece
        return found

    def _await_either(self) -> None:
        waiting = select.poll()
        waiting.register(self._reading, select.POLLIN)
        waiting.register(self._partner or 0, select.POLLIN)
        if all(number != self._reading for number, _ in waiting.poll()):
            raise Gone("the process ended")

    def close(self) -> None:
        os.close(self._reading)
        os.close(self._writing)
