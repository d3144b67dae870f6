"""The side of the answer: runs it, then serves its functions to the tests in the other process.

It never holds the tests. What it prints is kept, up to a limit, and sent along. Leaves out the judging (`examine.py`).
"""

from __future__ import annotations

import contextlib
import io
import os
import sys

from resources.sandbox.inside.channel import Channel, Gone
from resources.sandbox.inside.peer import Peer

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

NAME = "answer"
_TREE_ONLY = 0x400
"""`ast.PyCF_ONLY_AST`, without the import of ast."""
_MOST_PRINTED = 1 << 18


def serve_answer(channel: Channel) -> None:
    """Serve until the tests end, then end this process."""
    printed = _Printed()
    sys.stdout = io.TextIOWrapper(io.BufferedWriter(printed), encoding="utf-8", errors="backslashreplace")
    stdout = sys.stdout
    module = type(sys)(NAME)
    module.__dict__["__builtins__"] = sys.modules["builtins"]
    sys.modules[NAME] = module
    stage = _Stage(module)
    peer = Peer(channel, guarded=False, written=lambda: printed.taken(stdout), news=stage.news)
    peer.verbs |= {"start": stage.start, "name": stage.named, "await": stage.wait, "anext": stage.wait_next}
    try:
        peer.serve()
    except Gone:
        os._exit(0)


class _Stage:
    def __init__(self, module: Any) -> None:
        self._module = module
        self._loop: Any = None
        self._followed: dict[str, Any] = {}

    def start(self, preamble: str, code: str, wanted: list[str]) -> list[str]:
        """Run the answer; returns the names it defines.

        Once all wanted names are there, a statement that defines nothing may raise: examples and checks that a reply
        adds are not what is graded. Ending the process is never forgiven.
        """
        self.run(preamble, ())
        self.run(code, wanted)
        self._bind_methods(wanted)
        return [name for name in self._module.__dict__ if not name.startswith("__")]

    def run(self, code: str, wanted: list[str] | tuple[str, ...]) -> None:
        names = self._module.__dict__
        tree: Any = compile(code, NAME, "exec", _TREE_ONLY)
        flags = _future_flags(tree)
        for node in tree.body:
            statement = compile(type(tree)([node], []), NAME, "exec", flags, dont_inherit=True)
            optional = bool(wanted) and type(node).__name__ in _OPTIONAL and all(name in names for name in wanted)
            try:
                exec(statement, names)
            except Exception:
                if not optional:
                    raise

    def _bind_methods(self, wanted: list[str]) -> None:
        """A wanted function that is there only as a method, as in `class Solution`, is found there."""
        names = self._module.__dict__
        classes = [value for value in names.values() if isinstance(value, type) and value.__module__ == NAME]
        for name in wanted:
            holders = [held for held in classes if name in held.__dict__ and not name.startswith("__")]
            if name not in names and len(holders) == 1:
                names[name] = _method(holders[0], name)

    def named(self, name: str, follow: bool) -> Any:
        """`follow`: whether `news` should say when it is bound anew."""
        found = self._module.__dict__[name]
        if follow:
            self._followed[name] = found
        return found

    def news(self, again: bool) -> dict[str, Any]:
        """What followed names are bound to now, where they were bound anew; all of them where told `again`."""
        names = self._module.__dict__
        found = {name: names[name] for name, last in self._followed.items()
                 if name in names and (again or names[name] is not last)}
        self._followed |= found
        return found

    def wait(self, coroutine: Any) -> Any:
        return self._event_loop().run_until_complete(coroutine)

    def wait_next(self, iterator: Any) -> tuple[bool, Any]:
        try:
            return True, self._event_loop().run_until_complete(iterator.__anext__())
        except StopAsyncIteration:
            return False, None

    def _event_loop(self) -> Any:
        import asyncio

        if self._loop is None:
            self._loop = asyncio.new_event_loop()
            asyncio.set_event_loop(self._loop)
        return self._loop


_OPTIONAL = ("Expr", "Assert", "For", "While", "If", "With", "Try", "Assign", "AnnAssign", "AugAssign", "Delete", "Raise",
             "Match")


def _future_flags(tree: Any) -> int:
    imports = [node for node in tree.body if type(node).__name__ == "ImportFrom" and node.module == "__future__"]
    flags = 0
    for alias in (alias for node in imports for alias in node.names):
        import __future__

        flags |= getattr(__future__, alias.name).compiler_flag
    return flags


def _method(holder: type, name: str) -> Any:
    def call(*args: object, **named: object) -> Any:
        return getattr(holder(), name)(*args, **named)

    return call


class _Printed(io.RawIOBase):
    """Keeps the first bytes written since they were last taken."""

    def __init__(self) -> None:
        self._kept = bytearray()

    def writable(self) -> bool:
        return True

    def write(self, data: Any) -> int:
        room = _MOST_PRINTED - len(self._kept)
        self._kept += memoryview(data)[: max(room, 0)]
        return len(memoryview(data))

    def taken(self, stdout: io.TextIOWrapper) -> str:
        with contextlib.suppress(ValueError):  # the answer closed it
            stdout.flush()
        text = self._kept.decode("utf-8", "replace")
        self._kept.clear()
        return text
