"""Pass@1 against tokens: one line an experiment over its iterations, with intervals. Leaves out the tables beside it."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from tmas_assets.reports.drawing import PRINT, Picture, Theme, alone, look, picture, render, short
from tmas_assets.reports.notation import short_count
from tmas_assets.reports.standing import CurvePoint, LeaderboardRow

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MOST_LINES = 12
"""More are drawn in grey and without a name."""
_NARROW = 6.0
"""Inches; below it names stand under each other."""


def token_curves_png(rows: Sequence[LeaderboardRow], title: str) -> bytes:
    return render(alone(lambda axes, theme: draw_curves(axes, theme, rows)), (8.4, 4.2), PRINT, "png", title)


def token_curves_picture(rows: Sequence[LeaderboardRow]) -> Picture:
    alt = "Pass@1 against tokens a problem, a line an experiment; the tables below have the figures"
    return picture(alone(lambda axes, theme: draw_curves(axes, theme, rows)), 4.6, alt)


def has_curves(rows: Sequence[LeaderboardRow]) -> bool:
    return any(_points(row) for row in rows)


def _points(row: LeaderboardRow) -> list[CurvePoint]:
    return [point for point in row.curve if point.tokens > 0]


def draw_curves(axes: "Axes", theme: Theme, rows: Sequence[LeaderboardRow]) -> None:
    from matplotlib.ticker import FuncFormatter

    there = [row for row in rows if _points(row)]
    for number, row in reversed(list(enumerate(there))):
        named = number < MOST_LINES
        colour, marker = look(number) if named else (theme.muted, "o")
        points = _points(row)
        x, y = [point.tokens for point in points], [100 * point.value for point in points]
        below = [100 * (point.value - (point.value if point.low is None else point.low)) for point in points]
        above = [100 * ((point.value if point.high is None else point.high) - point.value) for point in points]
        axes.errorbar(
            x, y, yerr=[below, above], color=colour, ecolor=colour, elinewidth=0.8, capsize=2, linewidth=1.8 if named else 0.9,
            marker=marker, markersize=4.5, alpha=1.0 if named else 0.45, label=short(row.experiment) if named else None,
            zorder=3 if named else 2,
        )  # fmt: skip
        axes.containers[-1][2][0].set_alpha(0.35)
    tops = [100 * (point.value if point.high is None else point.high) for row in there for point in _points(row)]
    axes.set_xscale("log")
    axes.set_ylim(0, min(102.0, max(10.0, 1.08 * max(tops, default=100.0))))
    axes.set_ylabel("Pass@1, %")
    axes.set_xlabel("tokens a problem, one run of the strategy up to each iteration")
    axes.xaxis.set_major_formatter(FuncFormatter(lambda tokens, _: short_count(tokens)))
    reach = [point.tokens for row in there for point in _points(row)]
    # one decade has a single major tick or none; then 2 and 5 are written as well
    within_decade = bool(reach) and max(reach) < 10 * min(reach)
    axes.xaxis.set_minor_formatter(
        FuncFormatter(lambda tokens, _: short_count(tokens) if within_decade and f"{tokens:e}"[0] in "25" else "")
    )
    axes.grid(axis="y", color=theme.grid, linewidth=0.8)
    handles, names = axes.get_legend_handles_labels()
    if handles:
        figure = axes.get_figure(root=True)
        columns = 1 if figure is not None and figure.get_size_inches()[0] < _NARROW else 3
        axes.legend(
            handles[::-1], names[::-1], loc="lower left", bbox_to_anchor=(0, 1.0), ncols=columns, frameon=False, labelcolor=theme.muted,
            borderaxespad=0.2,
        )  # fmt: skip
