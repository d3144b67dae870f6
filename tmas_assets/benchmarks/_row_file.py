"""Rows of a problem file that is not ours: JSONL, CSV or parquet bytes, every value as the text it is written in.

Nothing is inferred and nothing dropped: 007 keeps its zeros, a broken row stops the load with its number. Leaves out
which column holds what (`_given_problems.py`).
"""

import csv
import io
import json
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from pydantic import JsonValue

from tmas_assets.benchmarks._contract import BenchmarkError, OtherFields
from tmas_assets.benchmarks._file_row import Column, FileRow, Structured, Value
from tmas_assets.benchmarks._tables import LARGEST_CONTENT, decode
from tmas_assets.records import canonical_json

if TYPE_CHECKING:
    import pyarrow as pa

SUFFIXES = (".jsonl", ".csv", ".parquet")
_SHOWN = 30
"""Field names that an error lists at most."""


def file_rows(data: bytes, path: str, columns: Sequence[Column]) -> tuple[FileRow, ...]:
    """All rows in order. Raises BenchmarkError naming the row, and OtherFields where no row has a column that is asked for."""
    suffix = next((suffix for suffix in SUFFIXES if path.lower().endswith(suffix)), None)
    if suffix == ".parquet":
        rows = tuple(_parquet_rows(data, path, columns))
    elif suffix is None:
        raise BenchmarkError(f"{path}: what kind of file is it? Its name has to end with one of {', '.join(SUFFIXES)}")
    elif (at := data.find(b"\0")) >= 0:
        line = data.count(b"\n", 0, at) + 1
        raise BenchmarkError(f"{path}: a NUL byte at byte {at} (line {line}): torn, or not UTF-8; save it as UTF-8")
    else:
        rows = tuple(_jsonl_rows(data, path, columns) if suffix == ".jsonl" else _csv_rows(data, path, columns))
    if not rows:
        raise BenchmarkError(f"{path}: no row found in its {len(data)} bytes; is it the right file?")
    return rows


def _check_columns(path: str, columns: Sequence[Column], found: Sequence[str]) -> None:
    for column in columns:
        if found.count(column.name) != 1:
            how = "is not among its fields" if column.name not in found else "stands more than once among its fields"
            shown = ", ".join(f"{name:.60}" for name in found[:_SHOWN]) + (", ..." if len(found) > _SHOWN else "")
            raise OtherFields(f"{path}: {column.name!r} {how} ({shown or 'none'}); correct setting {column.setting!r}")


class _Number(str):
    """A number as it is written: reading it as a number would lose zeros and digits."""


def _jsonl_rows(data: bytes, path: str, columns: Sequence[Column]) -> Iterator[FileRow]:
    found: dict[str, None] = {}
    rows = []
    for number, raw in enumerate(io.BytesIO(data), start=1):
        line = raw.removeprefix(b"\xef\xbb\xbf") if number == 1 else raw
        if line.strip():
            rows.append(_json_row(line, f"{path} line {number}", columns))
            found |= dict.fromkeys(rows[-1].names)
    if rows:
        _check_columns(path, columns, list(found))
    yield from rows


def _json_row(line: bytes, where: str, columns: Sequence[Column]) -> FileRow:
    try:
        row = json.loads(line.decode(), parse_int=_Number, parse_float=_Number, parse_constant=_constant,
                         object_pairs_hook=_refuse_doubles)
        if not isinstance(row, dict):
            raise BenchmarkError(f"{where} holds {type(row).__name__}, expected an object; correct that line")
        asked = {column.name: row[column.name] for column in columns if column.name in row}
        if structured := [name for name, value in asked.items() if not isinstance(value, str | None)]:
            again = json.loads(line, parse_constant=_constant)  # numbers inside an object stay numbers
            asked |= {name: again[name] for name in structured}
    except _Double as error:
        raise BenchmarkError(f"{where}: the field {error.args[0]!r:.60} is given twice; correct that line") from None
    except (ValueError, RecursionError) as error:  # no UTF-8, no JSON, or a number of thousands of digits
        if isinstance(error, BenchmarkError):
            raise
        raise BenchmarkError(f"{where} is not JSON: {error}; correct that line") from error
    values = tuple((name, _json_value(value)) for name, value in asked.items())
    return FileRow(where, values, tuple(row))


