"""The parquet schema of a record, derived from its fields; rows to table and back.

A field's type decides its column: text, integers, floats, booleans, times (UTC, microseconds), tuples as
lists, records as structs, `X | None` as nullable; a field's alias names its column. Nothing is inferred from values, so an all-null column
keeps its type. Leaves out files: `resources/parquet_store.py`.
"""

import types
from collections.abc import Sequence
from datetime import datetime
from functools import cache
from typing import Annotated, Any, Literal, TypeVar, Union, get_args, get_origin

import pyarrow as pa
from pydantic import TypeAdapter

from tmas_assets.records.base import Record

R = TypeVar("R", bound=Record)
_PLAIN: dict[type, pa.DataType] = {
    str: pa.string(),
    int: pa.int64(),
    float: pa.float64(),
    bool: pa.bool_(),
    bytes: pa.binary(),
    datetime: pa.timestamp("us", tz="UTC"),
}


def _column(annotation: Any, where: str) -> tuple[pa.DataType, bool]:
    """Arrow type and nullability of one annotation; `where` names the field in errors."""
    origin, args = get_origin(annotation), get_args(annotation)
    if origin is Annotated:
        return _column(args[0], where)
    if origin in (Union, types.UnionType):
        rest = [a for a in args if a is not type(None)]
        if len(rest) != 1 or len(rest) == len(args):
            raise TypeError(f"{where}: {annotation} has no single column type; use X or X | None")
        return _column(rest[0], where)[0], True
    if origin is Literal:
        return _column(type(args[0]), where)
    if origin is tuple:
        if len(args) == 2 and args[1] is Ellipsis:
            inner, nullable = _column(args[0], where)
            return pa.list_(pa.field("item", inner, nullable=nullable)), False
        raise TypeError(f"{where}: {annotation} is a tuple of fixed length; use a record or tuple[X, ...]")
    if isinstance(annotation, type):
        if annotation in _PLAIN:
            return _PLAIN[annotation], False
        if issubclass(annotation, Record):
            return pa.struct(_fields(annotation)), False
    raise TypeError(f"{where}: no column type for {annotation}")


def _fields(record: type[Record]) -> list[pa.Field]:
    out = []
    for name, info in record.model_fields.items():
        kind, nullable = _column(info.annotation, f"{record.__name__}.{name}")
        out.append(pa.field(info.alias or name, kind, nullable=nullable))
    return out


@cache
def arrow_schema(record: type[Record]) -> pa.Schema:
    """Columns of `record` in field order. Raises TypeError naming a field that has no column type."""
    return pa.schema(_fields(record))


def to_table(record: type[R], rows: Sequence[R]) -> pa.Table:
    """Table of `rows`, with the derived schema also when there are none."""
    return pa.Table.from_pylist([row.model_dump(mode="python", by_alias=True) for row in rows], schema=arrow_schema(record))


@cache
def _rows_of(record: type[R]) -> TypeAdapter[tuple[R, ...]]:
    return TypeAdapter(tuple[record, ...])  # type: ignore[valid-type]


def from_table(record: type[R], table: pa.Table) -> tuple[R, ...]:
    """Rows of `table`, each validated. Raises pydantic's ValidationError when a row does not fit."""
    return _rows_of(record).validate_python(table.to_pylist())
