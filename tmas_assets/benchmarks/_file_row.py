"""One row of a problem file that is not ours: its values as the text they are written in, with the place for errors.

Leaves out reading files (`_row_file.py`).
"""

import json
from dataclasses import dataclass
from typing import NamedTuple

from tmas_assets.benchmarks._contract import BenchmarkError


class Column(NamedTuple):
    """A column that settings ask for."""

    setting: str
    name: str


class Structured(NamedTuple):
    """A value that is neither text nor a number: a list, an object, true or false."""

    json: str


Value = str | Structured | None


@dataclass(frozen=True)
class FileRow:
    """A row's values in the columns asked for; one that its row does not have is not among them."""

    where: str
    """File and row, as errors name it."""
    values: tuple[tuple[str, Value], ...]
    names: tuple[str, ...]
    """All fields of the row."""

    def has(self, name: str) -> bool:
        return any(one == name for one, _ in self.values)

    def text(self, name: str) -> str | None:
        """None where there is nothing: null, NaN, blank, or no such field. Raises BenchmarkError for what is no text."""
        value = next((value for one, value in self.values if one == name), None)
        if isinstance(value, Structured):
            raise BenchmarkError(f"{self.where}: {name} is {value.json:.80}, expected text or a number")
        if value is None or not value.strip():
            return None
        self._refuse_unstorable(name, value)
        return value

    def json(self, name: str) -> str:
        """The value as JSON text; empty where there is none. Text has to be JSON already. Raises BenchmarkError."""
        value = next((value for one, value in self.values if one == name), None)
        if isinstance(value, Structured):
            self._refuse_unstorable(name, value.json)
            return value.json
        text = self.text(name)
        try:
            json.loads(text or "null")
        except (ValueError, RecursionError) as error:
            raise BenchmarkError(f"{self.where}: {name} is not JSON ({error}): {text!r:.80}") from error
        return text or ""

    def _refuse_unstorable(self, name: str, text: str) -> None:
        fault = "a NUL character" if "\0" in text else None
        try:
            text.encode()
        except UnicodeEncodeError as error:
            fault = f"half a surrogate pair at character {error.start}"
        if fault is not None:
            raise BenchmarkError(f"{self.where}: {name} holds {fault}, which no file or server takes; correct that row")
