"""Problems out of a file of rows that settings describe: which field holds what, who grades, under which licence.

Leaves out reading rows (`_row_file.py`) and where the file lies.
"""

from typing import Literal

from pydantic import Field, model_validator

from tmas_assets.benchmarks._contract import BenchmarkError
from tmas_assets.benchmarks._file_row import Column, FileRow
from tmas_assets.benchmarks._row_file import SUFFIXES, file_rows
from tmas_assets.records import Problem, Record

GRADERS = ("math", "integer", "choice", "code")
"""Graders that a file of rows can feed: the others need a generator's or a judge's own material."""


class Fields(Record):
    """Names of the fields of a JSONL row, of the columns of a CSV or parquet file. Nothing is guessed."""

    question: str = Field(default="question", min_length=1)
    answer: str = Field(default="answer", min_length=1)
    """The gold. A row may lack it: a data set drops that row as `no gold`, an experiment refuses the file."""
    id: str | None = Field(default=None, min_length=1)
    """Without it, rows are numbered from 1: then a row put in changes the ids behind it."""
    subject: str | None = Field(default=None, min_length=1)
    level: str | None = Field(default=None, min_length=1)
    licence: str | None = Field(default=None, min_length=1)
    grading_data: str | None = Field(default=None, min_length=1)
    """What the grader needs besides the gold, as JSON: `{"options": [...]}` for `choice`; for `code` its tests, or the
    output wanted."""

    def columns(self) -> tuple[Column, ...]:
        named = ((setting, getattr(self, setting)) for setting in type(self).model_fields)
        return tuple(Column(f"fields.{setting}", name) for setting, name in named if name is not None)


class GivenProblems(Record):
    """Settings of a file of rows, wherever it lies."""

    file: str = Field(min_length=1)
    fields: Fields = Fields()
    grader: Literal["math", "integer", "choice", "code"] = "math"
    licence: str | None = Field(default=None, min_length=1)
    """Of all rows that state none in their own field: an SPDX identifier, or your own words."""
    rows: int | None = Field(default=None, ge=1)
    """How many rows the file has; another number stops the load. Two stray quotes in a CSV file can join rows without
    another sign."""

    @model_validator(mode="after")
    def _can_be_read(self) -> "GivenProblems":
        if not self.file.lower().endswith(SUFFIXES):
            raise ValueError(f"file: {self.file!r} has to end with one of {', '.join(SUFFIXES)}")
        if self.grader == "code" and self.fields.grading_data is None:
            raise ValueError("fields.grading_data: the grader code needs tests, or the output wanted: name the field that holds them")
        return self


def given_problems(data: bytes, path: str, settings: GivenProblems, *, benchmark: str, release: str) -> tuple[Problem, ...]:
    """A problem a row, in order. Raises BenchmarkError naming file and row."""
    rows = file_rows(data, path, settings.fields.columns())
    if settings.rows is not None and len(rows) != settings.rows:
        raise BenchmarkError(
            f"{path}: {len(rows)} rows, and setting `rows` says {settings.rows}; a stray quote can join rows of a CSV file")
    return tuple(
        _problem(row, number, settings, benchmark=benchmark, release=release) for number, row in enumerate(rows, start=1))


def _problem(row: FileRow, number: int, settings: GivenProblems, *, benchmark: str, release: str) -> Problem:
    fields = settings.fields
    if not row.has(fields.question):
        raise BenchmarkError(f"{row.where}: no field {fields.question!r}, found {', '.join(row.names)[:300] or 'none'}; correct that row")
    stated = row.text(fields.id) if fields.id is not None else str(number)
    if stated is None:
        raise BenchmarkError(f"{row.where}: nothing in {fields.id!r}, which is to be its id; found the fields {', '.join(row.names)[:300]}")
    grading_data = row.json(fields.grading_data) if fields.grading_data is not None else ""
    return Problem(
        benchmark=benchmark,
        release=release,
        id=stated,
        statement=row.text(fields.question) or "",
        answer=row.text(fields.answer),
        grader=settings.grader,
        grading_data=grading_data,
        subject=row.text(fields.subject) if fields.subject is not None else None,
        level=row.text(fields.level) if fields.level is not None else None,
        source=row.where,
        licence=(row.text(fields.licence) if fields.licence is not None else None) or settings.licence,
    )
