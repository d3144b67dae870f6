"""Experiments side by side as tables for a terminal of 80 columns. Leaves out printing: the caller has the console."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from tmas_assets.records import Score
from tmas_assets.reports import notation
from tmas_assets.reports.paired_table import PairedCell, PairedTable
from tmas_assets.reports.standing import LeaderboardRow

if TYPE_CHECKING:
    from rich.table import Table


def standing_table(title: str, rows: Sequence[tuple[str, LeaderboardRow | None]]) -> "Table":
    """One row an experiment, under the name given; a dash for what it does not have."""
    table = _table(title, ("", "Pass@1", "interval", "answers", "iter", "calls", "tokens", "/right"))
    from rich.text import Text

    for name, row in rows:
        score, end = (row.score, row.end) if row is not None else (None, None)
        dear = row.tokens_per_right_answer if row is not None else None
        table.add_row(
            Text(name),
            Text(notation.percent(score.value) if score else notation.ABSENT, style="bold"),
            notation.bounds(score).replace(" ", "") if score else notation.ABSENT,
            _answers(score) if score else notation.ABSENT,
            str(score.iteration) if score else notation.ABSENT,
            notation.short_count(end.calls) if end else notation.ABSENT,
            notation.tokens_spent(end) if end else notation.ABSENT,
            notation.short_count(dear) if dear is not None else notation.ABSENT,
        )
    partial = "; −n: so many answers missing" if any(row and row.score and row.score.missing for _, row in rows) else ""
    table.caption = f"Pass@1 in %; calls and tokens a problem, one run; /right: tokens by Pass@1{partial}"
    table.caption_justify = "left"
    return table


def paired_terminal(paired: PairedTable) -> "Table":
    """Each experiment against the reference, in points."""
    from rich.text import Text

    table = _table(f"Against {paired.reference}, points", ("", *paired.columns))
    for line in paired.lines:
        cells = [
            notation.ABSENT if cell is None else Text(_of_three_lines(cell), style="bold" if cell.told else "") for cell in line.cells
        ]
        table.add_row(Text(line.experiment), *cells)
    table.caption = "* told from 0, adjusted for the column; then interval, iterations, spending"
    table.caption_justify = "left"
    return table


def _answers(score: Score) -> str:
    return notation.per_problem(score).replace(" × ", "×") + (f" −{score.missing:,}" if score.missing else "")


def _of_three_lines(cell: PairedCell) -> str:
    ratio = f" {cell.ratio.replace(' ', '')}×" if cell.ratio else ""
    return f"{cell.difference}\n{cell.interval.replace(' … ', '…')}\n{cell.iterations.replace(' ', '')}{ratio}"


def _table(title: str, headings: Sequence[str]) -> "Table":
    from rich.box import SIMPLE_HEAD
    from rich.table import Table
    from rich.text import Text

    table = Table(title=Text(title), title_justify="left", box=SIMPLE_HEAD, padding=(0, 1, 0, 0))
    table.add_column(headings[0], overflow="fold")
    for heading in headings[1:]:
        table.add_column(heading, justify="right", overflow="fold")
    return table
