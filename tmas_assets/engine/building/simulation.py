"""The rounds that teachers played, read back from their cells. Leaves out making the cells, and what rows come of them."""

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from resources.parquet_store import StoreFault
from tmas_assets.engine.cells import CellStore, StoredCell
from tmas_assets.records import Grade, Problem, Round, SimulatedRound


@dataclass(frozen=True)
class PlayedCell:
    """A teacher's cell: its rounds by repeat, their grades, and the files both lie in."""

    iteration: int
    rounds: tuple[Round, ...]
    grades: tuple[Grade, ...]
    files: StoredCell
    grades_digest: str

    def grades_of(self, repeat: int) -> tuple[Grade, ...]:
        return tuple(grade for grade in self.grades if grade.repeat == repeat)


class ChangedCell(StoreFault):
    """A cell that is not the one that the rounds of a set name."""


def said(
    cells: CellStore, teacher: str, model: str, problem: Problem, iterations: range
) -> Iterator[SimulatedRound]:
    """The rounds of one problem as far as they were played; `model` is the identity of the solver. Raises StoreFault."""
    before: StoredCell | None = None
    for iteration in iterations:
        files = cells.files(iteration, problem)
        if files is None or not files.follows(before):
            return
        grades, grades_file = cells.store.read_stored(cells.address("benchmark_scores", iteration, problem), Grade)
        outcomes = Counter(grade.outcome for grade in grades)
        yield SimulatedRound(
            problem=problem.id,
            problem_digest=problem.digest,
            teacher=teacher,
            teacher_model=model,
            experiment=cells.experiment.name,
            variant=cells.variant,
            iteration=iteration,
            rollouts_digest=files.rollouts.digest,
            verifier_scores_digest=files.verifier_scores.digest,
            summaries_digest=files.summaries.digest,
            memory_digest=files.memory_bank.digest,
            grades_digest=grades_file.digest,
            right=outcomes["right"],
            wrong=outcomes["wrong"],
            ungraded=outcomes["undecided"] + outcomes["failed"],
        )
        before = files


def played(cells: CellStore, problem: Problem, rounds: Iterable[SimulatedRound]) -> Iterator[PlayedCell]:
    """The cells that `rounds`, all of this problem and teacher, name, in order of iteration. Raises ChangedCell where one has other bytes by now."""
    for named in sorted(rounds, key=lambda one: one.iteration):
        found, files = cells.read(named.iteration, problem)
        grades, grades_file = cells.store.read_stored(cells.address("benchmark_scores", named.iteration, problem), Grade)
        there = (files.rollouts.digest, files.summaries.digest, files.memory_bank.digest, grades_file.digest)
        if there != (named.rollouts_digest, named.summaries_digest, named.memory_digest, named.grades_digest):
            raise ChangedCell(
                f"{cells.experiment.name} t{named.iteration:02d} of {problem.id}: its files are other ones than the set's "
                "teacher_rounds name; they were made again since. Materialize teacher_rounds again, then what follows it."
            )
        yield PlayedCell(named.iteration, found, grades, files, grades_file.digest)
