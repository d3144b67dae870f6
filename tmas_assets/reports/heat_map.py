"""The problem x iteration grid as shaded cells. Leaves out colours (the style sheet's) and markup (the template's).

A cell prints a short text and carries a shade from 0 to 10, so that 400 problems x 20 iterations stay small.
"""

from collections import Counter
from collections.abc import Sequence

from tmas_assets.records import Record
from tmas_assets.reports.report_rows import ProblemCell, ProblemRow

SHADES = 10


class Shaded(Record):
    """One cell as shown; `shade` None where there is nothing to show."""

    text: str
    shade: int | None
    hint: str = ""
    """What the text does not say: that the cell has another number of answers than most."""


class HeatRow(Record):
    problem: str
    statement: str
    right: tuple[Shaded, ...]
    verifier: tuple[Shaded, ...]
    last: str
    """Right of answers in the last iteration graded, `6 of 8`."""


class HeatMap(Record):
    iterations: tuple[int, ...]
    rows: tuple[HeatRow, ...]
    answers: int
    """Answers behind most cells."""
    verified: bool
    """Whether any cell has a verifier score."""


def heat_map(problems: Sequence[ProblemRow]) -> HeatMap:
    """All problems over all iterations that any of them has. Raises ValueError for two cells at one place."""
    cells = [cell for row in problems for cell in row.cells]
    iterations = tuple(sorted({cell.iteration for cell in cells}))
    usual = Counter(cell.answers for cell in cells if cell.answers).most_common(1)
    answers = usual[0][0] if usual else 0
    rows = tuple(_row(row, iterations, answers) for row in problems)
    verified = any(cell.mean_verifier is not None for cell in cells)
    return HeatMap(iterations=iterations, rows=rows, answers=answers, verified=verified)


def shade(share: float) -> int:
    """A share in [0, 1] as a shade; 0 and 10 are kept for exactly none and all, which are worth telling apart."""
    return 0 if share <= 0 else SHADES if share >= 1 else min(SHADES - 1, max(1, round(share * SHADES)))


def _row(row: ProblemRow, iterations: Sequence[int], answers: int) -> HeatRow:
    at = {cell.iteration: cell for cell in row.cells}
    if len(at) != len(row.cells):
        raise ValueError(f"heat map: problem {row.problem} has two cells of one iteration; pass one cell a place")
    graded = [cell for cell in row.cells if cell.answers]
    last = max(graded, key=lambda cell: cell.iteration) if graded else None
    return HeatRow(
        problem=row.problem,
        statement=row.statement,
        right=tuple(_right(at.get(t), answers) for t in iterations),
        verifier=tuple(_verifier(at.get(t)) for t in iterations),
        last=f"{last.right} of {last.answers}" if last else "",
    )


def _right(cell: ProblemCell | None, answers: int) -> Shaded:
    if cell is None or not cell.answers:
        return Shaded(text="", shade=None)
    hint = "" if cell.answers == answers else f"{cell.right} of {cell.answers}"
    return Shaded(text=str(cell.right), shade=shade(cell.right / cell.answers), hint=hint)


def _verifier(cell: ProblemCell | None) -> Shaded:
    if cell is None or cell.mean_verifier is None:
        return Shaded(text="", shade=None)
    mean = cell.mean_verifier
    return Shaded(text=f"{mean:.2f}".removeprefix("0"), shade=shade(mean))
