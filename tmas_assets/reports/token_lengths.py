"""Histograms of how long the texts of a data set are, a small one a group on one axis. Same lengths, same bytes.

PNG, for run metadata and for the data card. Leaves out the lengths themselves (`length_panels.py`).
"""

from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING

from tmas_assets.reports.drawing import PRINT, Theme, render, short
from tmas_assets.reports.length_panels import LengthPanel, Lengths, ranked
from tmas_assets.reports.markdown_parts import one_line
from tmas_assets.reports.notation import count, short_count

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

MOST_GROUPS = 8
"""Histograms under each other; the smallest groups beyond are drawn as one."""
BINS = 36
_WIDE = 40
"""From this ratio of the longest to the shortest the axis is logarithmic."""


def lengths_png(panels: Sequence[LengthPanel], title: str = "") -> bytes:
    """One column a panel, one histogram a group. Also without a single known length: it says so."""
    drawn = [panel._replace(groups=_fewer(panel.groups)) for panel in panels]
    rows = max((len(panel.groups) for panel in drawn), default=0)
    size = (max(1, len(drawn)) * 4.3, 0.9 + 0.85 * max(1, rows))

    def draw(figure: "Figure", theme: Theme) -> None:
        axes = figure.subplots(max(1, rows), max(1, len(drawn)), squeeze=False)
        for one in axes.flat:
            one.set_axis_off()
        if not drawn or not rows:
            axes[0, 0].text(0.5, 0.5, "no text", ha="center", va="center", color=theme.muted)
        for column, panel in enumerate(drawn):
            _draw_panel([axes[row, column] for row in range(len(panel.groups))], theme, panel)

    return render(draw, size, PRINT, "png", short(one_line(title, 200)) if title else "")


def bin_edges(values: Sequence[int]) -> tuple[float, ...]:
    """Edges of at most BINS bins around all values; of equal ratio where they differ by a lot, else whole numbers apart."""
    low, high = min(values), max(values)
    if logarithmic(values):
        start, ratio = max(1, low), ((high + 1) / max(1, low)) ** (1 / BINS)
        return (*(start * ratio**i for i in range(BINS)), float(high + 1))
    step = -(-(high + 1 - low) // BINS)
    return tuple(float(low + step * i) for i in range(-(-(high + 1 - low) // step) + 1))


def logarithmic(values: Sequence[int]) -> bool:
    return max(values) >= _WIDE * max(1, min(values))


def in_bins(values: Sequence[int], edges: Sequence[float]) -> tuple[int, ...]:
    """How many of `values` lie in each bin; one below the first edge (a length of 0 on a logarithmic axis) counts in the first."""
    counts = [0] * (len(edges) - 1)
    at = 0
    for value in sorted(values):
        while at < len(counts) - 1 and value >= edges[at + 1]:
            at += 1
        counts[at] += 1
    return tuple(counts)


def _fewer(groups: tuple[Lengths, ...]) -> tuple[Lengths, ...]:
    if len(groups) <= MOST_GROUPS:
        return groups
    largest = sorted(range(len(groups)), key=lambda at: (-len(groups[at].values), at))[: MOST_GROUPS - 1]
    rest = [group for at, group in enumerate(groups) if at not in largest]
    other = Lengths(f"{len(rest)} others", tuple(v for group in rest for v in group.values), sum(group.unknown for group in rest))
    return (*(groups[at] for at in sorted(largest)), other)


def _draw_panel(axes: "Sequence[Axes]", theme: Theme, panel: LengthPanel) -> None:
    every = [value for group in panel.groups for value in group.values]
    edges = bin_edges(every) if every else (0.0, 1.0)
    for one, group in zip(axes, panel.groups, strict=True):
        one.set_axis_on()
        one.spines["left"].set_visible(False)
        one.set_yticks([])
        one.set_title(_said(group), loc="left", fontsize=8.5, color=theme.ink, pad=2)
        if every and logarithmic(every):
            one.set_xscale("log")
        one.set_xlim(edges[0], edges[-1])
        one.tick_params(axis="x", which="both", labelbottom=False, bottom=False)
        if group.values:
            counts = in_bins(group.values, edges)
            one.bar(edges[:-1], counts, [right - left for left, right in pairwise(edges)], align="edge", color=theme.accent)
            one.axvline(ranked(sorted(group.values), 0.5), color=theme.second, linewidth=1.4)
    if axes:
        _label(axes[-1], panel.unit, bool(every))


def _label(axes: "Axes", unit: str, known: bool) -> None:
    from matplotlib.ticker import FuncFormatter, NullFormatter

    axes.set_xlabel(unit, fontsize=9)
    if known:
        axes.tick_params(axis="x", labelbottom=True, labelsize=8.5)
        axes.xaxis.set_major_formatter(FuncFormatter(lambda tokens, _: short_count(tokens)))
        axes.xaxis.set_minor_formatter(NullFormatter())


def _said(group: Lengths) -> str:
    name = short(one_line(group.group, 100))
    unknown = f", {count(group.unknown)} unknown" if group.unknown else ""
    if not group.values:
        return f"{name}: no length known{unknown}"
    ordered = sorted(group.values)
    return f"{name}: {count(len(ordered))}{unknown}, median {short_count(ranked(ordered, 0.5))}, most {short_count(ordered[-1])}"
