"""A cell on disk: the files that one (iteration, problem) pair of an experiment consists of, and what each was made from.

The memory file is written last and names the digests of the others: a cell is whole where all of them are the files
that lie there, made for this very problem. So a rewriting that was killed half-way, or two runs that wrote one cell
in turns, never pass for a cell. Cells lie under the digest of the settings that shape them, so changed settings start
beside the old cells and never mix with them. Leaves out how a cell is computed.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TypeVar

from partitions.keys import CellKey, iteration_key, problem_key
from resources.parquet_store import Address, MissingFile, OtherSchema, Parent, ParquetStore, StoredFile
from tmas_assets.engine.reviews import Reviews
from tmas_assets.records import (
    NO_GRADER,
    Experiment,
    Grade,
    MemorySnapshot,
    Problem,
    Record,
    Rollout,
    Round,
    Summary,
    Verification,
    digest,
)
from tmas_assets.strategies import strategy_digest

KINDS: dict[str, type[Record]] = {
    "rollouts": Rollout,
    "verifier_scores": Verification,
    "summaries": Summary,
    "memory_bank": MemorySnapshot,
    "benchmark_scores": Grade,
}
PREVIOUS = "previous memory_bank"
AMENDED = "amendments"
FORM = 3
"""Counts the forms that a cell's records have had: cells of another form lie beside, and are made anew from the call log."""
_KIND_OF: dict[type[Record], str] = {record: kind for kind, record in KINDS.items()}
R = TypeVar("R", bound=Record)


@dataclass(frozen=True)
class StoredCell:
    """The files of one cell that the engine wrote or found, by kind; `benchmark_scores` comes later."""

    rollouts: StoredFile
    verifier_scores: StoredFile
    summaries: StoredFile
    memory_bank: StoredFile

    def whole(self, problem: Problem) -> bool:
        """Whether the files were made of each other, for this very problem text and gold."""
        memory = self.memory_bank
        return memory.parent("problem") == problem.digest and all(
            memory.parent(kind) == file.digest
            for kind, file in (
                ("rollouts", self.rollouts),
                ("verifier_scores", self.verifier_scores),
                ("summaries", self.summaries),
            )
        )

    @property
    def previous_digest(self) -> str | None:
        """Digest of the memory file that the cell was made from, None at iteration 0."""
        return self.memory_bank.parent(PREVIOUS)

    @property
    def amended(self) -> str | None:
        """Digest of the amendments that people made to the cell's replies, None where it was made without any."""
        return self.memory_bank.parent(AMENDED)

    def follows(self, previous: "StoredCell | None") -> bool:
        """Whether this cell was made from the memory that `previous` has now."""
        return self.previous_digest == (previous.memory_bank.digest if previous else None)


@dataclass(frozen=True)
class FoundCell:
    """A whole, graded cell that was there already."""

    iteration: int
    problem: Problem
    files: StoredCell
    grades_file: StoredFile


@dataclass(frozen=True)
class FinishedCell:
    """A whole cell: its rounds by repeat, their grades, and the files both lie in."""

    iteration: int
    problem: Problem
    rounds: tuple[Round, ...]
    files: StoredCell
    grades: tuple[Grade, ...]
    grades_file: StoredFile
    previous_digest: str | None
    """Digest of the memory file of the iteration before, None at iteration 0."""


