"""What a row's prompt follows from, looked up again: its problem, and the round before it as it is stored now.

Rounds are read by the names in the row, not by the digests that the row states: so a check sees where the two have parted.
"""

from collections.abc import Mapping
from functools import lru_cache

from resources.parquet_store import MissingFile
from tmas_assets.engine.cells import CellStore, StoredCell
from tmas_assets.records import Problem, RlRow, Round, SourceProblem
from tmas_assets.training.rl_checks import Parents

_HELD = 32
"""Cells held: give rows in order of problem, teacher and iteration."""


class RowParents:
    """`candidates` by problem id, `cells` by teacher."""

    def __init__(self, candidates: Mapping[str, SourceProblem], cells: Mapping[str, CellStore]) -> None:
        self._candidates, self._cells = candidates, cells
        self._read = lru_cache(maxsize=_HELD)(self._cell)

    def __call__(self, row: RlRow) -> Parents | None:
        """None where one is gone. Raises StoreFault for a torn one."""
        info = row.extra_info
        candidate = self._candidates.get(info.problem)
        if candidate is None:
            return None
        if info.branch == "plain":
            return Parents(candidate)
        if info.teacher not in self._cells:
            return None
        found = self._read(info.teacher, info.iteration - 1, candidate.problem)
        if found is None:
            return None
        rounds, files = found
        before = next((one for one in rounds if one.repeat == info.repeat), None)
        if before is None:
            return None
        return Parents(candidate, before, files.rollouts.digest, files.summaries.digest, files.memory_bank.digest)

    def _cell(self, teacher: str, iteration: int, problem: Problem) -> tuple[tuple[Round, ...], StoredCell] | None:
        try:
            return self._cells[teacher].read(iteration, problem)
        except MissingFile:
            return None


def by_parent(row: RlRow) -> tuple[str, str, int, int]:
    """Rows in this order ask for each cell once."""
    info = row.extra_info
    return (info.problem, info.teacher or "", info.iteration, info.candidate)
