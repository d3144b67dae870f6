"""The immutable types of the standard library that cross by value: their parts, and back. A closed list."""

from __future__ import annotations

import builtins

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

_CALENDAR = ("date", "time", "datetime", "timedelta")
_VIEWS = {"dict_keys": "keys", "dict_values": "values", "dict_items": "items"}
_MODULES = frozenset(("bisect", "cmath", "collections", "copy", "datetime", "decimal", "fractions", "functools", "heapq",
                      "itertools", "json", "math", "operator", "random", "re", "statistics", "string", "time"))
"""Modules that cross by name: importing one does nothing but that."""


def as_known(value: Any, kind: type) -> tuple[str, Iterable[Any]] | None:
    """Name and parts of a value of one of the immutable types that cross by value, exact types only."""
    module, name = kind.__module__, kind.__name__
    if module == "builtins":
        if kind is bytes:
            return "bytes", [value.decode("latin-1")]
        if kind is frozenset:
            return "frozenset", value
        if kind is complex:
            return "complex", [value.real, value.imag]
        if kind in (range, slice):
            return name, [value.start, value.stop, value.step]
        if kind in (type(...), type(NotImplemented)):
            return str(value), []
        if name in _VIEWS:
            return name, [part for pair in value for part in pair] if name == "dict_items" else value
        if kind is type and value is not type and value.__module__ == "builtins":  # `type` makes classes
            return "type", [value.__name__]
        if isinstance(value, BaseException) and not value.__dict__ and value.__cause__ is None:
            return "exception", [name, *value.args]
        if name == "module" and value.__name__ in _MODULES:
            return "module", [value.__name__]
    elif (module, name) == ("fractions", "Fraction"):
        return name, [value.numerator, value.denominator]
    elif (module, name) == ("decimal", "Decimal"):
        return name, [str(value)]
    elif module == "array":
        return "array", [value.typecode, value.tobytes()]
    elif module == "datetime" and name in _CALENDAR and getattr(value, "tzinfo", None) is None:
        return name, _calendar(value, name)
    return None


def _calendar(value: Any, name: str) -> list[Any]:
    if name == "timedelta":
        return [value.days, value.seconds, value.microseconds]
    day = [value.year, value.month, value.day] if name != "time" else []
    return day if name == "date" else [*day, value.hour, value.minute, value.second, value.microsecond, value.fold]


def known(name: str, parts: list[Any]) -> Any:
    """The value. Raises ValueError, TypeError and the like where there is none such."""
    if name == "bytes":
        return parts[0].encode("latin-1")
    if name == "frozenset":
        return frozenset(parts)
    if name in ("complex", "range"):
        return {"complex": complex, "range": range}[name](*parts)
    if name == "slice":
        return slice(*parts)
    if name in ("Ellipsis", "NotImplemented"):
        return ... if name == "Ellipsis" else NotImplemented
    if name in ("dict_keys", "dict_values"):
        return dict.fromkeys(parts).keys() if name == "dict_keys" else dict(enumerate(parts)).values()
    if name == "dict_items":
        return dict(zip(parts[::2], parts[1::2], strict=True)).items()
    if name in ("type", "exception"):
        found = getattr(builtins, parts[0])
        if not isinstance(found, type) or (name == "exception" and not issubclass(found, BaseException)):
            raise ValueError(f"no {name} named {parts[0]!r}")
        if found is type or found.__module__ != "builtins":
            raise ValueError(f"{parts[0]!r} stays where it is")
        return found if name == "type" else found(*parts[1:])
    if name == "module" and parts[0] in _MODULES:
        return __import__(parts[0])
    if name == "Fraction":
        from fractions import Fraction

        return Fraction(*parts)
    if name == "Decimal":
        from decimal import Decimal

        return Decimal(parts[0])
    if name == "array":
        from array import array

        return array(parts[0], parts[1])
    if name in _CALENDAR:
        import datetime

        made = getattr(datetime, name)
        return made(*parts[:-1], fold=parts[-1]) if name in ("time", "datetime") else made(*parts)
    raise ValueError(f"unknown type {name!r}")
