"""Rows out of csv and jsonl bytes, all values text, every row accounted for.

Nothing is inferred: 007 keeps its zeros, an empty field is an empty text, a missing one is None and named.
"""

import csv
import io
import json
from collections.abc import Iterator
from dataclasses import dataclass

from pydantic import JsonValue

from tmas_assets.benchmarks._contract import BenchmarkError


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
        raise BenchmarkError(f"{path}: not UTF-8 at byte {error.start}; fetch the file again") from error


def csv_rows(data: bytes, path: str, columns: tuple[str, ...]) -> Iterator[Row]:
    """Rows of a csv file whose header is `columns`. Quotes, commas and newlines inside fields are kept.

    A short row yields None for what it lacks (the caller repairs it or stops); a long one stops here.
    """
    reader = csv.reader(io.StringIO(decode(data, path), newline=""))
    try:
        header = tuple(next(reader, ()))
        if header != columns:
            raise BenchmarkError(f"{path}: header is {header}, expected {columns}; is it the right file?")
        number = 0
        for cells in reader:
            if not cells:
                continue
            number += 1
            if len(cells) > len(columns):
                raise BenchmarkError(
                    f"{path} row {number} ({cells[0]!r}): {len(cells)} fields, expected {len(columns)}; "
                    "a quote or comma is probably unescaped")
            padded: list[str | None] = [*cells, *[None] * (len(columns) - len(cells))]
            yield Row(number, tuple(zip(columns, padded, strict=True)))
    except csv.Error as error:
        raise BenchmarkError(f"{path} line {reader.line_num}: not csv ({error})") from error


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
        except (UnicodeDecodeError, json.JSONDecodeError, RecursionError) as error:
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


def text_field(row: dict[str, JsonValue], column: str, where: str) -> str:
    """A field that must be text. Numbers are refused rather than guessed: 007 read as 7 is another answer."""
    value = row.get(column)
    if not isinstance(value, str):
        raise BenchmarkError(f"{where}: {column} is {value!r}, expected text")
    return value
