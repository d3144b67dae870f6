"""The files of a data set: each step's rows, what it dropped, its counts, and what it compared with.

Every file names the files it was made from, so a set can be walked back to its sources. Leaves out what a step does.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeVar

from resources.parquet_store import Address, MissingFile, Parent, ParquetStore, StoredFile
from tmas_assets.curation import counted
from tmas_assets.records import Dropped, Record, StepCount, StepNote

R = TypeVar("R", bound=Record)


@dataclass(frozen=True)
class Made:
    """What a step stored."""

    step: str
    rows: StoredFile
    counts: tuple[StepCount, ...]
    dropped: tuple[Dropped, ...]
    partial: str | None


@dataclass(frozen=True)
class Steps:
    """The steps of one set in a store: `<set>/<step>`, each with a file of rows and files of parts beside it."""

    store: ParquetStore
    name: str

    def address(self, step: str, part: str = "rows") -> Address:
        return Address((self.name, step), (part,))

    def write(
        self,
        step: str,
        record: type[R],
        rows: Sequence[R],
        made_from: Sequence[Parent],
        *,
        dropped: Sequence[Dropped] = (),
        partial: str | None = None,
    ) -> Made:
        """The rows go last: where they are, what was dropped is there too. `partial`: why the step is not finished, None
        where it is. Raises StoreFault."""
        counts = counted(step, len(rows), dropped)
        notes = [StepNote(step=step, partial=partial)] if partial else []
        self.store.write(self.address(step, "notes"), StepNote, notes, made_from)
        self.store.write(self.address(step, "dropped"), Dropped, dropped, made_from)
        self.store.write(self.address(step, "counts"), StepCount, counts, made_from)
        return Made(step, self.store.write(self.address(step), record, rows, made_from), counts, tuple(dropped), partial)

    def part(self, step: str, part: str, record: type[R], rows: Sequence[R], made_from: Sequence[Parent] = ()) -> StoredFile:
        """Something a step says beside its rows."""
        return self.store.write(self.address(step, part), record, rows, made_from)

    def read(self, step: str, record: type[R], part: str = "rows") -> tuple[tuple[R, ...], StoredFile]:
        """Raises MissingFile where the step was not made, StoreFault."""
        try:
            return self.store.read_stored(self.address(step, part), record)
        except MissingFile as fault:
            raise MissingFile(f"{self.name}/{step} is not there yet: {fault} `tmas build-data {self.name}` makes every step.") from fault

    def counts(self, step: str) -> tuple[StepCount, ...]:
        return self.read(step, StepCount, "counts")[0]

    def dropped(self, step: str) -> tuple[Dropped, ...]:
        return self.read(step, Dropped, "dropped")[0]

    def partial(self, step: str) -> str | None:
        """Why the step is not finished, None where it is."""
        notes = self.read(step, StepNote, "notes")[0]
        return notes[0].partial if notes else None
