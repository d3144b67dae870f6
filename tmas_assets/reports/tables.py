"""Tables for the terminal. Leaves out printing: the caller has the console."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from tmas_assets.records import Figure, RoleTokens, Score
from tmas_assets.reports import notation
from tmas_assets.reports.experiment_report import token_lines
from tmas_assets.reports.figure_table import figure_table

if TYPE_CHECKING:
    from rich.table import Table

OUTCOMES = ("right", "wrong", "undec.", "failed", "trunc.", "miss.")


def score_table(scores: Sequence[Score]) -> "Table":
    """One row a score: Pass@1 with interval, samples behind it, outcomes, what is missing.

    Scores of one experiment name it in the title, so that the table fits a terminal of 80 columns. A warning under
    the table names every score whose answers ran without a sandbox.
    """
    from rich.text import Text

    # Text, not str: a name in brackets is a name, not markup.
    places = sorted({(one.benchmark, one.release, one.experiment) for one in scores})
    one_place = len(places) == 1
    title = f"{places[0][2]} on {places[0][0]} {places[0][1]}, %" if one_place else "Pass@1 by iteration, %"
    names = () if one_place else ("experiment", "benchmark")
    table = _table(title, names, ("iter", "Pass@1", "interval", "samples", *OUTCOMES))
    for score in sorted(scores, key=lambda one: (one.benchmark, one.release, one.experiment, one.iteration)):
        counts = (score.right, score.wrong, score.undecided, score.failed, score.truncated, score.missing)
        named = () if one_place else (Text(score.experiment), Text(f"{score.benchmark} {score.release}"))
        table.add_row(
            *named,
            str(score.iteration),
            Text(notation.percent(score.value), style="bold"),
            notation.bounds(score).replace(" ", ""),
            notation.per_problem(score).replace(" × ", "×"),
            *(notation.count(number) for number in counts),
        )
    if warnings := [warning for score in scores if (warning := notation.untrusted(score))]:
        table.caption = Text("\n".join(warnings), style="bold red")
        table.caption_justify = "left"
    return table


def figures_by_iteration(figures: Sequence[Figure]) -> "Table":
    """One row an iteration: Pass@1, pass@k, votes, best by verifier, oracle, in percent."""
    shown = figure_table(figures)
    table = _table("Figures by iteration, %", (), ("iter", *shown.columns))
    for line in shown.lines:
        table.add_row(str(line.iteration), *(cell.text for cell in line.cells))
    return table


def token_table(scratch: Sequence[RoleTokens], paid: Sequence[RoleTokens]) -> "Table":
    """Two rows a role, from scratch and paid, and their sums; unknown usage in its own column."""
    from rich.text import Text

    figures = ("calls", "prompt tokens", "completion tokens", "usage unknown")
    table = _table("Tokens by role", ("role", "account"), figures)

    def add(role: str, account: str, row: RoleTokens | None) -> None:
        counts = (row.calls, row.prompt_tokens, row.completion_tokens, row.unknown) if row else ()
        cells = [notation.count(number) for number in counts] or [notation.ABSENT] * len(figures)
        table.add_row(Text(role, style="bold"), account, *cells)

    for line in token_lines(scratch, paid):
        add(line.role, "from scratch", line.scratch)
        add("", "paid", line.paid)
    table.add_section()
    add("all", "from scratch", notation.total_tokens(scratch))
    add("", "paid", notation.total_tokens(paid))
    return table


def _table(title: str, names: Sequence[str], figures: Sequence[str]) -> "Table":
    from rich.box import SIMPLE_HEAD
    from rich.table import Table
    from rich.text import Text

    table = Table(title=Text(title), title_justify="left", box=SIMPLE_HEAD, padding=(0, 1, 0, 0))
    for heading in names:
        table.add_column(heading, overflow="fold")
    for heading in figures:
        # Folded, never cut: a figure that lost its last digits would read as another figure.
        table.add_column(heading, justify="right", overflow="fold")
    return table
