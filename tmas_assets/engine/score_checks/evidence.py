"""What the checks of a summary look at, read once for all of them: cells, grades, the problem table, the stored summary.

Cells that no figure is made of are named with the reason: never made, of another problem text, torn apart. Leaves out judging any of it.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

from partitions.keys import CellKey, iteration_of, problem_key
from resources.parquet_store import MissingFile
from tmas_assets.engine.cells import CellStore
from tmas_assets.engine.gathering import Gathered
from tmas_assets.engine.problems import ProblemTable
from tmas_assets.records import Problem, Score
from tmas_assets.reports.standing import LeaderboardRow
from tmas_assets.statistics import ProblemTally


class PassedOver(NamedTuple):
    """A cell of the experiment that no figure is made of."""

    cell: CellKey
    why: Literal["missing", "other data", "torn apart"]
    """`other data`: made for another text or gold of the problem. `torn apart`: its files are not of each other."""
    what: str


@dataclass(frozen=True)
class StoredSummary:
    scores: tuple[Score, ...]
    tallies: tuple[ProblemTally, ...]
    row: LeaderboardRow


@dataclass(frozen=True)
class Evidence:
    cells: CellStore
    table: ProblemTable
    problems: tuple[Problem, ...]
    """In scope: retired ones and those beyond the limit are not."""
    gathered: Gathered
    passed_over: tuple[PassedOver, ...]
    retired_cells: tuple[CellKey, ...]
    """Cells that are there, of problems that were retired since."""
    summary: StoredSummary | None
    """None where the present settings have none."""

    @property
    def name(self) -> str:
        return self.cells.experiment.name

    @property
    def expected(self) -> int:
        """Cells that the experiment asks for."""
        return len(self.problems) * self.cells.experiment.iterations


def evidence(
    cells: CellStore, table: ProblemTable, problems: Sequence[Problem], gathered: Gathered, summary: StoredSummary | None
) -> Evidence:
    """`gathered`: of these cells. Raises StoreFault for a file that cannot be read."""
    there = set(gathered.frames["memory_bank"].select("problem", "iteration").iter_rows())
    known = {problem_key(one.id) for one in table.retired} - {problem_key(one.id) for one in table.problems}
    return Evidence(
        cells, table, tuple(problems), gathered, tuple(_passed_over(cells, problems, there)),
        tuple(_of_problems(cells, known)) if known else (), summary,
    )  # fmt: skip


def _passed_over(cells: CellStore, problems: Sequence[Problem], there: set[tuple[object, ...]]) -> Iterator[PassedOver]:
    for iteration in range(cells.experiment.iterations):
        for problem in problems:
            if (problem.id, iteration) in there:
                continue
            key = cells.key(iteration, problem)
            try:
                memory = cells.store.look(cells.address("memory_bank", iteration, problem))
            except MissingFile:
                yield PassedOver(key, "missing", "no cell")
                continue
            made_for = memory.parent("problem") or "none that its file names"
            if made_for != problem.digest:
                what = f"made for the text {made_for[:12]}, the table holds {problem.digest[:12]}"
                yield PassedOver(key, "other data", what)
            else:
                yield PassedOver(key, "torn apart", "its files were not made of each other: one is missing or was changed")


def _of_problems(cells: CellStore, keys: set[str]) -> Iterator[CellKey]:
    for iteration, problem in cells.store.partitions((cells.experiment.name, "memory_bank"), cells.variant):
        if problem in keys:
            yield CellKey(iteration_of(iteration), problem)


def answer_id(problem: str, rollout: str) -> str:
    """How an answer, or a reply about it, is named to people."""
    return f"{problem} {rollout}"