class CellStore:
    """The cells of one experiment in a store."""

    def __init__(self, store: ParquetStore, experiment: Experiment, models: Sequence[str]) -> None:
        """`models`: identities of the models behind the experiment's endpoints, part of what shapes a cell."""
        self.store, self.experiment, self.models = store, experiment, tuple(models)
        self.strategy_digest = strategy_digest(experiment.strategy)
        self.settings_digest = digest([FORM, experiment.digest(), self.strategy_digest, sorted(models)])

    @cached_property
    def variant(self) -> str:
        return self.settings_digest[:12]

    @cached_property
    def reviews(self) -> Reviews:
        """What people said, as it was when this was first asked for."""
        return Reviews(self.store, self.experiment.name, self.variant)

    def address(self, kind: str, iteration: int, problem: Problem) -> Address:
        partition = (iteration_key(iteration), problem_key(problem.id))
        return Address((self.experiment.name, kind), partition, self.variant)

    def key(self, iteration: int, problem: Problem) -> CellKey:
        return CellKey(iteration, problem_key(problem.id))

    def files(self, iteration: int, problem: Problem) -> StoredCell | None:
        """The cell's files, None where it is not whole, or was made before a person amended it. Raises StoreFault
        where one of them is torn."""
        kinds = ("memory_bank", "rollouts", "verifier_scores", "summaries")
        try:
            found = {kind: self.store.look(self.address(kind, iteration, problem)) for kind in kinds}
        except MissingFile:
            return None
        cell = StoredCell(**found)
        current = cell.amended == self.reviews.of(problem).digest_of(iteration)
        return cell if current and cell.whole(problem) else None

    def write(
        self, iteration: int, problem: Problem, rounds: Sequence[Round], previous: StoredCell | None
    ) -> StoredCell:
        """Write one cell from the rounds of all repeats; `previous` is the iteration before. Raises StoreFault."""
        rounds = sorted(rounds, key=lambda one: one.repeat)
        origin = [Parent("problem", problem.digest), Parent("strategy", self.strategy_digest)]
        before = [Parent(PREVIOUS, previous.memory_bank.digest)] if previous else []
        amended = self.reviews.of(problem).digest_of(iteration)
        amendments = [Parent(AMENDED, amended)] if amended else []

        def put(kind: str, rows: list[Record], made_from: list[Parent]) -> StoredFile:
            return self.store.write(self.address(kind, iteration, problem), KINDS[kind], rows, made_from)

        rollouts = put("rollouts", [r for one in rounds for r in one.rollouts], origin + before)
        read = Parent("rollouts", rollouts.digest)
        checks = put("verifier_scores", [v for one in rounds for v in one.verifications], [*origin, read])
        checked = Parent("verifier_scores", checks.digest)
        summaries = put("summaries", [s for one in rounds for s in one.summaries], [*origin, read, checked])
        summed = Parent("summaries", summaries.digest)
        memory = put("memory_bank", [one.memory for one in rounds], [*origin, *before, *amendments, read, checked, summed])
        return StoredCell(rollouts, checks, summaries, memory)

    def read(self, iteration: int, problem: Problem) -> tuple[tuple[Round, ...], StoredCell]:
        """The rounds of all repeats and their files. Raises MissingFile or StoreFault naming the cell."""

        def get(record: type[R]) -> tuple[tuple[R, ...], StoredFile]:
            return self.store.read_stored(self.address(_KIND_OF[record], iteration, problem), record)

        memories, memory_file = get(MemorySnapshot)
        rollouts, rollouts_file = get(Rollout)
        checks, checks_file = get(Verification)
        summaries, summaries_file = get(Summary)
        rounds = tuple(
            Round(
                problem=problem.id,
                repeat=memory.repeat,
                iteration=iteration,
                rollouts=tuple(row for row in rollouts if row.repeat == memory.repeat),
                verifications=tuple(row for row in checks if row.repeat == memory.repeat),
                summaries=tuple(row for row in summaries if row.repeat == memory.repeat),
                memory=memory,
            )
            for memory in memories
        )
        return rounds, StoredCell(rollouts_file, checks_file, summaries_file, memory_file)

    def write_grades(
        self, iteration: int, problem: Problem, grades: Sequence[Grade], rollouts: StoredFile, grader: str
    ) -> StoredFile:
        """`grader`: name and version, e.g. `math 3`."""
        made_from = [
            Parent("problem", problem.digest),
            Parent("rollouts", rollouts.digest),
            Parent("grader", grader),
        ]
        return self.store.write(self.address("benchmark_scores", iteration, problem), Grade, grades, made_from)

    def grades_file(self, iteration: int, problem: Problem, rollouts: StoredFile, grader: str) -> StoredFile | None:
        """The file of the grades that `grader` gave these very rollouts, None where there is not one of its own for each.
        Without a gold there is none to give, and the file says that."""
        try:
            _, file = self.store.table(self.address("benchmark_scores", iteration, problem), Grade, ["rollout"])
        except (MissingFile, OtherSchema):
            return None
        up_to_date = file.parent("rollouts") == rollouts.digest and file.parent("grader") == grader
        wanted = rollouts.rows if problem.grader != NO_GRADER else 0
        return file if up_to_date and file.rows == wanted else None

    def finished(self, found: FoundCell) -> FinishedCell:
        """All that a found cell holds. Raises MissingFile or StoreFault."""
        iteration, problem = found.iteration, found.problem
        rounds, files = self.read(iteration, problem)
        grades, grades_file = self.store.read_stored(self.address("benchmark_scores", iteration, problem), Grade)
        return FinishedCell(iteration, problem, rounds, files, grades, grades_file, files.previous_digest)
