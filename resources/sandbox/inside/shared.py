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
MOST = 1_000
"""As many are looked through with each message. Where there are more, all are let go of between two calls, and are told of
anew, whole, when they are mentioned: what one side does to them then no longer shows on the other but within a call."""
_probe = [[""]]
_UNHELD = sys.getrefcount(_probe[0])
"""What the interpreter counts for an object that one container holds."""


class Shared:
    def __init__(self, first: int) -> None:
        """`first`: 0 or 1; the numbers that this side gives are every second from there on."""
        self._next = self._first = first
        self._held: dict[int, list[Any]] = {}
        """By number: the container, its content when it was last told (None before that), its kind."""
        self._untold: set[int] = set()
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
        self._held[number] = [container, None, _kind(container)]
        self._untold.add(number)
        self._numbers[id(container)] = number

    def told(self) -> None:
        """Both sides now know the contents of all."""
        for number in self._untold:
            entry = self._held[number]
            entry[1] = _content(entry[0], entry[2])
        self._untold.clear()

    def stale(self, number: int) -> None:
        """The content of this one is about to be told."""
        self._held[number][1] = None
        self._untold.add(number)

    def changed(self) -> list[int]:
        return [number for number, (container, before, kind) in self._held.items()
                if before is not None and not _same(container, before, kind)]

    def unheld(self) -> list[int]:
        """Numbers of those that nothing else holds."""
        return [number for number, entry in self._held.items()
                if sys.getrefcount(entry[0]) <= _UNHELD and entry[1] is not None]

    def too_many(self, new: int) -> list[int]:
        """Numbers of all and of `new` further ones, where they are too many to be looked through each time."""
        return [*self._held, *map(self.next, range(new))] if len(self._held) > MOST else []

    def drop(self, numbers: list[int]) -> None:
        for number in numbers:
            if (entry := self._held.pop(number, None)) is not None:
                del self._numbers[id(entry[0])]
                self._untold.discard(number)


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


def _content(container: Any, kind: Any) -> Any:
    if issubclass(kind, dict):
        return [*kind.keys(container), *kind.values(container)]
    return bytes(container) if kind is bytearray else list(kind.__iter__(container))


def _same(container: Any, before: Any, kind: Any) -> bool:
    if kind is bytearray:
        return bool(bytes(container) == before)
    now = container if type(container) is list else _content(container, kind)
    return len(now) == len(before) and all(map(operator.is_, now, before))
