"""Carries Python values between two processes as JSON, so that what arrives is what its own bytes say and no more.

Plain data and a fixed few types of the standard library cross by value, subclasses of builtins (a Counter, a
namedtuple, a list with methods) as their content; anything else stays at home and crosses as a number. Decoding never
runs what the sender chose: an object that equals everything arrives as a number that equals nothing. Mutable containers
are numbered for good (`shared.py`): each message tells of the new ones and of changes in the others, so a container that
both sides hold is the same one for both.
"""

from __future__ import annotations

import collections

from resources.sandbox.inside.known import as_known, known
from resources.sandbox.inside.shared import CONTAINERS, Shared, clear, fill

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

_SCALARS = (str, bool, float, type(None))
_MOST_BITS = 10_000
"""Longer whole numbers travel in hexadecimal: JSON's are decimal, and Python refuses to read very long ones."""
_BASES = (int, float, complex, str, bytes, tuple, frozenset, list, dict, set, bytearray, collections.deque)
_DICTS = (collections.Counter, collections.OrderedDict, collections.defaultdict)
_FACTORIES = {made.__name__: made for made in (int, float, str, list, dict, set, tuple, bool, frozenset)}
_MOST_FIELDS = 255
UNREADABLE = (ValueError, TypeError, LookupError, AttributeError, ArithmeticError, RecursionError, MemoryError)


class Uncarried(Exception):
    """A message that cannot be built or read: nested too deeply, or not of this form."""


class Values:
    """Encodes and decodes one message after another. `export` gives, of an object that stays here, what names it and what
    else is said of it, None where its content should cross instead; `own` gives the object of a number; `remote` stands
    in for one that is over there. `first`: 0 on one side and 1 on the other."""

    def __init__(self, export: Callable[[Any], tuple[list[Any], tuple[Any, ...]] | None], own: Callable[[int], Any],
                 remote: Callable[[list[Any], list[Any]], Any], first: int) -> None:
        self._export, self._own, self._remote = export, own, remote
        self._shared = Shared(first)

    def encode(self, root: object, between_calls: bool = False) -> list[Any]:
        """[root, new containers, changes in others, those let go of]. Raises Uncarried, before anything is let go of."""
        coding = _Encoding(self._export, self._shared)
        try:
            first = coding.value(root)
            changed = self._shared.changed()
            changes = [[number, *coding.entry(self._shared.container(number))] for number in changed]
            table = coding.table()
            unheld = (self._shared.too_many(len(table)) if between_calls else []) or self._shared.unheld()
            message = [first, table, changes, unheld]
        except RecursionError as error:
            raise Uncarried("a value nested too deeply to be carried") from error
        for number in changed:
            self._shared.stale(number)
        self._shared.add(coding.found)
        self._shared.drop(unheld)
        self._shared.told()
        return message

    def decode(self, message: Any) -> Any:
        """The value; containers that both sides hold are as the other side left them. Raises Uncarried."""
        try:
            root, table, changes, unheld = message
            reading = _Decoding(self._own, self._remote, self._shared)
            made = [reading.new(entry) for entry in table]
            for container, entry in [*zip(made, table, strict=True), *reading.cleared(changes)]:
                reading.fill(container, entry[1:])
            value = reading.value(root)
            self._shared.drop(unheld)
            self._shared.told()
            return value
        except UNREADABLE as error:
            raise Uncarried(f"a message that cannot be read: {error}") from error


