"""The figures of an experiment as tables: one line an iteration, and all of one iteration with their errors.

Leaves out markup and layout.
"""

from collections.abc import Sequence

from tmas_assets.records import Figure, Record
from tmas_assets.reports import notation


class FigureCell(Record):
    text: str
    hint: str
    """Standard error and interval, or why there is no value."""


class FigureLine(Record):
    iteration: int
    cells: tuple[FigureCell, ...]


class FigureTable(Record):
    columns: tuple[str, ...]
    lines: tuple[FigureLine, ...]


def figure_table(figures: Sequence[Figure]) -> FigureTable:
    """Pass@1, pass@k at every k, and the rest at the largest k that is asked for. Figures in percent."""
    shown = [one for one in figures if _is_shown(one)]
    most = {one.metric: one.k for one in sorted(shown, key=lambda one: one.k)}
    columns: dict[str, None] = {}
    at: dict[tuple[int, str], Figure] = {}
    for one in shown:
        if one.metric in ("pass^k", "maj@k", "best-of-k") and one.k != most[one.metric]:
            continue
        columns.setdefault(_heading(one))
        at[one.iteration, _heading(one)] = one
    order = sorted(columns, key=_order)
    return FigureTable(
        columns=tuple(order),
        lines=tuple(
            FigureLine(iteration=t, cells=tuple(_cell(at.get((t, column))) for column in order))
            for t in sorted({one.iteration for one in shown})
        ),
    )


def of_iteration(figures: Sequence[Figure], iteration: int) -> tuple[Figure, ...]:
    """All figures of one iteration, in the order they were made."""
    return tuple(one for one in figures if one.iteration == iteration)


def _is_shown(one: Figure) -> bool:
    if one.metric == "mean@k":
        return one.denominator == "all" and one.seed is None
    return not (one.metric == "pass@k" and one.k == 1)  # which is the mean


def _heading(one: Figure) -> str:
    """`pass@1` for the mean, `credit` and `oracle` without their k: that is however many are there, which differs by iteration."""
    return {"mean@k": "pass@1", "credit@k": "credit", "oracle@k": "oracle"}.get(one.metric, one.name)


def _order(heading: str) -> tuple[int, int]:
    kinds = ("chosen", "credit", "pass@", "pass^", "maj@", "best-of-", "oracle")
    kind = next(i for i, start in enumerate(kinds) if heading.startswith(start))
    return kind, int(heading.removeprefix(kinds[kind]) or 0)


def _cell(one: Figure | None) -> FigureCell:
    if one is None:
        return FigureCell(text=notation.ABSENT, hint="")
    if one.value is None:
        return FigureCell(text=notation.ABSENT, hint=one.why or "")
    return FigureCell(text=notation.percent(one.value), hint=f"{notation.bounds(one)}, standard error {notation.percent(one.standard_error)}")