class _Double(Exception):
    pass


def _refuse_doubles(pairs: list[tuple[str, JsonValue]]) -> dict[str, JsonValue]:
    """JSON would keep the last of two equal keys and lose the other."""
    found: dict[str, JsonValue] = {}
    for name, value in pairs:
        if name in found:
            raise _Double(name)
        found[name] = value
    return found


def _constant(name: str) -> str | None:
    """NaN is how data frames write that there is nothing."""
    return None if name == "NaN" else name


def _json_value(value: JsonValue) -> Value:
    return str(value) if isinstance(value, str) else None if value is None else Structured(canonical_json(value))


def _csv_rows(data: bytes, path: str, columns: Sequence[Column]) -> Iterator[FileRow]:
    # of the whole process, and only ever raised: 128 KiB is less than a long solution
    csv.field_size_limit(max(csv.field_size_limit(), LARGEST_CONTENT))
    # strict: else an open quote takes the rows after it into its field, without a word
    reader = csv.reader(io.StringIO(decode(data, path), newline=""), strict=True)
    number, started = 0, 1
    try:
        header = tuple(next(reader, ()))
        if not header:
            return
        _check_columns(path, columns, header)
        wanted = [(column.name, header.index(column.name)) for column in columns]
        started = reader.line_num + 1
        for cells in reader:
            if cells:
                number += 1
                if len(cells) != len(header):
                    raise BenchmarkError(
                        f"{path} row {number} (line {started}, {cells[0]!r:.60}): {len(cells)} fields, and the header has "
                        f"{len(header)}; a quote or comma is probably unescaped; correct that row")
                yield FileRow(f"{path} row {number}", tuple((name, cells[at]) for name, at in wanted), header)
            started = reader.line_num + 1
    except csv.Error as error:
        raise BenchmarkError(f"{path} row {number + 1} (from line {started} on): not CSV ({error}); a quote is probably left open "
                             "or stands unescaped; correct that row") from error


def _parquet_rows(data: bytes, path: str, columns: Sequence[Column]) -> Iterator[FileRow]:
    import pyarrow as pa
    import pyarrow.parquet as pq

    number = 0
    try:
        file = pq.ParquetFile(pa.BufferReader(data))
        found = tuple(file.schema_arrow.names)
        _check_columns(path, columns, found)
        names = list(dict.fromkeys(column.name for column in columns))
        # in batches: what lies beside the columns asked for may be far larger
        for batch in file.iter_batches(batch_size=4_096, columns=names):
            cells = [_parquet_values(batch.column(name), path, name) for name in names]
            for values in zip(*cells, strict=True):
                number += 1
                yield FileRow(f"{path} row {number}", tuple(zip(names, values, strict=True)), found)
    except (pa.ArrowException, OSError) as error:
        raise BenchmarkError(f"{path}: not a whole parquet file (after row {number}: {error}); fetch it again") from error


def _parquet_values(column: "pa.Array", path: str, name: str) -> list[Value]:
    import pyarrow as pa
    import pyarrow.compute as pc

    kind = column.type
    if pa.types.is_floating(kind):
        column = pc.if_else(pc.is_nan(column), pa.scalar(None, kind), column)
    if pa.types.is_floating(kind) or pa.types.is_integer(kind) or pa.types.is_decimal(kind):
        column = column.cast(pa.string())
    try:
        found = column.to_pylist()
        return [value if isinstance(value, str | None) else Structured(canonical_json(value)) for value in found]
    except (ValueError, TypeError) as error:  # no UTF-8, or what JSON cannot hold
        raise BenchmarkError(f"{path}: column {name!r} ({kind}) cannot be read as text: {error}") from error
