"""Stands for an exception that the other side raised, and for its class: caught by its bases, with its own attributes.

Classes keep their bases up to Python's own, so `except` and `isinstance` go by Python's rules. Attributes and methods
are asked for over there, when they are read; the arguments and the text came along.
"""

from __future__ import annotations

from resources.sandbox.inside.remote import Link, Linked, link_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_LONGEST_TEXT = 2_000


def error_class(name: str, bases: list[Any], link: Link) -> Any:
    """Raises ValueError where none of the bases is an exception."""
    kinds = tuple(base for base in bases if isinstance(base, type) and issubclass(base, BaseException))
    if not kinds:
        raise ValueError(f"{name} is no exception")
    return Linked(name, kinds, {"_remote_class": link, "__getattr__": _attribute, "__str__": _shown})


def error(link: Link, kind: Any, args: Any, text: str, cause: object, given: Any) -> BaseException:
    """An exception of that class, whatever arguments its own constructor takes over there. `given`: attributes that one of
    Python's own classes was given."""
    if not (isinstance(kind, type) and issubclass(kind, BaseException) and type(args) is tuple and type(text) is str):
        raise ValueError("no exception")
    made: BaseException = kind.__new__(kind, *args)
    made.args = args
    made.__dict__.update(given, _remote_link=link, _remote_text=text)
    if isinstance(cause, BaseException):
        made.__cause__ = cause
    return made


def plain_error(raised: BaseException, text: str) -> BaseException:
    """The same as the nearest of Python's own classes that takes a text."""
    kinds = [kind for kind in type(raised).__mro__ if kind.__module__ == "builtins" and issubclass(kind, BaseException)]
    for kind in kinds:
        try:
            return kind(text)
        except TypeError:
            continue
    return Exception(text)


def text_of(raised: BaseException) -> str:
    try:
        return str(raised)[:_LONGEST_TEXT]
    except Exception:  # noqa: BLE001 - the answer's own __str__ may do anything
        return "an exception that cannot be shown"


def _attribute(self: BaseException, name: str) -> Any:
    if (link := link_of(self)) is None or (name.startswith("__") and name.endswith("__")):
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
    return link.peer.ask("get", self, name)


def _shown(self: BaseException) -> str:
    if (text := self.__dict__.get("_remote_text")) is not None:
        return str(text)
    builtin: Any = next(kind for kind in type(self).__mro__ if kind.__module__ == "builtins")
    return str(builtin.__str__(self))
