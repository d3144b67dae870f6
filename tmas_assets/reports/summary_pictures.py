"""The pictures of a summary as small PNGs, for the metadata of its materialization: the same that its page shows.

Leaves out Pass@1 by iteration and by tokens, which `figures.py` and `token_curves.py` draw.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from tmas_assets.records import RoleTokens
from tmas_assets.reports.drawing import PRINT, Theme, alone, render, short
from tmas_assets.reports.figures import draw_memory, draw_tokens, token_roles
from tmas_assets.reports.report_rows import BankSize, ProblemRow

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_MOST_NAMED, _MOST_WRITTEN = 60, 240
"""Problems that are named beside their rows, and cells that hold their number; beyond, colours alone speak."""
_ROW, _LOW_ROW, _LOWEST_ROW = 0.22, 0.15, 0.06
"""Inches of a row with a number, with a name alone, and with neither."""


def heat_map_png(problems: Sequence[ProblemRow]) -> bytes | None:
    """Share of right answers, problem by iteration; None where no answer is graded."""
    iterations = sorted({cell.iteration for row in problems for cell in row.cells if cell.answers})
    if not iterations:
        return None
    written = len(problems) * len(iterations) <= _MOST_WRITTEN
    row = _ROW if written else _LOW_ROW if len(problems) <= _MOST_NAMED else _LOWEST_ROW
    height = 1.2 + min(9.0, row * len(problems))
    width = min(9.0, 3.2 + 0.4 * len(iterations))
    return render(
        alone(lambda axes, theme: _draw_heat(axes, theme, problems, iterations)), (width, height), PRINT, "png", "Right answers by problem and iteration",
    )  # fmt: skip


def memory_png(sizes: Sequence[BankSize]) -> bytes | None:
    """Live lines a bank by iteration, mean over problems and repeats; None without banks."""
    if not any(size.live for size in sizes):
        return None
    return render(alone(lambda axes, theme: draw_memory(axes, theme, sizes)), (5.6, 2.6), PRINT, "png", "Live lines of a memory bank")


def tokens_png(scratch: Sequence[RoleTokens], paid: Sequence[RoleTokens]) -> bytes | None:
    """Tokens by role, from scratch and paid; None where there are none."""
    if not (scratch or paid):
        return None
    height = 1.2 + 0.45 * len(token_roles(scratch, paid))
    return render(alone(lambda axes, theme: draw_tokens(axes, theme, scratch, paid)), (7.2, height), PRINT, "png")


def _draw_heat(axes: "Axes", theme: Theme, problems: Sequence[ProblemRow], iterations: Sequence[int]) -> None:
    from matplotlib.colors import LinearSegmentedColormap
    from matplotlib.ticker import FuncFormatter

    share = [_shares(row, iterations) for row in problems]
    colours = LinearSegmentedColormap.from_list("right", [theme.grid, "#8fc7bf", theme.accent, "#063f3a"]).with_extremes(bad="#ffffff")
    drawn = axes.imshow(share, aspect="auto", cmap=colours, vmin=0, vmax=1, interpolation="nearest")
    axes.set_xticks(range(len(iterations)), [str(t) for t in iterations])
    axes.xaxis.tick_top()
    axes.tick_params(length=0, labelsize=8)
    if len(problems) <= _MOST_NAMED:
        axes.set_yticks(range(len(problems)), [short(row.problem) for row in problems])
        axes.tick_params(axis="y", labelsize=8 if len(problems) <= 20 else 6)
    else:
        axes.set_ylabel(f"{len(problems)} problems")
    if len(problems) * len(iterations) <= _MOST_WRITTEN:
        _write_numbers(axes, theme, problems, iterations)
    for side in axes.spines.values():
        side.set_visible(False)
    figure = axes.get_figure(root=True)
    if figure is not None:
        bar = figure.colorbar(drawn, ax=axes, shrink=min(1.0, 12 / max(1, len(problems)) + 0.3), pad=0.02)
        bar.ax.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{100 * value:.0f} %"))
        bar.ax.tick_params(labelsize=8, length=0)
        bar.outline.set_visible(False)


def _shares(row: ProblemRow, iterations: Sequence[int]) -> list[float]:
    """NaN where nothing is graded."""
    at = {cell.iteration: cell.right / cell.answers for cell in row.cells if cell.answers}
    return [at.get(t, float("nan")) for t in iterations]


def _write_numbers(axes: "Axes", theme: Theme, problems: Sequence[ProblemRow], iterations: Sequence[int]) -> None:
    for y, row in enumerate(problems):
        for cell in row.cells:
            if cell.answers and cell.iteration in iterations:
                dark = cell.right > 0.55 * cell.answers
                place = (iterations.index(cell.iteration), y)
                axes.text(*place, str(cell.right), ha="center", va="center", fontsize=7, color="#ffffff" if dark else theme.ink)
