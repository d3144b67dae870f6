"""The files of a data set: each step's rows, what it dropped, its counts, and what it compared with.

Every file names the files it was made from and the settings that shaped it, so a set can be walked back to its sources, and
a step whose sources or settings are others by now is not read. Leaves out what a step does.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, TypeVar

from resources.parquet_store import Address, MissingFile, Parent, ParquetStore, StoredFile, StoreFault
from tmas_assets.curation import counted
from tmas_assets.records import Dropped, Record, StepCount, StepNote

R = TypeVar("R", bound=Record)
_SETTINGS = "settings"


class StaleStep(StoreFault):
    """A step whose files were made from other ones, or under other settings, than there are now."""


class Planned(NamedTuple):
    after: tuple[str, ...]
    """Steps of the same set whose files it reads."""
    settings: str
    """Digest of those that shape its rows."""


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
    """The steps of one set in a store: `<set>/<step>`, each with a file of rows and files of parts beside it.

    Only what `plan` names is looked at for being up to date: without one, files are read as they are.
    """

    store: ParquetStore
    name: str
    plan: Mapping[str, Planned] = field(default_factory=dict)

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
        made_from = self._shaped(step, made_from)
        counts = counted(step, len(rows), dropped)
        notes = [StepNote(step=step, partial=partial)] if partial else []
        self.store.write(self.address(step, "notes"), StepNote, notes, made_from)
        self.store.write(self.address(step, "dropped"), Dropped, dropped, made_from)
        self.store.write(self.address(step, "counts"), StepCount, counts, made_from)
        return Made(step, self.store.write(self.address(step), record, rows, made_from), counts, tuple(dropped), partial)

    def part(self, step: str, part: str, record: type[R], rows: Sequence[R], made_from: Sequence[Parent] = ()) -> StoredFile:
        """Something a step says beside its rows."""
        return self.store.write(self.address(step, part), record, rows, self._shaped(step, made_from))

    def read(self, step: str, record: type[R], part: str = "rows") -> tuple[tuple[R, ...], StoredFile]:
        """Raises MissingFile where the step was not made, StaleStep, StoreFault."""
        try:
            rows, file = self.store.read_stored(self.address(step, part), record)
        except MissingFile as fault:
            raise self._missing(step, fault) from fault
        self._check_current(step, file, set())
        return rows, file

    def counts(self, step: str) -> tuple[StepCount, ...]:
        return self.read(step, StepCount, "counts")[0]

    def dropped(self, step: str) -> tuple[Dropped, ...]:
        return self.read(step, Dropped, "dropped")[0]

    def partial(self, step: str) -> str | None:
        """Why the step is not finished, None where it is."""
        notes = self.read(step, StepNote, "notes")[0]
        return notes[0].partial if notes else None

    def file(self, step: str) -> StoredFile:
        """What is known of the step's rows, without reading them. Raises as `read`."""
        try:
            return self.store.look(self.address(step))
        except MissingFile as fault:
            raise self._missing(step, fault) from fault

    def _shaped(self, step: str, made_from: Sequence[Parent]) -> tuple[Parent, ...]:
        return (*made_from, *([Parent(_SETTINGS, self.plan[step].settings)] if step in self.plan else []))

    def _check_current(self, step: str, file: StoredFile, looked_at: set[str]) -> None:
        """Raises StaleStep where the file, or one that it follows from, is not of the settings and files there are now."""
        if step not in self.plan:
            return
        if file.parent(_SETTINGS) != self.plan[step].settings:
            raise self._stale(step, "was made under other settings than the set has now")
        for earlier in self.plan[step].after:
            now = self.file(earlier)
            if (stated := file.parent(earlier)) is not None and stated != now.digest:
                raise self._stale(step, f"was made from another {earlier} ({stated[:12]}) than is there now ({now.digest[:12]})")
            if earlier not in looked_at:
                looked_at.add(earlier)
                self._check_current(earlier, now, looked_at)

    def _stale(self, step: str, how: str) -> StaleStep:
        return StaleStep(
            f"{self.name}/{step} {how}, and rows of both would be mixed. Materialize it again, then what follows it; `tmas build-data "
            f"{self.name}` makes every step, and asks no model what it was asked before."
        )

    def _missing(self, step: str, fault: MissingFile) -> MissingFile:
        return MissingFile(f"{self.name}/{step} is not there yet: {fault} `tmas build-data {self.name}` makes every step.")
