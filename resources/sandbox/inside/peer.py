"""Two processes use each other's objects: requests and replies over one channel, nested as deep as calls nest.

The side that holds the tests is `guarded`: it is asked about nothing but objects that it handed over, and serves of those
what `guard.py` lists. Leaves out how values look on the way (`values.py`).
"""

from __future__ import annotations

import builtins
import operator

from resources.sandbox.inside.channel import Channel, Gone
from resources.sandbox.inside.guard import Refused, check_call, check_get, check_set
from resources.sandbox.inside.remote import OPERATORS, Remote
from resources.sandbox.inside.values import UNREADABLE, Uncarried, Values, changed, has_builtin_base, snapshots

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

_LONGEST_TEXT = 2_000
_NEXT = ("next", "anext")


class _Kept:
    """An object that crosses as a number though its content could: the tests made it by calling its class."""

    def __init__(self, value: object) -> None:
        self.value = value


class Peer:
    def __init__(self, channel: Channel, *, guarded: bool, declared: frozenset[str] = frozenset(),
                 written: Callable[[], str] = str, show: Callable[[str], object] = str) -> None:
        """`declared`: classes that the problem itself declares. `written`: what was printed since the last reply, sent
        along with each; `show` prints what the other side sent so."""
        self._channel, self._guarded, self._declared = channel, guarded, declared
        self._written, self._show = written, show
        self._values = Values(self._export, self._own_object, self._stand_in)
        self._own: list[Any] = []
        self._numbers: dict[int, int] = {}
        self._remotes: dict[int, Any] = {}
        self.verbs: dict[str, Callable[..., Any]] = {"call": self._call, "op": self._operate, "get": self._get,
                                                     "set": self._set, "next": self._next}
        self.exceptions: dict[str, type[BaseException]] = {}
        """Exception classes of the other side by name, as they are known here."""
        self.raised: list[BaseException] = []
        """Exceptions that came from the other side."""
        self.gone: str | None = None
        """Why the other side answers no more."""
        self.asked = 0
        if not guarded:
            self.verbs["content"] = lambda target: next(base(target) for base in PLAIN if isinstance(target, base))

    def ask(self, verb: str, *parts: object) -> Any:
        """What the other side gives, or raises. Raises Gone, now and ever after, where it is no more."""
        if self.gone is not None:
            raise Gone(self.gone)
        self.asked += 1
        try:
            message, sent = self._values.encode((verb, parts))
            self._channel.send({"ask": message})
            while "ask" in (got := self._channel.receive()):
                self._serve(got["ask"])
            value, error = self._take(got, sent)
        except (Gone, Uncarried, *UNREADABLE) as fault:
            self.gone = _text(fault) or "the process ended"
            raise Gone(self.gone) from fault
        if error is not None:
            if isinstance(error, StopIteration | StopAsyncIteration) and verb not in _NEXT and parts[:1] != ("next",):
                # as Python does for generators: else it would end an iteration of the tests, and with it their checks
                error = RuntimeError(f"the answer raised {type(error).__name__}")
            self.raised.append(error)
            raise error
        return value

    def serve(self) -> None:
        """Answer requests until the other side is gone. Raises Gone then."""
        while True:
            self._serve(self._channel.receive()["ask"])

    def _take(self, got: Any, sent: list[Any]) -> tuple[Any, BaseException | None]:
        self._show(got["out"])
        numbers, contents = got["changed"]
        self._values.apply(numbers, contents, sent)
        if "raise" not in got:
            return self._values.decode(got["give"], sent)[0], None
        names, args, text = got["raise"]
        return None, self._exception(names, args, text, sent)

    def _exception(self, names: list[str], args: Any, text: str, sent: list[Any]) -> BaseException:
        """The nearest class known here, with its own arguments where they can be carried."""
        found = [self.exceptions.get(name) or getattr(builtins, name, None) for name in names]
        kinds = [kind for kind in found if isinstance(kind, type) and issubclass(kind, BaseException)]
        try:
            return kinds[0](*self._values.decode(args, sent)[0])
        except (TypeError, Uncarried):
            return kinds[-1](text)  # BaseException takes any text

    def _serve(self, message: Any) -> None:
        reply: dict[str, Any] = {}
        made: list[Any] = []
        before: list[Any] = []
        theirs: dict[int, int] = {}
        try:
            (verb, parts), made = self._values.decode(message)
            before = snapshots(made)
            theirs = {id(container): number for number, container in enumerate(made)}
            if self._guarded and not self._handed_over(target := parts[verb == "op"]):
                raise Refused(f"anything of a {type(target).__name__} that was not handed over")
            reply["give"] = self._values.encode(self.verbs[verb](*parts), theirs)[0]
        except Gone:
            raise
        except BaseException as error:  # noqa: BLE001 - whatever it is, it is the other side's to see
            reply["raise"] = self._told(error)
        reply["out"] = self._written()
        numbers = changed(made, before)
        reply["changed"] = [numbers, self._values.encode_contents([made[number] for number in numbers], theirs)]
        self._channel.send(reply)

    def _told(self, error: BaseException) -> list[Any]:
        text = _text(error)
        names = [kind.__name__ for kind in type(error).__mro__]
        try:
            return [names, self._values.encode(tuple(error.args))[0], text]
        except Uncarried:
            return [names, [["t", [text]], []], text]

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

    def _handed_over(self, value: Any) -> bool:
        number = self._numbers.get(id(value))
        return number is not None and self._own[number] is value

    def _next(self, target: Any) -> tuple[bool, Any]:
        try:
            return True, next(target)
        except StopIteration:
            return False, None

    def _export(self, value: Any) -> list[Any] | None:
        if isinstance(value, Remote) and value._remote_peer is self:
            return ["m", value._remote_number]
        kept, value = (True, value.value) if isinstance(value, _Kept) else (False, value)
        content = has_builtin_base(value)
        if content and not kept and id(value) not in self._numbers:
            return None
        if id(value) not in self._numbers:
            self._numbers[id(value)] = len(self._own)
            self._own.append(value)
        kind, name = type(value), type(value).__name__
        form = "object"
        if isinstance(value, type) and issubclass(value, BaseException):
            form, name = "exception", value.__name__
        elif kind.__module__ in ("builtins", "itertools") and hasattr(kind, "__next__"):
            form = "iterator"
        elif kind.__module__ == "builtins" and name in ("coroutine", "async_generator"):
            form = name
        bases = [base.__name__ for base in value.__mro__ if base.__module__ == "builtins"] if form == "exception" else []
        return ["o", self._numbers[id(value)], form, name, content, bases[:1]]

    def _own_object(self, number: int) -> Any:
        return self._own[number]

    def _stand_in(self, coded: list[Any]) -> Any:
        _, number, form, name, content, bases = coded
        if number not in self._remotes:
            remote = Remote(self, int(number), content is True, name in self._declared)
            if form == "exception":
                if not issubclass(getattr(builtins, bases[0]), BaseException):
                    raise ValueError(f"{name} is no exception")
                made = self.exceptions.setdefault(name, type(str(name), (getattr(builtins, bases[0]),), {}))
                self._remotes[number] = made
            else:
                self._remotes[number] = _FORMS[form](self, remote)
        return self._remotes[number]


def _pull(peer: Peer, remote: Remote) -> Any:
    while (got := peer.ask("next", remote))[0]:
        yield got[1]


async def _await(peer: Peer, remote: Remote) -> Any:
    return peer.ask("await", remote)


async def _pull_async(peer: Peer, remote: Remote) -> Any:
    while (got := peer.ask("anext", remote))[0]:
        yield got[1]


def _text(error: BaseException) -> str:
    try:
        return str(error)[:_LONGEST_TEXT]
    except Exception:  # noqa: BLE001 - the answer's own __str__ may do anything
        return "an exception that cannot be shown"


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
