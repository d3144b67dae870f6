"""Repairs of damaged rows, kept as data beside the benchmark and applied while reading.

The released file is never edited. An erratum states what it found; where that no longer matches, the load
stops, since the release has changed and the repair may now be damage itself.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import yaml
from pydantic import TypeAdapter, ValidationError, model_validator

from tmas_assets.benchmarks._contract import BenchmarkError
from tmas_assets.benchmarks._tables import Row
from tmas_assets.records import Record, digest_bytes


class Erratum(Record):
    """One field of one row: what the release has, what it should be, and why we think so."""

    id: str
    field: str
    """Column of the released file."""
    found: str | None = None
    """The text in the release, exactly; None for a field the row lacks."""
    found_sha256: str | None = None
    """In place of `found` where the text is long: SHA-256 of its UTF-8 bytes."""
    repaired: str
    reason: str

    @model_validator(mode="after")
    def _says_what_it_found(self) -> "Erratum":
        if "found" in self.model_fields_set and self.found_sha256 is not None:
            raise ValueError(f"{self.id} {self.field}: give found or found_sha256, not both")
        if "found" not in self.model_fields_set and self.found_sha256 is None:
            raise ValueError(f"{self.id} {self.field}: give found or found_sha256")
        return self

    def matches(self, text: str | None) -> bool:
        if self.found_sha256 is not None:
            return text is not None and digest_bytes(text.encode()) == self.found_sha256
        return text == self.found


@dataclass(frozen=True)
class RepairedRow:
    row: Row
    reason: str | None
    """Why the row differs from the released one, None when it does not."""


_FILE = TypeAdapter(dict[str, tuple[Erratum, ...]])


def read_errata(text: str, path: str, release: str) -> tuple[Erratum, ...]:
    """The errata of one release out of a YAML file of `release: [erratum, ...]`."""
    try:
        return _FILE.validate_python(yaml.safe_load(text)).get(release, ())
    except (yaml.YAMLError, ValidationError) as error:
        raise BenchmarkError(f"{path}: not a list of errata per release: {error}") from error


def repair(rows: Iterable[Row], errata: Sequence[Erratum], id_column: str, path: str) -> list[RepairedRow]:
    """Every row in order, with its errata applied. An erratum that matches no row or another text stops."""
    waiting: dict[str, list[Erratum]] = {}
    for erratum in errata:
        waiting.setdefault(erratum.id, []).append(erratum)
    repaired = []
    for row in rows:
        reasons: list[str] = []
        for erratum in waiting.pop(row.get(id_column) or "", []):
            found = row.get(erratum.field)
            if not erratum.matches(found):
                raise BenchmarkError(
                    f"{path} row {row.number} ({erratum.id}): erratum on {erratum.field!r} expects "
                    f"{erratum.found_sha256 or erratum.found!r}, found {found!r}; the release has changed: "
                    "check whether the repair is still needed")
            row = row.replaced(erratum.field, erratum.repaired)
            if erratum.reason not in reasons:
                reasons.append(erratum.reason)
        repaired.append(RepairedRow(row, "; ".join(reasons) or None))
    if waiting:
        raise BenchmarkError(f"{path}: errata name rows that the release does not have: {sorted(waiting)}")
    return repaired
