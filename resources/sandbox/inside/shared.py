"""The mutable containers that both halves hold: which they are, and what changed in them since the last message.

Messages alternate, so both sides agree on the numbers. One that nothing but this table holds is let go of, on both
sides: nobody can see any more whether it changes. Leaves out how contents look on the way (`values.py`).
"""

from __future__ import annotations

import collections
import operator
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

CONTAINERS = (collections.OrderedDict, dict, list, set, bytearray, collections.deque)
_probe = [[""]]
_UNHELD = sys.getrefcount(_probe[0])
"""What the interpreter counts for an object that one container holds."""


class Shared:
    def __init__(self, first: int) -> None:
        """`first`: 0 or 1; the numbers that this side gives are every second from there on."""
        self._next = self._first = first
        self._held: dict[int, list[Any]] = {}
        self._numbers: dict[int, int] = {}

    def number(self, container: object) -> int | None:
        return self._numbers.get(id(container))

    def container(self, number: int) -> Any:
        return self._held[number][0]

    def add(self, containers: list[Any]) -> None:
        """Those that a message of ours tells of, which took the numbers from `next` on."""
        for container in containers:
            self._hold(self._next, container)
            self._next += 2

    def next(self, place: int) -> int:
        """The number that the container at this place in the list of new ones will have."""
        return self._next + 2 * place

    def take(self, number: object, container: Any) -> None:
        """One that the other side tells of. Raises ValueError where the number is not its to give."""
        if type(number) is not int or number < 0 or number % 2 == self._first or number in self._held:
            raise ValueError(f"no new number: {number!r:.40}")
        self._hold(number, container)

    def _hold(self, number: int, container: Any) -> None:
        self._held[number] = [container, None]
        self._numbers[id(container)] = number

    def told(self) -> None:
        """Both sides now know the contents of all."""
        for entry in self._held.values():
            if entry[1] is None:
                entry[1] = _content(entry[0])

    def stale(self, number: int) -> None:
        """The content of this one is about to be told."""
        self._held[number][1] = None

    def changed(self) -> list[int]:
        return [number for number, (container, before) in self._held.items()
                if before is not None and not _same(_content(container), before)]

    def unheld(self) -> list[int]:
        """Numbers of those that nothing else holds."""
        found = []
        for number in list(self._held):
            entry = self._held[number]
            if sys.getrefcount(entry[0]) <= _UNHELD and entry[1] is not None:
                found.append(number)
        return found

    def drop(self, numbers: list[int]) -> None:
        for number in numbers:
            if (entry := self._held.pop(number, None)) is not None:
                del self._numbers[id(entry[0])]


def clear(container: Any) -> None:
    """Whatever its own class makes of that."""
    _kind(container).clear(container)


def fill(container: Any, content: list[Any]) -> None:
    """`content`: members, or pairs."""
    kind = _kind(container)
    if issubclass(kind, dict):
        for key, value in content:
            kind.__setitem__(container, key, value)
    elif kind is set:
        set.update(container, content)
    else:
        kind.extend(container, content)


def _kind(container: object) -> Any:
    return next(kind for kind in CONTAINERS if isinstance(container, kind))


def _content(container: Any) -> Any:
    kind = _kind(container)
    if issubclass(kind, dict):
        return [*kind.keys(container), *kind.values(container)]
    return bytes(container) if kind is bytearray else list(kind.__iter__(container))


def _same(now: Any, before: Any) -> bool:
    if isinstance(now, bytes):
        return bool(now == before)
    return len(now) == len(before) and all(map(operator.is_, now, before))
