"""Scores computed again from the grades that an audit found intact, and compared with the stored ones, field by field.

An iteration of which any file of grades or rollouts is not intact is not computed again: that file is to blame. Leaves out other figures.
"""

import math
from collections.abc import Sequence

import polars as pl

from partitions.keys import iteration_key
from tmas_assets.engine.audit.cells import GRADES, ROLLOUTS, CellFound
from tmas_assets.engine.cells import CellStore
from tmas_assets.engine.gathering import Gathered
from tmas_assets.engine.summary import scores
from tmas_assets.records import AuditFault, Grade, Problem, Score, digest


class Rescoring:
    """`problems`: those in scope, in order."""

    def __init__(self, cells: CellStore, problems: Sequence[Problem]) -> None:
        self._cells, self._problems = cells, problems
        self._grades: dict[str, list[Grade]] = {}
        self._chosen: dict[str, list[tuple[str, str, str]]] = {}
        self._files: dict[str, dict[str, str]] = {}
        self.left_out: set[str] = set()
        """Keys of iterations that are not computed again."""

    def take(self, found: CellFound) -> None:
        """A cell of the score."""
        at = found.cell.iteration
        if GRADES not in found.cell.recorded:
            return  # not graded when the score was made
        if not {GRADES, ROLLOUTS} <= found.sound.keys():
            self.left_out.add(at)
            return
        self._grades.setdefault(at, []).extend(found.grades)
        self._chosen.setdefault(at, []).extend(found.chosen)
        self._files.setdefault(at, {})[found.cell.problem] = found.sound[GRADES]

    def faults(self, stored: Sequence[Score], order: Sequence[str]) -> list[AuditFault]:
        """`order`: keys of the problems, as the score took them."""
        faults: list[AuditFault] = []
        for one in stored:
            at = iteration_key(one.iteration)
            if at in self.left_out or at not in self._grades:
                continue
            place = {key: rank for rank, key in enumerate(order)}
            files = sorted(self._files[at].items(), key=lambda item: place.get(item[0], len(place)))
            again = scores(self._cells, self._problems, self._gathered(at, one.iteration, [found for _, found in files]))
            faults += _differences(one, next((score for score in again if score.iteration == one.iteration), None))
        return faults

    def _gathered(self, at: str, iteration: int, files: Sequence[str]) -> Gathered:
        rows = self._chosen[at]
        columns = {"id": [row[0] for row in rows], "problem": [row[1] for row in rows], "branch": [row[2] for row in rows]}
        frames = {"rollouts": pl.DataFrame(columns, schema=dict.fromkeys(columns, pl.String))}
        place = {problem.id: rank for rank, problem in enumerate(self._problems)}
        grades = sorted(self._grades[at], key=lambda grade: place.get(grade.problem, len(place)))
        return Gathered(frames, tuple(grades), {(GRADES, iteration): digest(list(files))}, {}, ())


def _differences(stored: Score, again: Score | None) -> list[AuditFault]:
    what = f"score of t{stored.iteration:02d}"
    if again is None:
        return [AuditFault(what=what, field="value", recorded=str(stored.value), found="no score follows from the grades")]
    return [
        AuditFault(what=what, field=field, recorded=str(was), found=str(there))
        for field in Score.model_fields
        if not _equal(was := getattr(stored, field), there := getattr(again, field))
    ]


def _equal(was: object, there: object) -> bool:
    if isinstance(was, float) and isinstance(there, float):
        return math.isclose(was, there, rel_tol=1e-9, abs_tol=1e-12)
    return was == there
