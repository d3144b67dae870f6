"""Two processes use each other's objects: requests and replies over one channel, nested as deep as calls nest.

The side that holds the tests is `guarded`: it is asked about nothing but objects that it handed over, and serves of those
what `guard.py` lists. Leaves out how values look on the way (`values.py`).
"""

from __future__ import annotations

import copy
import operator
import types
from _thread import RLock

from resources.sandbox.inside.channel import Channel, Gone
from resources.sandbox.inside.errors import error, error_class, plain_error, text_of
from resources.sandbox.inside.guard import Refused, check_call, check_get, check_set
from resources.sandbox.inside.known import as_known
from resources.sandbox.inside.remote import (
    OPERATORS,
    Link,
    Remote,
    RemoteClass,
    link_of,
    member,
    stand_in,
    stand_in_class,
)
from resources.sandbox.inside.shared import MOST
from resources.sandbox.inside.values import UNREADABLE, Uncarried, Values, has_builtin_base

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

_TESTS = "__main__"
"""Module of what the tests define."""
_NEXT = ("next", "anext")


class _Kept:
    """An object that crosses as a number though its content could: the tests made it by calling its class."""

    def __init__(self, value: object) -> None:
        self.value = value


class Peer:
    def __init__(self, channel: Channel, *, guarded: bool, declared: frozenset[str] = frozenset(),
                 written: Callable[[], str] = str, show: Callable[[str], object] = str,
                 news: Callable[[bool], dict[str, Any]] = lambda again: {}, hear: Callable[[dict[str, Any]], object] = str) -> None:
        """`declared`: classes that the problem itself declares. `written`: what was printed since the last reply, sent
        along with each; `show` prints what the other side sent so. `news`: names bound anew since then, which `hear` takes."""
        self._channel, self._guarded, self._declared = channel, guarded, declared
        self._written, self._show, self._news, self._hear = written, show, news, hear
        self._values = Values(self._export, self._own_object, self._stand_in, first=int(guarded))
        self._own: list[Any] = []
        self._numbers: dict[int, int] = {}
        self._remotes: dict[int, Any] = {}
        self.verbs: dict[str, Callable[..., Any]] = {"call": self._call, "op": self._operate, "get": self._get,
                                                     "set": self._set, "next": self._next, "copy": self._copy}
        self.raised: list[BaseException] = []
        """Exceptions that came from the other side."""
        self.gone: str | None = None
        """Why the other side answers no more."""
        self.asked = 0
        self._again = False
        """Whether names are to be told of again, since the containers that they stood for were let go of."""
        self._turn = RLock()
        """One thread asks at a time, and those whom it calls."""
        if not guarded:
            self.verbs |= {"content": lambda target: next(base(target) for base in PLAIN if isinstance(target, base)),
                           "derive": _derive, "inherited": _inherited,
                           "members": lambda kind: sorted({name for one in kind.__mro__[:-1] for name in vars(one)})}

    def ask(self, verb: str, *parts: object) -> Any:
        """What the other side gives, or raises. Raises Gone, now and ever after, where it is no more."""
        if self.gone is not None:
            raise Gone(self.gone)
        self.asked += 1
        try:
            with self._turn:
                self._channel.send({"ask": self._values.encode((verb, parts))})
                while "ask" in (got := self._channel.receive()):
                    self._serve(got["ask"])
                value, raised = self._take(got)
        except (Gone, Uncarried, *UNREADABLE) as fault:
            self.gone = text_of(fault) or "the process ended"
            raise Gone(self.gone) from fault
        if raised is not None:
            if isinstance(raised, StopIteration | StopAsyncIteration) and verb not in _NEXT and parts[:1] != ("next",):
                # as Python does for generators: else it would end an iteration of the tests, and with it their checks
                raised = RuntimeError(f"the answer raised {type(raised).__name__}")
            self.raised.append(raised)
            raise raised
        return value

    def serve(self) -> None:
        """Answer requests until the other side is gone. Raises Gone then."""
        while True:
            self._serve(self._channel.receive()["ask"], between_calls=True)

    def replace(self, stand_in: object, other: object) -> None:
        """What the other side means by the number of this stand-in is `other` from now on."""
        self._remotes[link_of(stand_in).number] = other

    def _take(self, got: Any) -> tuple[Any, BaseException | None]:
        self._show(got["out"])
        value, news = self._values.decode(got["give" if "give" in got else "raise"])
        if type(news) is dict:
            self._hear(news)
        if "give" in got:
            return value, None
        if not isinstance(value, BaseException):
            raise Uncarried("what was raised is no exception")
        return None, value

    def _serve(self, message: Any, between_calls: bool = False) -> None:
        """`between_calls`: whether nothing else goes on when the reply is there."""
        reply: dict[str, Any] = {}
        try:
            verb, parts = self._values.decode(message)
            if self._guarded and not self._handed_over(target := parts[verb == "op"]):
                raise Refused(f"anything of a {type(target).__name__} that was not handed over")
            given = self.verbs[verb](*parts)
            reply["give"] = self._values.encode((given, self._news(self._again)), between_calls)
            self._again = len(reply["give"][-1]) > MOST
        except Gone:
            raise
        except BaseException as raised:  # noqa: BLE001 - whatever it is, it is the other side's to see
            reply["raise"] = self._told(raised)
        reply["out"] = self._written()
        self._channel.send(reply)

    def _told(self, raised: BaseException) -> list[Any]:
        kind = type(raised)
        if self._guarded and kind.__module__ != _TESTS and link_of(raised) is None and as_known(raised, kind) is None:
            raised = plain_error(raised, text_of(raised))
        try:
            return self._values.encode((raised, self._news(self._again)))
        except Uncarried:
            return self._values.encode((plain_error(raised, text_of(raised)), None))

    def _call(self, target: Any, args: tuple[Any, ...] = (), named: dict[str, Any] | None = None) -> Any:
        if self._guarded:
            check_call(target, args, named or {})
        result = target(*args, **(named or {}))
        kept = not self._guarded and isinstance(target, type) and target.__module__ != "builtins"
        return _Kept(result) if kept else result

    def _operate(self, name: str, target: Any, *operands: Any) -> Any:
        if name not in OPERATORS:
            raise Refused(f"no operator {name!r}")
        if (act := _ACTS.get(name)) is not None:
            return act(target, *operands)
        if name.startswith("r") and hasattr(operator, f"__{name[1:]}__"):
            return getattr(operator, f"__{name[1:]}__")(operands[0], target)
        return getattr(operator, f"__{name}__")(target, *operands)

    def _get(self, target: Any, name: str) -> Any:
        if self._guarded:
            check_get(target, name)
        return getattr(target, name)

    def _set(self, target: Any, name: str, value: Any) -> None:
        if self._guarded:
            check_set(target, name)
        setattr(target, name, value)

    def _copy(self, target: Any, deep: bool) -> Any:
        if self._guarded and type(target).__module__ != _TESTS:
            raise Refused(f"a copy of a {type(target).__name__}")
        return _Kept(copy.deepcopy(target) if deep else copy.copy(target))

    def _handed_over(self, value: Any) -> bool:
        number = self._numbers.get(id(value))
        return number is not None and self._own[number] is value

    def _next(self, target: Any) -> tuple[bool, Any]:
        try:
            return True, next(target)
        except StopIteration:
            return False, None

    def _export(self, value: Any) -> tuple[list[Any], tuple[Any, ...]] | None:
        if (link := link_of(value)) is not None and link.peer is self:
            return ["m", link.number], ()
        kept, value = (True, value.value) if isinstance(value, _Kept) else (False, value)
        content = has_builtin_base(value)
        if content and not kept and id(value) not in self._numbers:
            return None
        if id(value) not in self._numbers:
            self._numbers[id(value)] = len(self._own)
            self._own.append(value)
        form, name, more = self._described(value)
        return ["o", self._numbers[id(value)], form, name, content], more

    def _described(self, value: Any) -> tuple[str, str, tuple[Any, ...]]:
        """Form, name, and what belongs to that form."""
        kind, name = type(value), type(value).__name__
        if isinstance(value, type):
            if issubclass(value, BaseException):
                return "exception", value.__name__, value.__bases__
            return "class", value.__name__, ()
        shown = kind.__module__ == _TESTS if self._guarded else kind.__module__ != "builtins"
        if isinstance(value, BaseException) and (shown or not self._guarded):
            given = value.__dict__ if kind.__module__ == "builtins" else {}
            return "error", name, (kind, tuple(value.args), text_of(value), None if self._guarded else value.__cause__, given)
        if kind.__module__ in ("builtins", "itertools") and hasattr(kind, "__next__"):
            return "iterator", name, ()
        if kind.__module__ == "builtins" and name in ("coroutine", "async_generator"):
            return name, name, ()
        return "object", name, (kind,) if shown else ()

    def _own_object(self, number: int) -> Any:
        return self._own[number]

    def _stand_in(self, coded: list[Any], more: list[Any]) -> Any:
        number, form, name, content = coded
        if number not in self._remotes:
            link = Link(self, int(number), content is True, name in self._declared)
            if form == "exception":
                made: Any = error_class(str(name), more, link)
            elif form == "error":
                made = error(link, *more)
            elif form == "class":
                made = stand_in_class(str(name), link)
            else:
                kind = more[0] if more and issubclass(type(more[0]), RemoteClass) else stand_in_class(str(name), None)
                made = _FORMS[form](self, stand_in(kind, link))
            self._remotes[number] = made
        return self._remotes[number]


