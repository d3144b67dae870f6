"""Stands for an object or a class that lives in the other process: attributes, calls and operators go there.

An object over there never says whether it equals a plain value: nothing but its content does, where its class derives
from a builtin. It takes part in arithmetic and ordering with plain values only where the problem declares its class.
So what a test expects stays with the test. An object's class here is named as over there, and is its class's stand-in
where that crossed. A class derived from such a one is made over there too, with methods that call back. Leaves out
exceptions (`errors.py`).
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
_OF_CLASSES = ("len", "iter", "getitem", "contains", "reversed")
"""What a class itself may do (an Enum)."""
_THERE = ("__doc__", "__init__", "__annotations__", "__bases__", "__subclasses__")
"""Attributes of which these stand-ins have their own, and the ones over there are meant."""
_OWN = ("__module__", "__qualname__", "__classcell__", "__firstlineno__", "__static_attributes__")
"""Parts of a class body that are for the class here."""
_INHERITED = ("__init__", "__str__", "__repr__", "__len__", "__enter__", "__exit__", "__post_init__")
"""Methods of Python's own that super() may reach; none that is told what a test compares with."""


class Link:
    """What a stand-in stands for. `content`: of a subclass of a builtin. `declared`: of a class the problem declares."""

    __slots__ = ("content", "declared", "number", "peer")

    def __init__(self, peer: Any, number: int, content: bool = False, declared: bool = False) -> None:
        self.peer, self.number, self.content, self.declared = peer, number, content, declared


def link_of(value: object) -> Any:
    """None where the value stands for nothing."""
    kind = type(value)
    if issubclass(kind, Remote):
        return object.__getattribute__(value, "_remote_link")
    if issubclass(kind, Linked):
        return type.__getattribute__(value, "__dict__").get("_remote_class")
    return value.__dict__.get("_remote_link") if isinstance(value, BaseException) else None


def _there(value: object, own: Any, name: str) -> Any:
    """An attribute of a stand-in: its own where Python needs that, else the one over there."""
    if name[:2] == "__" == name[-2:] and name not in _THERE:
        try:
            return own(value, name)
        except AttributeError:
            pass
    if (link := link_of(value)) is None:
        return own(value, name)
    return link.peer.ask("get", value, name)


class Linked(type):
    """A class of the other side."""

    def __call__(cls, *args: object, **named: object) -> Any:
        if (link := link_of(cls)) is None:  # an exception class of the tests' own, below one of the answer's
            return type.__call__(cls, *args, **named)
        return link.peer.ask("call", cls, args, named)

    def __getattribute__(cls, name: str) -> Any:
        return _there(cls, type.__getattribute__, name)

    def __setattr__(cls, name: str, value: object) -> None:
        if (link := link_of(cls)) is None:
            type.__setattr__(cls, name, value)
        else:
            link.peer.ask("set", cls, name, value)


class Beyond(TypeError):
    """What tests may do in one process and cannot across two; the text says what."""


class RemoteClass(Linked):
    def __new__(mcs, name: str, bases: tuple[type, ...], space: dict[str, Any], **named: Any) -> Any:
        if "_remote_class" in space:
            return type.__new__(mcs, name, bases, space)
        if any(link_of(base) is None and base is not object for base in bases):
            raise Beyond(f"class {name} derives from the answer's class and from one of the tests, which two processes cannot")
        peer = link_of(bases[0]).peer
        made_there = peer.ask("derive", name, bases, [_member(key, value) for key, value in space.items() if key not in _OWN], named)
        for base in bases:
            _let_inherit(base)
        made: Any = type.__new__(mcs, name, bases, {**space, "__slots__": (), "_remote_class": link_of(made_there)})
        peer.replace(made_there, made)
        return made

    def __init__(cls, name: str, bases: tuple[type, ...], space: dict[str, Any], **named: Any) -> None:
        type.__init__(cls, name, bases, space)

    def __bool__(cls) -> bool:
        return True

    def __instancecheck__(cls, value: object) -> bool:
        return bool(link_of(cls).peer.ask("op", "instancecheck", cls, value))

    def __subclasscheck__(cls, kind: type) -> bool:
        return bool(link_of(cls).peer.ask("op", "subclasscheck", cls, kind))


