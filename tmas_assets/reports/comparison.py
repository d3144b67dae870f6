"""A paired comparison in words and as a table for the terminal. Leaves out the statistics."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from tmas_assets.reports import notation
from tmas_assets.statistics import ComparedSide, PairedComparison, PairedDifference

if TYPE_CHECKING:
    from rich.table import Table

_LISTED = 5
"""Problem ids that are named where only one side has them."""


def comparison_table(comparisons: Sequence[PairedComparison]) -> "Table":
    """One row a comparison that could be made."""
    from rich.box import SIMPLE_HEAD
    from rich.table import Table
    from rich.text import Text

    table = Table(title=Text(_names(comparisons)), title_justify="left", box=SIMPLE_HEAD, padding=(0, 1, 0, 0))
    table.add_column("at equal", no_wrap=True)
    heads = ("A at", "B at", "A %", "B %", "A − B, points", "interval", "bootstrap", "p", "wins/ties/losses", "problems")
    for heading in heads:
        table.add_column(heading, justify="right", overflow="fold")
    for one in comparisons:
        found = one.difference
        if one.a is None or one.b is None or found is None:
            continue
        table.add_row(
            one.basis,
            f"t{one.a.iteration:02d}",
            f"t{one.b.iteration:02d}",
            notation.percent(found.mean_a),
            notation.percent(found.mean_b),
            Text(points(found.value), style="bold"),
            f"{points(found.low, 1)} to {points(found.high, 1)}",
            "–" if found.bootstrap_low is None else f"{points(found.bootstrap_low, 1)} to {points(found.bootstrap_high, 1)}",
            f"{found.p:.3g}",
            f"{found.wins}/{found.ties}/{found.losses}",
            notation.count(found.problems),
        )
    return table


def _names(comparisons: Sequence[PairedComparison]) -> str:
    return next((f"A {one.a.experiment}, B {one.b.experiment}" for one in comparisons if one.a and one.b), "")


def points(share: float | None, digits: int = 2) -> str:
    """A difference of shares in percentage points with its sign."""
    return notation.ABSENT if share is None else f"{100 * share:+.{digits}f}"


def in_words(one: PairedComparison) -> str:
    """What the comparison says, what it cannot say, and what stands against believing it."""
    if one.a is None or one.b is None or one.difference is None:
        return f"At equal {one.basis}: nothing to compare, {one.why}."
    a, b, found = one.a, one.b, one.difference
    return " ".join([f"At equal {one.basis}, {_spent(a)} against {_spent(b)}:", _verdict(a, b, found), *_doubts(one, a, b)])


def _spent(side: ComparedSide) -> str:
    at_least = "at least " if side.usage_unknown else ""
    return f"{side.experiment} t{side.iteration:02d} ({at_least}{notation.short_count(side.tokens)} tokens a problem)"


def _verdict(a: ComparedSide, b: ComparedSide, found: PairedDifference) -> str:
    problems = "1 problem" if found.problems == 1 else f"{found.problems:,} problems"
    level = f"{100 * found.level:g} %"
    interval = f"{points(found.low, 1)} to {points(found.high, 1)} at {level}"
    apart = found.low > 0 or found.high < 0
    if apart and found.p < 1 - found.level:
        better, worse = (a, b) if found.value > 0 else (b, a)
        gain = f"{100 * abs(found.value):.2f}"
        return f"{better.experiment} is better than {worse.experiment} by {gain} points on {problems} ({interval} for A − B; p = {found.p:.3g})."
    if apart or found.p < 1 - found.level:
        return (
            f"a difference of {points(found.value)} points on {problems} is on the border: the interval ({interval}) and "
            f"the sign-flip test (p = {found.p:.3g}) do not agree that there is one."
        )
    hint = f"; one below about {100 * found.detectable:.0f} points would rarely show" if found.detectable is not None else ""
    return f"no difference can be told with {problems}: A − B is {points(found.value)} points ({interval}; p = {found.p:.3g}){hint}."


def _doubts(one: PairedComparison, a: ComparedSide, b: ComparedSide) -> list[str]:
    doubts = []
    if a.grader != b.grader:
        doubts.append(f"Graded differently ({a.grader} and {b.grader}): grade both again before believing this.")
    if missing := [f"{side.experiment} misses {side.missing:,} answers" for side in (a, b) if side.missing]:
        doubts.append(f"{' and '.join(missing)}; those that are there are of the problems that finished first.")
    if one.basis != "iterations" and (a.usage_unknown or b.usage_unknown):
        doubts.append("Some calls have no known usage, so equal tokens may not be equal.")
    for side, only in ((a, one.only_a), (b, one.only_b)):
        if only:
            more = f" and {len(only) - _LISTED:,} more" if len(only) > _LISTED else ""
            doubts.append(f"{len(only):,} problems are only in {side.experiment}: {', '.join(only[:_LISTED])}{more}.")
    return doubts
