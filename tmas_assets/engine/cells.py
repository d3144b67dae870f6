"""A cell on disk: the files that one (iteration, problem) pair of an experiment consists of, and what each was made from.

The memory file is written last and marks its cell as whole. Cells lie under the digest of the settings that shape
them, so changed settings start beside the old cells and never mix with them. Leaves out how a cell is computed.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TypeVar

from partitions.keys import CellKey, iteration_key, problem_key
from resources.parquet_store import Address, MissingFile, Parent, ParquetStore, StoredFile
from tmas_assets.records import (
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
_KIND_OF: dict[type[Record], str] = {record: kind for kind, record in KINDS.items()}
R = TypeVar("R", bound=Record)


@dataclass(frozen=True)
class StoredCell:
    """The files of one cell that the engine wrote or found, by kind; `benchmark_scores` comes later."""

    rollouts: StoredFile
    verifier_scores: StoredFile
    summaries: StoredFile
    memory_bank: StoredFile


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
        self.store, self.experiment = store, experiment
        self.strategy_digest = strategy_digest(experiment.strategy)
        self.settings_digest = digest([experiment.digest(), self.strategy_digest, sorted(models)])

    @cached_property
    def variant(self) -> str:
        return self.settings_digest[:12]

    def address(self, kind: str, iteration: int, problem: Problem) -> Address:
        partition = (iteration_key(iteration), problem_key(problem.id))
        return Address((self.experiment.name, kind), partition, self.variant)

    def key(self, iteration: int, problem: Problem) -> CellKey:
        return CellKey(iteration, problem_key(problem.id))

    def whole(self, iteration: int, problem: Problem) -> bool:
        """Whether the cell was finished for this very problem text. Raises StoreFault where its file is torn."""
        address = self.address("memory_bank", iteration, problem)
        return self.store.exists(address) and Parent("problem", problem.digest) in self.store.made_from(address)

    def write(
        self, iteration: int, problem: Problem, rounds: Sequence[Round], previous: StoredCell | None
    ) -> StoredCell:
        """Write one cell from the rounds of all repeats; `previous` is the iteration before. Raises StoreFault."""
        rounds = sorted(rounds, key=lambda one: one.repeat)
        origin = [Parent("problem", problem.digest), Parent("strategy", self.strategy_digest)]
        before = [Parent("previous memory_bank", previous.memory_bank.digest)] if previous else []

        def put(kind: str, rows: list[Record], made_from: list[Parent]) -> StoredFile:
            return self.store.write(self.address(kind, iteration, problem), KINDS[kind], rows, made_from)

        rollouts = put("rollouts", [r for one in rounds for r in one.rollouts], origin + before)
        read = Parent("rollouts", rollouts.digest)
        checks = put("verifier_scores", [v for one in rounds for v in one.verifications], [*origin, read])
        checked = Parent("verifier_scores", checks.digest)
        summaries = put("summaries", [s for one in rounds for s in one.summaries], [*origin, read, checked])
        summed = Parent("summaries", summaries.digest)
        memory = put("memory_bank", [one.memory for one in rounds], [*origin, *before, read, checked, summed])
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

    def grades(self, iteration: int, problem: Problem) -> tuple[tuple[Grade, ...], StoredFile] | None:
        """The cell's grades, None where it was never graded."""
        try:
            return self.store.read_stored(self.address("benchmark_scores", iteration, problem), Grade)
        except MissingFile:
            return None

    def finished(self, iteration: int, problem: Problem) -> FinishedCell:
        """A whole, graded cell as it lies there. Raises MissingFile or StoreFault."""
        rounds, files = self.read(iteration, problem)
        grades, grades_file = self.store.read_stored(self.address("benchmark_scores", iteration, problem), Grade)
        parents = dict(self.store.made_from(self.address("memory_bank", iteration, problem)))
        return FinishedCell(iteration, problem, rounds, files, grades, grades_file, parents.get("previous memory_bank"))
