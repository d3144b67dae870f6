"""What a check found: whether its promise holds, in a sentence, with the ids that break it."""

from collections.abc import Sequence
from typing import Literal

from tmas_assets.records.base import Record

LONGEST_SAMPLE = 20
"""Offences that are named unless all are asked for; all are counted."""


class Offence(Record):
    """One problem (or file) that breaks a promise, and how."""

    id: str
    what: str


class Measure(Record):
    """A number behind a finding, shown over time in the UI."""

    name: str
    value: float


class Finding(Record):
    promise: str
    """Name of the check, e.g. `ids_unique`."""
    passed: bool
    severity: Literal["error", "warn"] = "error"
    """How grave it is where it did not pass."""
    said: str
    """The outcome in one sentence, with the numbers behind it."""
    looked_at: int
    """Problems or files."""
    offences: tuple[Offence, ...] = ()
    listed: tuple[Offence, ...] = ()
    """Worth showing, without breaking the promise."""
    cure: str = ""
    """What to do where it did not pass: a command, or where to click."""
    measures: tuple[Measure, ...] = ()


def finding_of(
    promise: str,
    said: str,
    looked_at: int,
    offences: Sequence[Offence] = (),
    *,
    broken: int | None = None,
    most: int | None = LONGEST_SAMPLE,
    severity: Literal["error", "warn"] = "error",
    cure: str = "",
    listed: Sequence[Offence] = (),
    measures: Sequence[Measure] = (),
) -> Finding:
    """A promise that holds where nothing breaks it. `broken`: how many do where `offences` are a sample; `said` goes on with them and the
    first. `most`: how many are named, None for all."""
    count = len(offences) if broken is None else broken
    first = f"; {count} break it, first {offences[0].id}: {offences[0].what}" if offences else ""
    return Finding(
        promise=promise, passed=not offences, severity=severity, said=said + first, looked_at=looked_at,
        offences=tuple(offences[:most]), listed=tuple(listed[:most]), cure=cure if offences else "", measures=tuple(measures),
    )  # fmt: skip
