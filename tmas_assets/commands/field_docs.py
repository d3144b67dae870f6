"""The settings of a record as its source declares them: name, default, what is allowed, and the text under the field.

Leaves out the printing. Texts are read from the source: in pydantic's descriptions they would enter the schemas sent to models.
"""

import ast
import inspect
import textwrap
import types
from collections.abc import Iterable, Iterator, Mapping
from typing import Annotated, Any, Literal, Union, get_args, get_origin

from annotated_types import Ge, Gt, Le, Lt, MaxLen, MinLen
from pydantic import BaseModel
from pydantic.fields import FieldInfo

from tmas_assets.records import Record

_SIGNS: tuple[tuple[type, str, str], ...] = (
    (Ge, "ge", "≥ {}"), (Gt, "gt", "> {}"), (Le, "le", "≤ {}"), (Lt, "lt", "< {}"),
    (MinLen, "min_length", "at least {}"), (MaxLen, "max_length", "at most {}"),
)  # fmt: skip

_WORDS = {int: "whole number", float: "number", bool: "true | false", str: "text", type(None): "none"}


class FieldDoc(Record):
    path: str
    """Dotted where the field belongs to a group."""
    default: str
    allowed: str
    """Kind and bounds."""
    text: str


def field_docs(kind: type[BaseModel], prefix: str = "") -> Iterator[FieldDoc]:
    """In order, the fields of a group after one another."""
    texts, defaults = _texts(kind), kind()
    for name, field in kind.model_fields.items():
        value = getattr(defaults, name)
        if isinstance(value, BaseModel):
            yield from field_docs(type(value), f"{prefix}{name}.")
            continue
        yield FieldDoc(path=prefix + name, default=_plain(value), allowed=_allowed(field), text=texts.get(name, ""))


def _texts(kind: type[BaseModel]) -> Mapping[str, str]:
    """By field, the string that stands under it; a class's own over its parents'."""
    found: dict[str, str] = {}
    for owner in reversed(kind.__mro__):
        if not issubclass(owner, BaseModel) or owner is BaseModel:
            continue
        (body,) = ast.parse(textwrap.dedent(inspect.getsource(owner))).body
        assert isinstance(body, ast.ClassDef)
        for field, under in zip(body.body, body.body[1:], strict=False):
            match field, under:
                case ast.AnnAssign(target=ast.Name(id=name)), ast.Expr(value=ast.Constant(value=str(text))):
                    found[name] = " ".join(text.split())
    return found


def _plain(value: object) -> str:
    """As a YAML file would say it; of records in a list, their names."""
    if isinstance(value, bool) or value is None:
        return "none" if value is None else str(value).lower()
    if isinstance(value, tuple | list):
        parts = [_plain(getattr(one, "name", one)) for one in value]
        return f"[{', '.join(parts)}]"
    return str(value)


def _allowed(field: FieldInfo) -> str:
    return ", ".join([_name(field.annotation), *_bounds(field.metadata)])


def _bounds(metadata: Iterable[object]) -> list[str]:
    return [sign.format(getattr(one, at)) for one in metadata for kind, at, sign in _SIGNS if isinstance(one, kind)]


def _name(kind: Any) -> str:
    """In words; what is allowed inside a list or group too."""
    inner = [one for one in get_args(kind) if one is not Ellipsis]
    if get_origin(kind) is Literal:
        return " | ".join(map(str, inner))
    if get_origin(kind) is Annotated:
        stated = [part for one in inner[1:] for part in (one.metadata if isinstance(one, FieldInfo) else [one])]
        return " ".join([_name(inner[0]), *_bounds(stated)])
    if get_origin(kind) in (Union, types.UnionType):
        return " | ".join(_name(one) for one in inner)
    if get_origin(kind) is tuple:
        return f"list of {_name(inner[0])}"
    if inner:
        return f"group of {_name(inner[-1])}"
    return _WORDS.get(kind, getattr(kind, "__name__", str(kind)))
