"""What the judging half serves the answer: a closed list, by kind of object. Raises Refused for all else.

Only objects that this half itself handed over are asked about (`peer.py` sees to that). Of those, functions may be
called; classes too, where the tests made them or what they make crosses by its content; public attributes are those of
instances of such classes. Nothing here leads to frames, globals or format strings of the answer's choice, and nothing
makes a class: an instance of one that the answer wrote would compare as the answer likes.
"""

from __future__ import annotations

import types

from resources.sandbox.inside.values import is_builtin_class

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_TESTS = "__main__"
_MODULES = frozenset((
    _TESTS, "_bisect", "_collections", "_functools", "_heapq", "_io", "_operator", "_queue", "_random", "_thread", "abc",
    "array", "bisect", "cmath", "collections", "copy", "datetime", "decimal", "enum", "fractions", "functools", "heapq", "io",
    "itertools", "math", "operator", "pathlib", "queue", "random", "re", "statistics", "time", "types", "typing", "uuid",
))
"""Whose functions and objects lead nowhere but to what they say."""
_FUNCTIONS = frozenset((
    "abs", "all", "any", "ascii", "bin", "callable", "chr", "divmod", "hash", "hex", "id", "isinstance", "issubclass", "iter",
    "len", "max", "min", "next", "oct", "ord", "pow", "print", "repr", "round", "sorted", "sum",
))
"""Builtin ones; not those that read attributes, run text or open files."""
_CLASSES = frozenset(("fractions", "decimal", "datetime", "array"))
_FORMATS = frozenset(("format", "format_map", "vformat", "get_field"))
_OF_GENERATORS = frozenset(("send", "close", "throw", "asend", "aclose", "athrow"))
_OPEN = frozenset(("__name__", "__doc__"))


class Refused(AttributeError):
    """The guarded side does not serve this."""


def check_call(target: Any, args: tuple[Any, ...], named: dict[str, Any]) -> None:
    kind = type(target)
    if kind.__name__ == "partial" and kind.__module__ == "functools":
        return check_call(target.func, (*target.args, *args), {**target.keywords, **named})
    if not _may_be_called(target, kind, args, named):
        raise Refused(f"a call of this {kind.__name__}")
    return None


def check_get(target: Any, name: object) -> None:
    if type(name) is not str or name in _FORMATS or (name.startswith("_") and name not in _OPEN):
        raise Refused(f"{name!r:.80} of a {type(target).__name__}")
    if name in _OPEN or (isinstance(target, type) and _is_of_the_tests(target) and name != "mro"):
        return
    kind = type(target)
    generator = kind.__module__ == "builtins" and kind.__name__ in ("generator", "coroutine", "async_generator")
    if not (name in _OF_GENERATORS if generator else not isinstance(target, type) and _leads_nowhere(kind)):
        raise Refused(f"{name!r:.80} of a {kind.__name__}")


def check_set(target: Any, name: object) -> None:
    """Attributes that hold data: a method stays what the tests made it."""
    check_get(target, name)
    kind = type(target)
    if isinstance(target, type) or name in _OPEN or not (kind.__module__ == _TESTS or kind.__name__ == "SimpleNamespace"):
        raise Refused(f"a new {name!r:.80} of a {kind.__name__}")
    if callable(getattr(kind, str(name), None)):
        raise Refused(f"a new method {name!r:.80} of a {kind.__name__}")


def _may_be_called(target: Any, kind: type, args: tuple[Any, ...], named: dict[str, Any]) -> bool:
    if isinstance(target, type):
        return _class_may_be_called(target, args, named)
    if kind is types.FunctionType:
        return target.__module__ in _MODULES
    if kind is types.MethodType:
        return _leads_back(target.__func__)
    if kind is types.BuiltinFunctionType:
        home = target.__self__
        if not isinstance(home, types.ModuleType):  # a method of an object
            return target.__name__ not in _FORMATS
        known = target.__name__ in _FUNCTIONS if home.__name__ == "builtins" else home.__name__ in _MODULES
        return known and target.__name__ != "call"
    if kind is types.MethodDescriptorType:
        return target.__name__ not in _FORMATS
    if kind in (types.WrapperDescriptorType, types.MethodWrapperType):
        return "attr" not in target.__name__ and target.__name__ not in ("__call__", "__new__", "__init__", "__format__", "__get__")
    return _leads_nowhere(kind) or kind.__module__ == "unittest.mock"


def _leads_back(function: Any) -> bool:
    """Whether a method is one of the tests or of what leads nowhere."""
    return getattr(function, "__module__", None) in _MODULES and getattr(function, "__name__", "format") not in _FORMATS


def _class_may_be_called(target: type, args: tuple[Any, ...], named: dict[str, Any]) -> bool:
    if issubclass(target, type):
        return False
    if type(target).__module__ == "enum":  # one member, by its value; more arguments make a class
        return target.__module__ == _TESTS and len(args) == 1 and not named
    return _is_of_the_tests(target) or is_builtin_class(target) or target.__module__ in _CLASSES


def _is_of_the_tests(kind: type) -> bool:
    return kind.__module__ == _TESTS and not issubclass(kind, type)


def _leads_nowhere(kind: type) -> bool:
    """Instances of a class of the tests, or of one of few others, all the way up."""
    return kind.__module__ != "builtins" and not issubclass(kind, type) and all(
        base.__module__ in _MODULES or base is object or issubclass(base, BaseException) for base in kind.__mro__)
