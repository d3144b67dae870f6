"""Rows out of csv, jsonl and JSON bytes, all values text, every row accounted for.

Nothing is inferred: 007 keeps its zeros, an empty field is an empty text, a missing one is None and named.
"""

import csv
import gzip
import io
import json
import zlib
from collections.abc import Iterator
from dataclasses import dataclass

from pydantic import JsonValue

from tmas_assets.benchmarks._contract import BenchmarkError

LARGEST_CONTENT = 256 * 1024 * 1024
"""Bytes that a zipped file may hold."""
_SHOWN = 300
"""Characters of a wrong header that are shown; it may be a whole page that a proxy answered with."""


@dataclass(frozen=True)
class Row:
    """One row of a table: the file's 1-based row number (header not counted) and its fields by column."""

    number: int
    fields: tuple[tuple[str, str | None], ...]

    def get(self, column: str) -> str | None:
        for name, value in self.fields:
            if name == column:
                return value
        raise KeyError(column)

    def replaced(self, column: str, value: str) -> "Row":
        return Row(self.number, tuple((name, value if name == column else old) for name, old in self.fields))

    @property
    def missing(self) -> tuple[str, ...]:
        return tuple(name for name, value in self.fields if value is None)


def decode(data: bytes, path: str) -> str:
    """UTF-8 text without a byte order mark; other bytes stop the load."""
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise BenchmarkError(f"{path}: not UTF-8 at byte {error.start} (line {line}); fetch the file again, or save it as UTF-8") from error


def unzipped(data: bytes, path: str) -> bytes:
    """The content of gzip bytes; a torn or other file stops the load."""
    try:
        with gzip.GzipFile(fileobj=io.BytesIO(data)) as file:
            content = file.read(LARGEST_CONTENT + 1)
    except (OSError, EOFError, zlib.error) as error:
        raise BenchmarkError(f"{path}: cannot be unzipped ({error}); fetch the file again") from error
    if len(content) > LARGEST_CONTENT:
        raise BenchmarkError(f"{path}: unzips to over {LARGEST_CONTENT} bytes, no release is that large")
    return content


def csv_rows(data: bytes, path: str, columns: tuple[str, ...], *, among: bool = False) -> Iterator[Row]:
    """Rows of a csv file whose header is `columns`, or has them `among` others, which are then left out of the rows.

    Quotes, commas and newlines inside fields are kept. A short row yields None for what it lacks (the caller repairs it
    or stops); a long one stops here.
    """
    reader = csv.reader(io.StringIO(decode(data, path), newline=""))
    try:
        header = tuple(next(reader, ()))
        if missing := [column for column in columns if header.count(column) != 1]:
            raise BenchmarkError(f"{path}: header is {_cut(header)}, which does not have {missing} once each; is it the right file?")
        if not among and header != columns:
            raise BenchmarkError(f"{path}: header is {_cut(header)}, expected {columns}; is it the right file?")
        wanted = [header.index(column) for column in columns]
        number = 0
        for cells in reader:
            if not cells:
                continue
            number += 1
            if len(cells) > len(header):
                raise BenchmarkError(
                    f"{path} row {number} ({cells[0]!r:.80}): {len(cells)} fields, expected {len(header)}; "
                    "a quote or comma is probably unescaped")
            padded: list[str | None] = [*cells, *[None] * (len(header) - len(cells))]
            yield Row(number, tuple((column, padded[at]) for column, at in zip(columns, wanted, strict=True)))
    except csv.Error as error:
        raise BenchmarkError(f"{path} line {reader.line_num}: not csv ({error})") from error


def _cut(header: tuple[str, ...]) -> str:
    text = str(header)
    return text if len(text) <= _SHOWN else text[:_SHOWN] + "..."


@dataclass(frozen=True)
class JsonLine:
    """One line of a jsonl file: its object, or why there is none."""

    number: int
    value: dict[str, JsonValue] | None
    error: str | None


def json_lines(lines: Iterator[bytes]) -> Iterator[JsonLine]:
    """Objects of a jsonl stream in order, one result a non-blank line; only a newline ends a line (not U+2028)."""
    for number, raw in enumerate(lines, start=1):
        line = raw.removeprefix(b"\xef\xbb\xbf") if number == 1 else raw
        if not line.strip():
            continue
        try:
            value = json.loads(line.decode("utf-8"))
        except (ValueError, RecursionError) as error:  # no UTF-8, no JSON, or a number of thousands of digits
            yield JsonLine(number, None, f"line {number} is not JSON: {error}")
            continue
        if isinstance(value, dict):
            yield JsonLine(number, value, None)
        else:
            yield JsonLine(number, None, f"line {number} holds {type(value).__name__}, expected an object")


def json_rows(data: bytes, path: str) -> Iterator[tuple[int, dict[str, JsonValue]]]:
    """(line number, object) of a whole jsonl file; a broken line stops the load, since a release has none."""
    for line in json_lines(io.BytesIO(data)):
        if line.value is None:
            raise BenchmarkError(f"{path} {line.error}; fetch the file again")
        yield line.number, line.value


def json_list(data: bytes, path: str) -> Iterator[tuple[int, dict[str, JsonValue]]]:
    """(1-based number, object) of a file that is one JSON list of objects; anything else stops the load."""
    try:
        values = json.loads(decode(data, path))
    except (json.JSONDecodeError, RecursionError) as error:
        raise BenchmarkError(f"{path}: not JSON ({error}); fetch the file again") from error
    if not isinstance(values, list):
        raise BenchmarkError(f"{path} holds {type(values).__name__}, expected a list of objects")
    for number, value in enumerate(values, start=1):
        if not isinstance(value, dict):
            raise BenchmarkError(f"{path} item {number} is {type(value).__name__}, expected an object")
        yield number, value


def text_list(row: dict[str, JsonValue], column: str, where: str) -> tuple[str, ...]:
    """A field that must be a list of texts."""
    value = row.get(column)
    if not isinstance(value, list) or not all(isinstance(one, str) for one in value):
        raise BenchmarkError(f"{where}: {column} is {value!r:.200}, expected a list of texts")
    return tuple(str(one) for one in value)


def text_field(row: dict[str, JsonValue], column: str, where: str) -> str:
    """A field that must be text. Numbers are refused rather than guessed: 007 read as 7 is another answer."""
    value = row.get(column)
    if not isinstance(value, str):
        raise BenchmarkError(f"{where}: {column} is {value!r}, expected text")
    return value
