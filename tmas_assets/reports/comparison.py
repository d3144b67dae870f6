"""A paired comparison in words and as a table for the terminal. Leaves out the statistics."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from tmas_assets.reports import notation
from tmas_assets.statistics import Basis, ComparedSide, PairedComparison, PairedDifference

if TYPE_CHECKING:
    from rich.table import Table

_BASIS: dict[Basis, str] = {
    "last": "Each at its last iteration",
    "iterations": "At the same iteration",
    "calls": "At equal calls",
    "tokens": "At equal tokens",
    "calls of A": "Within A's calls",
    "calls of B": "Within B's calls",
    "tokens of A": "Within A's tokens",
    "tokens of B": "Within B's tokens",
}
_LISTED = 5
"""Problem ids that are named where only one side has them."""


def comparison_table(comparisons: Sequence[PairedComparison]) -> "Table":
    """One row a comparison that could be made; fits a terminal of 80 columns."""
    from rich.box import SIMPLE_HEAD
    from rich.table import Table
    from rich.text import Text

    table = Table(title=Text(_title(comparisons)), title_justify="left", box=SIMPLE_HEAD, padding=(0, 1, 0, 0))
    table.add_column("basis", no_wrap=True)
    for heading in ("A", "B", "A %", "B %", "A − B", "interval", "p", "W/T/L", "n"):
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
            f"{points(found.low, 1)} … {points(found.high, 1)}",
            _p(found.p),
            f"{found.wins}/{found.ties}/{found.losses}",
            notation.count(found.problems),
        )
    table.caption = "A − B in points; W/T/L: problems on which A is better, equal, worse; n problems are in both"
    table.caption_justify = "left"
    return table


def _title(comparisons: Sequence[PairedComparison]) -> str:
    return next((f"A: {one.a.experiment}, B: {one.b.experiment}" for one in comparisons if one.a and one.b), "")


def _equals(p: float) -> str:
    return "< 0.001" if p < 0.001 else f"= {p:.3f}"


def _p(p: float) -> str:
    return "<0.001" if p < 0.001 else f"{p:.3f}"


def points(share: float | None, digits: int = 2) -> str:
    """A difference of shares in percentage points with its sign."""
    return notation.ABSENT if share is None else f"{100 * share:+.{digits}f}"


def in_words(one: PairedComparison) -> str:
    """What a comparison says and what it cannot say. Leaves out what stands against believing it: `doubts`."""
    if one.a is None or one.b is None or one.difference is None:
        return f"{_BASIS[one.basis]}: nothing to compare, {one.why}."
    return f"{_BASIS[one.basis]}, {_spent(one.a)} against {_spent(one.b)}: {_verdict(one.a, one.b, one.difference)}"


def _spent(side: ComparedSide) -> str:
    at_least = "at least " if side.usage_unknown else ""
    calls, tokens = notation.short_count(side.calls), notation.short_count(side.tokens)
    return f"{side.experiment} t{side.iteration:02d} ({calls} calls and {at_least}{tokens} tokens a problem)"


def _verdict(a: ComparedSide, b: ComparedSide, found: PairedDifference) -> str:
    problems = "1 problem" if found.problems == 1 else f"{found.problems:,} problems"
    level = f"{100 * found.level:g} %"
    interval = f"{points(found.low, 1)} to {points(found.high, 1)} at {level}"
    apart = found.low > 0 or found.high < 0
    if apart and found.p < 1 - found.level:
        better, worse = (a, b) if found.value > 0 else (b, a)
        gain = f"{100 * abs(found.value):.2f}"
        return f"{better.experiment} is better than {worse.experiment} by {gain} points on {problems} ({interval} for A − B; p {_equals(found.p)})."
    if apart or found.p < 1 - found.level:
        return (
            f"a difference of {points(found.value)} points on {problems} is on the border: the interval ({interval}) and "
            f"the sign-flip test (p {_equals(found.p)}) do not agree that there is one."
        )
    hint = f"; one below about {100 * found.detectable:.0f} points would often be missed" if found.detectable is not None else ""
    return f"no difference can be told with {problems}: A − B is {points(found.value)} points ({interval}; p {_equals(found.p)}){hint}."


def doubts(comparisons: Sequence[PairedComparison]) -> tuple[str, ...]:
    """What stands against believing the comparisons, each once."""
    found: dict[str, None] = {}
    for one in comparisons:
        if one.a is None or one.b is None:
            continue
        a, b = one.a, one.b
        if a.grader != b.grader:
            found[f"Graded differently ({a.grader} and {b.grader}): grade both again before believing this."] = None
        for side, only in ((a, one.only_a), (b, one.only_b)):
            if side.missing:
                found[f"{side.experiment} misses {side.missing:,} answers at t{side.iteration:02d}: those that are there are "
                      "of the problems that finished first."] = None  # fmt: skip
            if side.unsandboxed:
                found[f"Not to be trusted: the code of {side.unsandboxed:,} answers of {side.experiment} ran without a sandbox "
                      "and could have forged its verdicts."] = None  # fmt: skip
            if side.usage_unknown:
                found[f"Some calls of {side.experiment} have no known usage: its tokens are a lower bound."] = None
            if only:
                more = f" and {len(only) - _LISTED:,} more" if len(only) > _LISTED else ""
                found[f"Only in {side.experiment}, and not compared: {', '.join(only[:_LISTED])}{more}."] = None
    return (*found, *_choices(comparisons))


def _choices(comparisons: Sequence[PairedComparison]) -> tuple[str, ...]:
    """One sentence for all that compare the answers which one side chose with all answers of the other."""
    mixed = [one for one in comparisons if one.a is not None and one.b is not None and one.a.chosen != one.b.chosen]
    sides = [side for one in mixed for side in (one.a, one.b) if side is not None]
    chosen, whole = (", ".join(dict.fromkeys(side.experiment for side in sides if side.chosen is which)) for which in (True, False))
    return (f"Scores of the answers that were chosen: {chosen}; mean over all answers: {whole}.",) if mixed else ()
