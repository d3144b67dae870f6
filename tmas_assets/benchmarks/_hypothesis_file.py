"""Hypotheses out of a user's YAML or JSONL file, with the evidence files it names; every fault says file, entry and field.

A file holds a list of entries. No message shows what a field holds, since it may be confidential. Leaves out what is taken out of the
texts (`_redaction.py`) and what a problem is made of (`hypotheses.py`).
"""

import csv
import io
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Literal

import yaml
from pydantic import Field, ValidationError, model_validator

from tmas_assets.benchmarks._contract import BenchmarkError, ReleaseBytes
from tmas_assets.benchmarks._tables import json_lines
from tmas_assets.records import Evidence, Hypothesis, Record

LARGEST_EVIDENCE = 1024 * 1024
"""Bytes of one evidence file. Prompts show far less of it."""


class Piece(Record):
    """Evidence as the file states it: the text itself, or a file that holds it."""

    id: str
    title: str = ""
    text: str | None = None
    file: str | None = Field(default=None, min_length=1)
    """Path from the folder of the hypotheses' file, or absolute."""
    format: Literal["text", "csv"] | None = None
    """Where it is not said: csv for a file of that ending, else text."""
    source: str = ""

    @model_validator(mode="after")
    def _one_text(self) -> "Piece":
        if (self.text is None) == (self.file is None):
            raise ValueError("give either text or file, and not both")
        return self


class Entry(Record):
    """A hypothesis as the file states it. `id` names its partition."""

    id: str = Field(min_length=1)
    statement: str
    goal: str = ""
    success_criteria: tuple[str, ...] = ()
    constraints: tuple[str, ...] = ()
    options: tuple[str, ...] = ()
    evidence: tuple[Piece, ...] = ()
    owner: str = ""
    language: str = "English"


@dataclass(frozen=True)
class Placed:
    """An entry and where it stands."""

    number: int
    """Counts from 1."""
    entry: Entry

    def at(self, path: str) -> str:
        return f"{path} entry {self.number} ({self.entry.id!r:.60})"


def entries(data: bytes, path: str) -> tuple[Placed, ...]:
    """All entries in order. Raises BenchmarkError."""
    rows = list(_json(data, path) if path.endswith(".jsonl") else _yaml(data, path))
    if not rows:
        raise BenchmarkError(f"{path}: no entry found; give a list of hypotheses, each with an id and a statement")
    placed = [Placed(number, _entry(row, f"{path} entry {number}")) for number, row in rows]
    first: dict[str, int] = {}
    for one in placed:
        if first.setdefault(one.entry.id, one.number) != one.number:
            raise BenchmarkError(f"{one.at(path)}: id: entry {first[one.entry.id]} has it too; give each an id of its own")
    return tuple(placed)


def gather(path: str, read: Callable[[str], bytes]) -> Mapping[str, bytes]:
    """The bytes of the file and of all evidence files, by path as `evidence_path` spells it."""
    data = read(path)
    named = [evidence_path(path, piece.file) for one in entries(data, path) for piece in one.entry.evidence if piece.file]
    return {path: data, **{name: read(name) for name in dict.fromkeys(named)}}


def evidence_path(path: str, file: str) -> str:
    """Path of an evidence file, from where `path` starts."""
    return str(PurePosixPath(path).parent / file)


def hypothesis(placed: Placed, path: str, files: ReleaseBytes) -> Hypothesis:
    """The entry with its evidence read. Raises BenchmarkError."""
    pieces = tuple(
        _evidence(piece, f"{placed.at(path)}: evidence.{number}", path, files)
        for number, piece in enumerate(placed.entry.evidence)
    )
    stated = placed.entry.model_dump(exclude={"id", "evidence"})
    try:
        return Hypothesis(**stated, evidence=pieces)
    except ValidationError as error:
        raise BenchmarkError(f"{placed.at(path)}: {_faults(error)}") from None