def _derive(name: str, bases: tuple[type, ...], members: list[Any], named: dict[str, Any]) -> type:
    space = {key: member(kind, parts) for key, kind, parts in members}
    return types.new_class(name, bases, named, lambda made: made.update({"__module__": bases[0].__module__, **space}))


def _inherited(owner: type, value: Any, name: str) -> Any:
    """What super() finds from `owner` upwards."""
    found = next(vars(one)[name] for one in owner.__mro__ if name in vars(one))
    bind = getattr(type(found), "__get__", None)
    if bind is None:
        return found
    return bind(found, None, value) if isinstance(value, type) else bind(found, value, type(value))


def _pull(peer: Peer, remote: Remote) -> Any:
    while (got := peer.ask("next", remote))[0]:
        yield got[1]


async def _await(peer: Peer, remote: Remote) -> Any:
    return peer.ask("await", remote)


async def _pull_async(peer: Peer, remote: Remote) -> Any:
    while (got := peer.ask("anext", remote))[0]:
        yield got[1]


def _leave(target: Any, kind: Any, error: Any, trace: Any) -> Any:
    return type(target).__exit__(target, kind, error, None)


_FORMS: dict[str, Any] = {"object": lambda peer, remote: remote, "iterator": _pull, "coroutine": _await,
                          "async_generator": _pull_async}
PLAIN: tuple[Any, ...] = (int, float, complex, str, bytes, list, dict, set, tuple, frozenset, bytearray)
_ACTS: dict[str, Callable[..., Any]] = {
    "len": len, "bool": bool, "str": str, "repr": repr, "int": int, "float": float, "complex": complex, "hash": hash,
    "round": round, "reversed": reversed, "next": next, "iter": iter, "format": format, "contains": operator.contains,
    "enter": lambda target: type(target).__enter__(target), "exit": _leave,
    "instancecheck": lambda target, value: isinstance(value, target),
    "subclasscheck": lambda target, kind: issubclass(kind, target),
}
