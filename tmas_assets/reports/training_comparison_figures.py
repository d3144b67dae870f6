"""The picture of trainings side by side: reward, right answers in training and Pass@1 by iteration, a line a training.

Same figures, same bytes. Leaves out what the figures mean and their table (`training_comparison.py`).
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from tmas_assets.records import Score
from tmas_assets.reports.drawing import PRINT, Draw, Picture, Theme, look, picture, render, short

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_BASE_AT = -1
"""Place of the base model, before iteration 0."""


class CurveOf(NamedTuple):
    """A training's values by iteration, in any order. Iteration None is the base model."""

    training: str
    reward: tuple[tuple[int, float], ...]
    right: tuple[tuple[int, float], ...]
    """Share of graded samples in training."""
    scores: tuple[tuple[int | None, Score], ...]
    """Whose value is known."""


def comparison_png(curves: Sequence[CurveOf], title: str, *, comparable: bool) -> bytes | None:
    """None where there is nothing to draw. `comparable`: whether the rewards are of one reward set; the picture says it where not."""
    drawn = drawing(curves, comparable=comparable)
    return render(drawn, (9.6, 3.4), PRINT, "png", title) if drawn else None


def comparison_picture(curves: Sequence[CurveOf], *, comparable: bool) -> Picture | None:
    drawn = drawing(curves, comparable=comparable)
    alt = "Reward, right answers in training and Pass@1 by training iteration, a line a training; the table below has the figures"
    if drawn is None:
        return None
    # On a phone the panels stand under each other and need the height.
    wide, tall = picture(drawn, 3.4, alt), picture(drawn, 6.6, alt)
    return replace(wide, narrow_light=tall.narrow_light, narrow_dark=tall.narrow_dark)


def drawing(curves: Sequence[CurveOf], *, comparable: bool) -> Draw | None:
    """A panel for each kind of figure that there is, beside each other or, on a narrow figure, under each other."""
    scale = "" if comparable else "\n(other rewards: lines do not compare)"
    panels: list[tuple[str, Callable[[Axes, CurveOf, int], None]]] = []
    if any(one.reward for one in curves):
        panels.append((f"mean reward in training{scale}", lambda axes, one, line: _line(axes, one.reward, line, 1)))
    if any(one.right for one in curves):
        panels.append(("right in training, %", lambda axes, one, line: _line(axes, one.right, line, 100)))
    if any(one.scores for one in curves):
        panels.append(("Pass@1, %", lambda axes, one, line: _scores(axes, one.scores, line, len(curves))))
    if not panels:
        return None
    places = sorted({_place(at) for one in curves for at, _ in (*one.reward, *one.right, *one.scores)})

    def draw(figure: "Figure", theme: Theme) -> None:
        narrow = figure.get_size_inches()[0] < 5
        grid = figure.subplots(len(panels), 1, squeeze=False).flat if narrow else figure.subplots(1, len(panels), squeeze=False).flat
        for axes, (title, drawn) in zip(grid, panels, strict=True):
            for line, one in enumerate(curves):
                drawn(axes, one, line)
            _frame(axes, theme, title, places, narrow=narrow)
        if any(one.scores for one in curves):
            axes.set_ylim(0, min(102.0, max(10.0, 1.08 * axes.dataLim.ymax)))
        _legend(figure, theme, curves)

    return draw


def _place(iteration: int | None) -> int:
    return _BASE_AT if iteration is None else iteration


def _line(axes: "Axes", values: Sequence[tuple[int, float]], line: int, scale: int) -> None:
    colour, marker = look(line)
    at = dict(values)
    # Every iteration between the first and the last has a place, so that a missing one is a gap and not a line.
    span = range(min(at, default=0), max(at, default=-1) + 1)
    axes.plot(span, [scale * at.get(t, float("nan")) for t in span], color=colour, marker=marker, markersize=4.5, linewidth=1.8)


def _scores(axes: "Axes", scores: Sequence[tuple[int | None, Score]], line: int, lines: int) -> None:
    colour, marker = look(line)
    at = {_place(iteration): score for iteration, score in scores}
    # A little beside each other: intervals of two trainings at one iteration would hide each other.
    aside = 0.06 * (line - (lines - 1) / 2)
    span = range(min(at, default=0), max(at, default=-1) + 1)
    axes.plot([t + aside for t in span], [100 * _value(at[t]) if t in at else float("nan") for t in span], color=colour, linewidth=1.8)
    there = sorted(at)
    y = [100 * _value(at[t]) for t in there]
    below = [value - 100 * (value / 100 if at[t].low is None else at[t].low or 0.0) for t, value in zip(there, y, strict=True)]
    above = [100 * (value / 100 if at[t].high is None else at[t].high or 0.0) - value for t, value in zip(there, y, strict=True)]
    axes.errorbar(
        [t + aside for t in there], y, yerr=[below, above], color=colour, linewidth=0, elinewidth=0.9, capsize=2.5, marker=marker,
        markersize=4.5,
    )  # fmt: skip


def _value(score: Score) -> float:
    assert score.value is not None
    return score.value


def _frame(axes: "Axes", theme: Theme, title: str, places: Sequence[int], *, narrow: bool) -> None:
    most = 6 if narrow or len(places) > 8 else 8
    shown = places[:: -(-len(places) // most)]
    axes.set_xticks(shown, ["base" if t == _BASE_AT else f"t{t:02d}" for t in shown])
    axes.set_xlim(places[0] - 0.4, places[-1] + 0.4)
    axes.set_title(title, fontsize=8 if narrow else 9, loc="left", color=theme.muted)
    axes.tick_params(labelsize=8)
    axes.grid(axis="y", color=theme.grid, linewidth=0.8)


def _legend(figure: "Figure", theme: Theme, curves: Sequence[CurveOf]) -> None:
    from matplotlib.lines import Line2D

    handles = [
        Line2D([], [], color=look(line)[0], marker=look(line)[1], markersize=4.5, linewidth=1.8, label=short(one.training))
        for line, one in enumerate(curves)
    ]
    columns = 1 if figure.get_size_inches()[0] < 5 else 3
    figure.legend(handles=handles, loc="outside lower left", ncols=columns, frameon=False, labelcolor=theme.muted)
