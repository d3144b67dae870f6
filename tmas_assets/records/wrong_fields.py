"""What a validation found wrong, a line a field: its path and a sentence with what was found and the nearest known name.

Leaves out where the fields stand in a file: that is the callers'.
"""

import difflib
import re
import types
from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Union, get_args, get_origin

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

_FIELD = re.compile(r"([a-z_][\w.]*): ")


def nearest(name: str, known: Sequence[str], *, shown: str = "known") -> str:
    """`did you mean tmas? known: mars, tmas`."""
    near = difflib.get_close_matches(name, known, n=1)
    hint = f"did you mean {near[0]}? " if near else ""
    return f"{hint}{shown}: {', '.join(known)}"


def wrong_fields(error: ValidationError, kind: type[BaseModel]) -> list[tuple[str, str]]:
    """Path and sentence of each field of `kind` that is wrong, in order. Raises nothing."""
    return in_words(error.errors(), kind)


def in_words(faults: Sequence[ErrorDetails], kind: type[BaseModel]) -> list[tuple[str, str]]:
    """The same, of faults whose `loc` is a path from `kind` on."""
    found, places = [], [fault["loc"] for fault in faults]
    for fault in faults:
        at = fault["loc"]
        if fault["type"] == "too_short" and any(len(one) > len(at) and one[: len(at)] == at for one in places):
            continue  # a list that has too few good items, because of an item that is named by itself
        path = ".".join(map(str, at))
        if fault["type"] == "extra_forbidden":
            owner = _model_at(kind, at[:-1])
            known = f"; {nearest(str(at[-1]), list(owner.model_fields))}" if owner and owner.model_fields else ""
            found.append((path, f"there is no such field{known}"))
        elif fault["type"] == "missing":
            found.append((path, "missing; state it"))
        else:
            told = fault["msg"].removeprefix("Value error, ")
            if not at and (field := _FIELD.match(told)):  # a check of the whole record that names the field itself
                found.append((field[1], told[field.end() :]))
            elif fault["type"] == "value_error" and not at:
                found.append((path, told))
            else:
                found.append((path, f"{told} (found {short(fault['input'])})"))
    return found


def short(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 80 else text[:79] + "…"


def _model_at(kind: Any, path: Sequence[int | str]) -> type[BaseModel] | None:
    """The record that the fields under `path` belong to; None where it cannot be told."""
    kind = _plain(kind)
    if kind is None or not path:
        return kind if isinstance(kind, type) and issubclass(kind, BaseModel) else None
    if isinstance(kind, type) and issubclass(kind, BaseModel):
        field = kind.model_fields.get(str(path[0]))
        return _model_at(field.annotation, path[1:]) if field else None
    inner = [one for one in get_args(kind) if one is not Ellipsis]
    if get_origin(kind) in (tuple, list, dict, Mapping, Sequence) or isinstance(get_origin(kind), type):
        return _model_at(inner[-1], path[1:]) if inner else None
    return None


def _plain(kind: Any) -> Any:
    """Without `Annotated` and `| None`; None for what may be several things."""
    if get_origin(kind) is Annotated:
        return _plain(get_args(kind)[0])
    if get_origin(kind) in (Union, types.UnionType):
        several = [one for one in get_args(kind) if one is not type(None)]
        return _plain(several[0]) if len(several) == 1 else None
    return kind
