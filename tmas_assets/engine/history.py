"""What every distinct summary of an experiment scored, kept in order: a file a summary, written once and never edited.

    <experiment>/history/00003-4f2a91c07be1        number, then the start of the summary's digest

Settings, models and graders may change from one to the next; problems are known by digest, so that what both answered can be compared.
Leaves out comparing: `regression.py`.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from resources.parquet_store import Address, OtherSchema, ParquetStore, StoredFile
from tmas_assets.records import Record, Score
from tmas_assets.statistics import ProblemTally, Side, side_of

_DIGITS = 12


class Verdict(Record):
    """What the comparison with an earlier summary found; without one there was none, and it passes."""

    passed: bool
    accepted: bool
    """A person took the score as the one to go on from, whatever the comparison found."""
    said: str
    """In sentences."""
    level: float
    before: str | None
    """Digest of the summary it was compared with."""
    iteration: int | None
    problems: int
    """That both answered in that iteration."""
    mean_now: float | None
    mean_before: float | None
    difference: float | None
    """Now minus before, in [-1, 1]."""
    low: float | None
    high: float | None


class ScoredSummary(Record):
    """What of a summary is needed to compare it later."""

    summary: str
    """Digest of the stored scores."""
    variant: str
    """Of the settings."""
    models: tuple[str, ...]
    """Identities of those that answered."""
    repeats: int
    scores: tuple[Score, ...]
    """With the version of the grader each."""
    tallies: tuple[ProblemTally, ...]

    def side(self) -> Side:
        return side_of(self.scores[0].experiment if self.scores else "", self.repeats, self.scores, self.tallies)


class KeptSummary(ScoredSummary):
    SCHEMA_VERSION: ClassVar[int] = 1
    number: int
    """From 1, in the order in which they were kept."""
    verdict: Verdict


@dataclass(frozen=True)
class History:
    """The kept summaries of one experiment."""

    store: ParquetStore
    experiment: str

    def keep(self, one: KeptSummary) -> StoredFile:
        """Raises StoreFault."""
        return self.store.write(self._address(f"{one.number:05d}-{one.summary[:_DIGITS]}"), KeptSummary, [one])

    def newest_first(self) -> Iterator[KeptSummary]:
        """Those that this code can read, read one at a time; of an older form they are passed over. Raises StoreFault."""
        for (name,) in sorted(self.store.partitions(self._asset), reverse=True):
            try:
                yield self.store.read(self._address(name), KeptSummary)[0]
            except OtherSchema:
                continue

    def last(self) -> KeptSummary | None:
        return next(self.newest_first(), None)

    def last_passed(self, but: str = "") -> KeptSummary | None:
        """The one that the next is compared with: a regression that was not accepted is no measure for what follows it, nor is the summary
        with digest `but` for itself."""
        return next((one for one in self.newest_first() if one.verdict.passed and one.summary != but), None)

    def next_number(self) -> int:
        """Counts also those that cannot be read."""
        return 1 + max((int(name.partition("-")[0]) for (name,) in self.store.partitions(self._asset)), default=0)

    @property
    def _asset(self) -> tuple[str, ...]:
        return (self.experiment, "history")

    def _address(self, name: str) -> Address:
        return Address(self._asset, (name,))