def _evidence(piece: Piece, where: str, path: str, files: ReleaseBytes) -> Evidence:
    text, format_ = piece.text or "", piece.format or "text"
    if piece.file is not None:
        name = evidence_path(path, piece.file)
        if len(files[name]) > LARGEST_EVIDENCE:
            raise BenchmarkError(f"{where}.file: {name} has over {LARGEST_EVIDENCE} bytes; attach the part that matters")
        text = _text(files[name], f"{where}.file: {name}")
        format_ = piece.format or ("csv" if name.lower().endswith(".csv") else "text")
        where = f"{where}.file: {name}"
    if not text.strip():
        raise BenchmarkError(f"{where}: the evidence is empty; give its text, or leave the piece out")
    if format_ == "csv":
        _check_table(text, where)
    try:
        return Evidence(id=piece.id, title=piece.title, text=text, format=format_, source=piece.source)
    except ValidationError as error:
        raise BenchmarkError(f"{where}: {_faults(error)}") from None


def _check_table(text: str, where: str) -> None:
    try:
        rows = [(number, row) for number, row in enumerate(csv.reader(io.StringIO(text, newline="")), start=1) if row]
    except csv.Error as error:
        raise BenchmarkError(f"{where}: not csv ({error})") from error
    for number, row in rows:
        if len(row) != len(rows[0][1]):
            raise BenchmarkError(
                f"{where}: row {number} has {len(row)} fields and the header {len(rows[0][1])}; quote fields that hold a comma"
            )


def _entry(row: object, where: str) -> Entry:
    if not isinstance(row, dict):
        raise BenchmarkError(f"{where}: found {type(row).__name__}, expected fields such as id and statement")
    try:
        return Entry.model_validate(row)
    except ValidationError as error:
        name = f" ({row['id']!r:.60})" if isinstance(row.get("id"), str) else ""
        raise BenchmarkError(f"{where}{name}: {_faults(error)}") from None


def _faults(error: ValidationError) -> str:
    """Fields and what is wrong with them, without what they hold."""
    said = []
    for fault in error.errors(include_input=False, include_url=False):
        field = ".".join(map(str, fault["loc"]))
        hint = " (put it in quotes)" if fault["type"] == "string_type" else ""
        said.append(f"{field}: {fault['msg']}{hint}" if field else fault["msg"])
    return "; ".join(said)


def _json(data: bytes, path: str) -> Iterator[tuple[int, object]]:
    for number, line in enumerate(json_lines(io.BytesIO(data)), start=1):
        if line.value is None:
            raise BenchmarkError(f"{path} {line.error}; correct that line")
        yield number, line.value


def _yaml(data: bytes, path: str) -> Iterator[tuple[int, object]]:
    text = _text(data, path)
    try:
        _refuse_doubles(yaml.compose(text, Loader=yaml.SafeLoader), path)
        found = yaml.safe_load(text)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        place = f" line {mark.line + 1}" if mark else ""
        raise BenchmarkError(f"{path}{place}: {error.problem or error.context or 'not YAML'}") from None
    except yaml.YAMLError as error:
        raise BenchmarkError(f"{path}: not YAML ({type(error).__name__})") from None
    if not isinstance(found, list):
        raise BenchmarkError(f"{path}: found {type(found).__name__}, expected a list of hypotheses: `- id: ...` and its fields")
    yield from enumerate(found, start=1)


def _refuse_doubles(root: yaml.Node | None, path: str) -> None:
    """A mapping that has one key twice is refused: YAML would keep the last one and lose the other."""
    seen: set[int] = set()
    waiting = [root] if root is not None else []
    while waiting:
        node = waiting.pop()
        if id(node) in seen:
            continue
        seen.add(id(node))
        if isinstance(node, yaml.SequenceNode):
            waiting += node.value
        elif isinstance(node, yaml.MappingNode):
            keys = [key.value for key, _ in node.value if isinstance(key, yaml.ScalarNode)]
            for key, value in node.value:
                if isinstance(key, yaml.ScalarNode) and keys.count(key.value) > 1:
                    raise BenchmarkError(f"{path} line {key.start_mark.line + 1}: the field {key.value!r:.60} is given twice")
                waiting.append(value)


def _text(data: bytes, where: str) -> str:
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise BenchmarkError(f"{where}: not UTF-8 at byte {error.start}; save it as UTF-8") from None