class Remote:
    __slots__ = ("_remote_link",)

    def __getattribute__(self, name: str) -> Any:
        return _there(self, object.__getattribute__, name)

    def __setattr__(self, name: str, value: object) -> None:
        link_of(self).peer.ask("set", self, name, value)

    def __call__(self, *args: object, **named: object) -> Any:
        return link_of(self).peer.ask("call", self, args, named)

    def __eq__(self, other: object) -> Any:
        if self is other:
            return True
        link = link_of(self)
        if isinstance(other, Remote):
            return link.peer.ask("op", "eq", self, other)
        return link.peer.ask("content", self) == other if link.content else NotImplemented

    def __hash__(self) -> int:
        return int(link_of(self).peer.ask("op", "hash", self))

    def __iter__(self) -> Iterator[Any]:
        found: Iterator[Any] = link_of(self).peer.ask("op", "iter", self)
        return found

    def __copy__(self) -> Any:
        return link_of(self).peer.ask("copy", self, False)

    def __deepcopy__(self, memo: object) -> Any:
        return link_of(self).peer.ask("copy", self, True)


def stand_in(kind: type, link: Link) -> Any:
    """An object of that stand-in class."""
    made: Any = object.__new__(kind)
    object.__setattr__(made, "_remote_link", link)
    return made


def stand_in_class(name: str, link: Link | None) -> type:
    """`link`: None for classes of the interpreter, of which only the name crosses."""
    if link is None:
        return type(name, (Remote,), {"__slots__": ()})
    return RemoteClass(name, (Remote,), {"__slots__": (), "_remote_class": link})


def _member(name: str, value: Any) -> tuple[str, str, tuple[Any, ...]]:
    """What a class body defines, for the class over there: kind and parts."""
    if isinstance(value, staticmethod | classmethod):
        return name, type(value).__name__, (value.__func__,)
    if isinstance(value, property):
        return name, "property", (value.fget, value.fset, value.fdel)
    return name, "function" if isinstance(value, type(_member)) else "value", (value,)


def member(kind: str, parts: tuple[Any, ...]) -> Any:
    """The same on the side where the class is."""
    if kind == "value":
        return parts[0]
    if kind == "property":
        return property(*[None if part is None else _calling(part) for part in parts])
    kinds: dict[str, Any] = {"function": lambda made: made, "staticmethod": staticmethod, "classmethod": classmethod}
    return kinds[kind](_calling(parts[0]))


def _calling(function: Any) -> Any:
    def method(*args: object, **named: object) -> Any:
        return function(*args, **named)

    return method


def _let_inherit(base: Any) -> None:
    """Let super() in a derived class find what the stand-in's class defines over there."""
    own = type.__getattribute__(base, "__dict__")
    for name in link_of(base).peer.ask("members", base):
        if name in own or name.startswith("_remote"):
            continue
        if name in _INHERITED or not (name.startswith("__") and name.endswith("__")):
            type.__setattr__(base, name, _Inherited(base, name))


class _Inherited:
    def __init__(self, owner: type, name: str) -> None:
        self._owner, self._name = owner, name

    def __get__(self, value: object, kind: type | None = None) -> Any:
        return link_of(self._owner).peer.ask("inherited", self._owner, kind if value is None else value, self._name)


def _forwarded(name: str, expected: bool) -> Any:
    def method(self: Any, *others: object) -> Any:
        if expected and not (link_of(self).declared or all(link_of(other) is not None for other in others)):
            if name == "contains":
                return any(item is others[0] or item == others[0] for item in self)
            return NotImplemented
        return link_of(self).peer.ask("op", name, self, *others)

    return method


for _name in _ALONE + _WITH_PLAIN + _WITH_EXPECTED + ("instancecheck", "subclasscheck"):
    if _name != "hash":
        setattr(Remote, f"__{_name}__", _forwarded(_name, _name in _WITH_EXPECTED))
for _name in _OF_CLASSES:
    type.__setattr__(RemoteClass, f"__{_name}__", _forwarded(_name, _name in _WITH_EXPECTED))
