"""The curves of one training run as a picture: reward and its parts, loss, KL, lengths, speed over optimizer steps.

Same figures, same bytes. Leaves out which values are drawn (`training_curves_values.py`).
"""

import io
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from tmas_assets.records import StepFigures
from tmas_assets.reports.drawing import PRINT, Theme, look, render, short
from tmas_assets.reports.notation import short_count
from tmas_assets.reports.training_curves_values import Border, Curve, CurvePanel, Point, borders, curve_panels, in_order

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_ROW_INCHES = 2.0
_MOST_BORDERS = 10
_COLOURS = 64


def training_curves_png(name: str, figures: Iterable[StepFigures]) -> bytes | None:
    """All panels that have data, over the whole run; None where no step has any."""
    ordered = in_order(figures)
    shown = curve_panels(ordered)
    if not shown:
        return None
    columns = 1 if len(shown) == 1 else 2 if len(shown) <= 4 else 3
    rows = -(-len(shown) // columns)
    starts = borders(ordered)
    size = 3.3 * columns + 0.4, _ROW_INCHES * rows + 0.4
    title = f"{short(name)}: training by optimizer step"
    return _fewer_colours(render(lambda figure, theme: _draw(figure, theme, shown, starts, columns), size, PRINT, "png", title))


def _fewer_colours(png: bytes) -> bytes:
    """A third of the bytes: nine panels would be too much for metadata of every step that a run shows."""
    from PIL import Image

    out = io.BytesIO()
    Image.open(io.BytesIO(png)).convert("RGB").quantize(_COLOURS).save(out, "PNG", optimize=True)
    return out.getvalue()


def _draw(figure: "Figure", theme: Theme, shown: Sequence[CurvePanel], starts: Sequence[Border], columns: int) -> None:
    grid = figure.subplots(-(-len(shown) // columns), columns, squeeze=False)
    for number, axes in enumerate(grid.flat):
        if number >= len(shown):
            axes.set_axis_off()
            continue
        _draw_panel(axes, theme, shown[number])
        _draw_borders(axes, theme, starts, named=number < columns)
        if number + columns >= len(shown):
            axes.set_xlabel("step", fontsize=8)


def _draw_panel(axes: "Axes", theme: Theme, panel: CurvePanel) -> None:
    from matplotlib.ticker import FuncFormatter, MaxNLocator

    for number, curve in enumerate(panel.curves):
        _draw_curve(axes, curve, look(number)[0], faint=number > 0)
    axes.set_title(panel.title, fontsize=9, loc="left", color=theme.muted, pad=12)
    axes.tick_params(labelsize=8)
    axes.xaxis.set_major_locator(MaxNLocator(integer=True, nbins=6, min_n_ticks=1))
    axes.yaxis.set_major_locator(MaxNLocator(nbins=5))
    if max(abs(point.high) for curve in panel.curves for point in curve.points if point is not None) >= 1000:
        axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: short_count(value)))
    axes.grid(axis="y", color=theme.grid, linewidth=0.8)
    if any(curve.name for curve in panel.curves):
        axes.legend(
            loc="best", facecolor=theme.card, edgecolor="none", framealpha=0.75, labelcolor=theme.muted, fontsize=7, borderaxespad=0.1,
            handlelength=1.2,
        )  # fmt: skip


def _draw_curve(axes: "Axes", curve: Curve, colour: str, *, faint: bool) -> None:
    gap = Point(float("nan"), float("nan"), float("nan"), float("nan"))
    points = [point or gap for point in curve.points]
    steps, values = [point.step for point in points], [point.value for point in points]
    if any(point.low < point.high for point in points):
        axes.fill_between(steps, [p.low for p in points], [p.high for p in points], color=colour, alpha=0.12, linewidth=0)
    axes.plot(steps, values, color=colour, linewidth=1.0 if faint else 1.5, label=short(curve.name) or None)
    there = [None, *curve.points, None]
    # A value between two gaps would be a line of no length.
    lone = [one for before, one, after in zip(there, there[1:], there[2:], strict=False) if one and before is None and after is None]
    axes.plot([point.step for point in lone], [point.value for point in lone], "o", markersize=3, color=colour)


def _draw_borders(axes: "Axes", theme: Theme, starts: Sequence[Border], *, named: bool) -> None:
    if len(starts) < 2:
        return
    for border in starts[:: -(-len(starts) // _MOST_BORDERS)]:
        axes.axvline(border.at, color=theme.muted, linewidth=0.6, alpha=0.5, linestyle=(0, (4, 3)), zorder=0)
        if named:
            axes.annotate(
                f"t{border.iteration:02d}", (border.at, 1), (1, 1), xycoords=("data", "axes fraction"), textcoords="offset points",
                fontsize=7, color=theme.muted, va="bottom", annotation_clip=False,
            )  # fmt: skip
