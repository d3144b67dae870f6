"""The one plot of a study: Pass@1 against what is varied, or against tokens where only strategies differ.

One field varied: one panel, its values along the axis. Several, one at a time around a base: a panel each, with the base in
all. Several in all combinations: the values of the first along the axis, a line for each combination of the others.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tmas_assets.reports.drawing import PRINT, Picture, Theme, alone, look, picture, render, short
from tmas_assets.reports.study_rows import MemberRow, StudyReport
from tmas_assets.reports.token_curves import draw_curves, has_curves

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from tmas_assets.records import Score

_MANY_TIMES = 16
"""Values that lie so far apart, and all above 0, are drawn on a logarithmic axis."""


@dataclass(frozen=True)
class Line:
    name: str
    """Empty for the only line of a panel."""
    points: tuple[tuple[float, "Score"], ...]


@dataclass(frozen=True)
class Panel:
    axis: str
    ticks: tuple[str, ...] | None
    """Names of the places 0, 1, ... where the values are no numbers."""
    lines: tuple[Line, ...]


def study_png(report: StudyReport) -> bytes | None:
    """None where no member has a score."""
    drawn = _drawing(report)
    return render(drawn, (8.4, 4.2), PRINT, "png", f"{report.name}: Pass@1") if drawn else None


def study_picture(report: StudyReport) -> Picture | None:
    drawn = _drawing(report)
    alt = "Pass@1 of the members with intervals; the tables below have the figures"
    return picture(drawn, 4.4, alt) if drawn else None


def panels(report: StudyReport) -> tuple[Panel, ...]:
    """What is drawn, as values. Empty where only strategies differ, and where no member has a score."""
    scored = [member for member in report.members if _score(member) is not None]
    if not scored or not report.axes:
        return ()
    if report.each == "one at a time":
        return tuple(_panel(axis, [m for m in scored if _text(m, axis) is not None], report, ()) for axis in report.axes)
    along = next((axis for axis in report.axes if _numeric(axis, scored)), report.axes[0])
    return (_panel(along, scored, report, tuple(axis for axis in report.axes if axis != along)),)


def _panel(axis: str, members: Sequence[MemberRow], report: StudyReport, others: Sequence[str]) -> Panel:
    numeric = _numeric(axis, members)
    texts = tuple(dict.fromkeys(text for one in report.members if (text := _text(one, axis)) is not None))
    by_line: dict[str, list[tuple[float, Score]]] = {}
    for member in members:
        score, text = _score(member), _text(member, axis)
        assert score is not None
        assert text is not None
        name = ", ".join([*([member.variant] if member.variant else []), *(f"{one} {_text(member, one)}" for one in others)])
        number = next(point.number for point in member.points if point.axis == axis)
        at = number if numeric and number is not None else float(texts.index(text))
        by_line.setdefault(name, []).append((at, score))
    lines = tuple(Line(name, tuple(sorted(own, key=lambda one: one[0]))) for name, own in by_line.items())
    return Panel(axis, None if numeric else texts, lines)


def _score(member: MemberRow) -> "Score | None":
    score = member.standing.score if member.standing else None
    return score if score is not None and score.value is not None else None


def _text(member: MemberRow, axis: str) -> str | None:
    return next((point.text for point in member.points if point.axis == axis), None)


def _numeric(axis: str, members: Sequence[MemberRow]) -> bool:
    return all(point.number is not None for member in members for point in member.points if point.axis == axis)


def _drawing(report: StudyReport) -> Callable[["Figure", Theme], None] | None:
    if not report.axes:
        rows = [member.standing.model_copy(update={"experiment": member.label}) for member in report.members if member.standing]
        return alone(lambda axes, theme: draw_curves(axes, theme, rows)) if has_curves(rows) else None
    shown = panels(report)
    return (lambda figure, theme: _draw(figure, theme, shown)) if shown else None


def _draw(figure: "Figure", theme: Theme, shown: Sequence[Panel]) -> None:
    narrow = figure.get_size_inches()[0] < 5
    columns = min(len(shown), 2 if narrow else 4)
    rows = -(-len(shown) // columns)
    grid = figure.subplots(rows, columns, sharey=True, squeeze=False)
    tops = [score.high or score.value or 0.0 for panel in shown for line in panel.lines for _, score in line.points]
    for number, axes in enumerate(grid.flat):
        if number >= len(shown):
            axes.set_axis_off()
            continue
        _draw_panel(axes, theme, shown[number], first=number % columns == 0)
        axes.set_ylim(0, min(102.0, max(10.0, 108 * max(tops, default=1.0))))


def _draw_panel(axes: "Axes", theme: Theme, panel: Panel, *, first: bool) -> None:
    for number, line in enumerate(panel.lines):
        colour, marker = look(number)
        x, scores = [at for at, _ in line.points], [score for _, score in line.points]
        y = [100 * (score.value or 0.0) for score in scores]
        below = [value - 100 * (score.low or 0.0) for value, score in zip(y, scores, strict=True)]
        above = [100 * (score.high or 0.0) - value for value, score in zip(y, scores, strict=True)]
        axes.errorbar(
            x, y, yerr=[below, above], color=colour, elinewidth=0.9, capsize=2.5, linewidth=1.8 if panel.ticks is None else 0,
            marker=marker, markersize=5, label=short(line.name) or None,
        )  # fmt: skip
        axes.containers[-1][2][0].set_alpha(0.5)
    values = [at for line in panel.lines for at, _ in line.points]
    if panel.ticks is not None:
        axes.set_xticks(range(len(panel.ticks)), [short(tick) for tick in panel.ticks], rotation=0 if len(panel.ticks) < 5 else 30)
        axes.set_xlim(-0.5, len(panel.ticks) - 0.5)
    else:
        if min(values) > 0 and max(values) >= _MANY_TIMES * min(values):
            axes.set_xscale("log")
            axes.minorticks_off()
        known = sorted(set(values))
        axes.set_xticks(known, [f"{value:g}" for value in known])
    axes.set_xlabel(short(panel.axis))
    if first:
        axes.set_ylabel("Pass@1, %")
    axes.grid(axis="y", color=theme.grid, linewidth=0.8)
    if any(line.name for line in panel.lines):
        axes.legend(loc="lower left", bbox_to_anchor=(0, 1), ncols=2, frameon=False, labelcolor=theme.muted, borderaxespad=0.2)