class _Encoding:
    def __init__(self, export: Callable[[Any], tuple[list[Any], tuple[Any, ...]] | None], shared: Shared) -> None:
        self._export, self._shared = export, shared
        self._numbers: dict[int, int] = {}
        self.found: list[Any] = []

    def table(self) -> list[Any]:
        table: list[Any] = []
        while len(table) < len(self.found):
            table.append([self._shared.next(len(table)), *self.entry(self.found[len(table)])])
        return table

    def entry(self, container: Any) -> list[Any]:
        if isinstance(container, dict):
            name = next((kind.__name__ for kind in _DICTS if isinstance(container, kind)), "dict")
            items = (collections.OrderedDict if name == "OrderedDict" else dict).items(container)
            pairs = [[self.value(key), self.value(value)] for key, value in items]
            factory = getattr(container, "default_factory", None) if name == "defaultdict" else None
            named = factory.__name__ if isinstance(factory, type) and factory.__name__ in _FACTORIES else None
            return [name, pairs, named]
        if isinstance(container, bytearray):
            return ["bytearray", bytes(container).decode("latin-1")]
        if isinstance(container, collections.deque):
            return ["deque", [self.value(item) for item in container], container.maxlen]
        name = "set" if isinstance(container, set) else "list"
        members = list(set.__iter__(container) if isinstance(container, set) else list.__iter__(container))
        if not set(map(type, members)) <= set(_SCALARS):
            members = [self.value(member) for member in members]
        return [name, members]

    def value(self, value: Any) -> Any:
        kind = type(value)
        if kind in _SCALARS:
            return value
        if kind is int:
            return value if value.bit_length() < _MOST_BITS else ["i", hex(value)]
        if kind is tuple:
            return ["t", [self.value(item) for item in value]]
        if kind in (list, dict, set, bytearray, collections.deque, *_DICTS):
            return self._container(value)
        if (parts := as_known(value, kind)) is not None:
            return ["k", parts[0], [self.value(part) for part in parts[1]]]
        if (stays := self._export(value)) is not None:
            return [*stays[0], [self.value(part) for part in stays[1]]]
        return self._content(value)

    def _container(self, value: Any) -> list[Any]:
        if (number := self._shared.number(value)) is None:
            if id(value) not in self._numbers:
                self._numbers[id(value)] = self._shared.next(len(self.found))
                self.found.append(value)
            number = self._numbers[id(value)]
        return ["c", number]

    def _content(self, value: Any) -> Any:
        """An instance of a subclass of a builtin, as that builtin."""
        if isinstance(value, tuple):
            items = [self.value(item) for item in tuple.__iter__(value)]
            fields = getattr(value, "_fields", None)
            if isinstance(fields, tuple) and len(fields) == len(items) and all(isinstance(name, str) for name in fields):
                return ["n", type(value).__name__, list(fields), items]
            return ["t", items]
        if isinstance(value, CONTAINERS):
            return self._container(value)
        for base, name in ((int, "__int__"), (float, "__float__"), (complex, "__complex__"), (str, "__str__")):
            if isinstance(value, base):
                return self.value(getattr(base, name)(value))
        if isinstance(value, frozenset):
            return ["k", "frozenset", [self.value(item) for item in frozenset.__iter__(value)]]
        return ["k", "bytes", [bytes(memoryview(value)).decode("latin-1")]]


class _Decoding:
    def __init__(self, own: Callable[[int], Any], remote: Callable[[list[Any], list[Any]], Any], shared: Shared) -> None:
        self._own, self._remote, self._shared = own, remote, shared

    def new(self, entry: list[Any]) -> Any:
        container = _shell(entry[1:])
        self._shared.take(entry[0], container)
        return container

    def cleared(self, changes: list[Any]) -> list[tuple[Any, list[Any]]]:
        found = [(self._shared.container(entry[0]), entry) for entry in changes]
        for container, entry in found:
            self._shared.stale(entry[0])
            clear(container)
        return found

    def fill(self, container: Any, entry: list[Any]) -> None:
        content = entry[1]
        if isinstance(container, bytearray):
            fill(container, content.encode("latin-1"))
        elif isinstance(container, dict):
            fill(container, [(self.value(key), self.value(value)) for key, value in content])
        else:
            fill(container, [self.value(item) for item in content])

    def value(self, coded: Any) -> Any:
        if type(coded) is not list:
            if type(coded) is dict:
                raise ValueError("an object where a value belongs")
            return coded
        tag = coded[0]
        if tag == "t":
            return tuple([self.value(item) for item in coded[1]])
        if tag == "c":
            return self._shared.container(coded[1])
        if tag == "i":
            return int(coded[1], 16)
        if tag == "m":
            return self._own(coded[1])
        if tag == "o":
            return self._remote(coded[1:-1], [self.value(part) for part in coded[-1]])
        if tag == "n":
            return _named_tuple(coded[1], coded[2])(*[self.value(item) for item in coded[3]])
        if tag == "k":
            return known(coded[1], [self.value(part) for part in coded[2]])
        raise ValueError(f"unknown tag {tag!r}")


def has_builtin_base(value: object) -> bool:
    return isinstance(value, _BASES)


def is_builtin_class(kind: type) -> bool:
    """Whether what it makes crosses by its content."""
    return issubclass(kind, _BASES)


def _shell(entry: list[Any]) -> Any:
    name = entry[0]
    if name == "list":
        return []
    if name == "dict":
        return {}
    if name == "set":
        return set()
    if name == "bytearray":
        return bytearray()
    if name == "deque":
        return collections.deque(maxlen=entry[2])
    if name == "defaultdict":
        return collections.defaultdict(_FACTORIES[entry[2]] if entry[2] else None)
    if name in ("Counter", "OrderedDict"):
        return getattr(collections, name)()
    raise ValueError(f"unknown container {name!r}")


_TUPLES: dict[tuple[str, tuple[str, ...]], Any] = {}


def _named_tuple(name: str, fields: list[str]) -> Any:
    key = (str(name), tuple(fields))
    if key not in _TUPLES:
        if len(fields) > _MOST_FIELDS:
            raise ValueError("a tuple with too many names")
        _TUPLES[key] = collections.namedtuple(key[0], key[1])
    return _TUPLES[key]
