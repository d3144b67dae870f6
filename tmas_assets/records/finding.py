"""What a check found: whether its promise holds, in a sentence, with the ids that break it."""

from typing import Literal

from tmas_assets.records.base import Record


class Offence(Record):
    """One problem (or file) that breaks a promise, and how."""

    id: str
    what: str


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
