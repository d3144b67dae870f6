"""Stands for an object that lives in the other process: attributes, calls and operators go there.

An object over there never says whether it equals a plain value: nothing but its content does, where its class derives
from a builtin. It takes part in arithmetic and ordering with plain values only where the problem declares its class.
So what a test expects stays with the test.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

_ALONE = ("len", "bool", "str", "repr", "int", "float", "complex", "index", "abs", "neg", "pos", "invert", "round", "hash",
          "reversed", "enter", "next")
_WITH_PLAIN = ("getitem", "delitem", "setitem", "exit", "format")
"""Operators whose operands are no expectation: keys, positions, formats."""
_WITH_EXPECTED = ("lt", "le", "gt", "ge", "contains", "add", "radd", "sub", "rsub", "mul", "rmul", "truediv", "rtruediv",
                  "floordiv", "rfloordiv", "mod", "rmod", "pow", "rpow", "matmul", "rmatmul", "and", "rand", "or", "ror",
                  "xor", "rxor", "lshift", "rshift", "iadd", "isub", "imul", "ior", "iand")
OPERATORS = frozenset((*_ALONE, *_WITH_PLAIN, *_WITH_EXPECTED, "eq", "iter", "instancecheck", "subclasscheck"))


class Remote:
    """`content`: the object is of a subclass of a builtin. `declared`: the problem declares its class."""

    __slots__ = ("_remote_content", "_remote_declared", "_remote_number", "_remote_peer")

    def __init__(self, peer: Any, number: int, content: bool, declared: bool) -> None:
        for name, value in (("peer", peer), ("number", number), ("content", content), ("declared", declared)):
            object.__setattr__(self, f"_remote_{name}", value)

    def __getattr__(self, name: str) -> Any:
        return self._remote_peer.ask("get", self, name)

    def __setattr__(self, name: str, value: object) -> None:
        self._remote_peer.ask("set", self, name, value)

    def __call__(self, *args: object, **named: object) -> Any:
        return self._remote_peer.ask("call", self, args, named)

    def __eq__(self, other: object) -> Any:
        if self is other:
            return True
        if isinstance(other, Remote):
            return self._remote_peer.ask("op", "eq", self, other)
        return self._remote_peer.ask("content", self) == other if self._remote_content else NotImplemented

    def __hash__(self) -> int:
        return int(self._remote_peer.ask("op", "hash", self))

    def __iter__(self) -> Iterator[Any]:
        found: Iterator[Any] = self._remote_peer.ask("op", "iter", self)
        return found


def _forwarded(name: str, expected: bool) -> Any:
    def method(self: Remote, *others: object) -> Any:
        if expected and not (self._remote_declared or all(isinstance(other, Remote) for other in others)):
            if name == "contains":
                return any(item is others[0] or item == others[0] for item in self)
            return NotImplemented
        return self._remote_peer.ask("op", name, self, *others)

    return method


for _name in _ALONE + _WITH_PLAIN + _WITH_EXPECTED + ("instancecheck", "subclasscheck"):
    if _name != "hash":
        setattr(Remote, f"__{_name}__", _forwarded(_name, _name in _WITH_EXPECTED))
# the documentation of what it stands for, not its own
setattr(Remote, "__doc__", property(lambda self: self._remote_peer.ask("get", self, "__doc__")))  # noqa: B010
