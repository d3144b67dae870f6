"""Figures as bytes: Pass@1 over iterations, tokens by role, memory growth. Same input, same bytes.

PNG goes inline into run metadata and so is kept small; SVG, light and dark, goes into the pages. Leaves out how they are
rendered (`drawing.py`), and tables and the heat map, which are HTML.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from tmas_assets.records import RoleTokens, Score
from tmas_assets.reports.drawing import PRINT, Picture, Theme, alone, data_uri, picture, render
from tmas_assets.reports.notation import short_count, total_tokens
from tmas_assets.reports.report_rows import BankSize
from tmas_assets.statistics import role_order

if TYPE_CHECKING:
    from matplotlib.axes import Axes

LONGEST_ROLE = 24
"""Letters of a role's name beside its bar; a longer one would leave the bars no room."""


def pass_at_1_png(scores: Sequence[Score]) -> bytes:
    """Pass@1 over iterations with its interval band. Raises ValueError unless all are of one experiment."""
    ordered = _one_experiment(scores)
    first = ordered[0]
    title = f"{first.experiment}: Pass@1 by iteration, {first.benchmark} {first.release}"
    return render(alone(lambda axes, theme: _draw_pass_at_1(axes, theme, ordered)), (7.2, 3.4), PRINT, "png", title)


def pass_at_1_picture(scores: Sequence[Score]) -> Picture:
    ordered = _one_experiment(scores)
    alt = "Pass@1 over iterations with the interval over problems; the table below has the figures"
    return picture(alone(lambda axes, theme: _draw_pass_at_1(axes, theme, ordered)), 3.3, alt)


def tokens_picture(scratch: Sequence[RoleTokens], paid: Sequence[RoleTokens]) -> Picture:
    height = 0.9 + 0.5 * len(token_roles(scratch, paid))
    alt = "Tokens by role, from scratch and paid; the table below has the figures"
    return picture(alone(lambda axes, theme: draw_tokens(axes, theme, scratch, paid)), height, alt)


def memory_picture(sizes: Sequence[BankSize]) -> Picture:
    alt = "Live entries per memory bank over iterations; the table below has the figures"
    return picture(alone(lambda axes, theme: draw_memory(axes, theme, sizes)), 2.5, alt, wide=4.8)


def curve_markdown(png: bytes, alt: str = "Pass@1 by iteration") -> str:
    """The picture as inline Markdown, as the Dagster UI renders it from a metadata value."""
    return f"![{alt}]({data_uri(png, 'image/png')})"


def _one_experiment(scores: Sequence[Score]) -> list[Score]:
    of = {(score.experiment, score.benchmark, score.release) for score in scores}
    if len(of) != 1:
        raise ValueError(f"figure of Pass@1: needs scores of one experiment, found {sorted(of)}; draw one at a time")
    ordered = sorted(scores, key=lambda score: score.iteration)
    iterations = [score.iteration for score in ordered]
    if len(set(iterations)) != len(iterations):
        raise ValueError(f"figure of Pass@1 of {ordered[0].experiment}: two scores of one iteration in {iterations}")
    return ordered


def _draw_pass_at_1(axes: "Axes", theme: Theme, scores: Sequence[Score]) -> None:
    from matplotlib.ticker import MaxNLocator

    gap = float("nan")
    known = [score for score in scores if score.value is not None]
    # Every iteration between the first and the last has a place, so that a missing one is a gap and not a line.
    at = {score.iteration: score for score in known}
    span = range(min(at, default=0), max(at, default=0) + 1)
    value = [100 * at[t].value if t in at else gap for t in span]  # type: ignore[operator]
    low = [100 * (at[t].low or 0.0) if t in at else gap for t in span]
    high = [100 * (at[t].high or 0.0) if t in at else gap for t in span]
    axes.fill_between(span, low, high, color=theme.accent, alpha=0.16, linewidth=0)
    lone = [i for i, t in enumerate(span) if t in at and t - 1 not in at and t + 1 not in at]
    axes.vlines([span[i] for i in lone], [low[i] for i in lone], [high[i] for i in lone], color=theme.accent, alpha=0.5)
    axes.plot(span, value, color=theme.accent, linewidth=2)
    partial = [score for score in known if score.missing or score.left_out]
    for some, face in ((known, theme.accent), (partial, theme.card)):
        place = [score.iteration for score in some], [100 * (score.value or 0.0) for score in some]
        axes.plot(*place, "o", markersize=4.5, color=theme.accent, markerfacecolor=face, zorder=3)
    if partial:
        axes.lines[-1].set_label("answers missing")
        axes.legend(loc="lower left", frameon=False, labelcolor=theme.muted)
    top = max((one for one in high if one == one), default=100.0)
    axes.set_ylim(0, min(100.0, max(10.0, 1.08 * top)))
    axes.set_xlim(span[0] - 0.4, span[-1] + 0.4)
    axes.set_ylabel("Pass@1, %")
    axes.set_xlabel("iteration")
    axes.xaxis.set_major_locator(MaxNLocator(integer=True, nbins=12, min_n_ticks=1))
    axes.grid(axis="y", color=theme.grid, linewidth=0.8)


def token_roles(*rows: Sequence[RoleTokens]) -> list[str]:
    return sorted({row.role for some in rows for row in some}, key=role_order)


def draw_tokens(axes: "Axes", theme: Theme, scratch: Sequence[RoleTokens], paid: Sequence[RoleTokens]) -> None:
    from matplotlib.ticker import FuncFormatter, MaxNLocator

    roles = token_roles(scratch, paid)
    for rows, offset, height, alpha, said in ((scratch, -0.14, 0.36, 1.0, ""), (paid, 0.2, 0.14, 0.55, ", paid")):
        by_role = {role: total_tokens(row for row in rows if row.role == role) for role in roles}
        place = [i + offset for i in range(len(roles))]
        prompt = [by_role[role].prompt_tokens for role in roles]
        completion = [by_role[role].completion_tokens for role in roles]
        if rows:
            axes.barh(place, prompt, height, color=theme.second, alpha=alpha, label=f"prompt{said}")
            axes.barh(
                place, completion, height, left=prompt, color=theme.accent, alpha=alpha, label=f"completion{said}"
            )
    short = [role if len(role) <= LONGEST_ROLE else f"{role[: LONGEST_ROLE - 1]}…" for role in roles]
    axes.set_yticks(range(len(roles)), short)
    axes.invert_yaxis()
    axes.set_xlabel("tokens")
    axes.xaxis.set_major_formatter(FuncFormatter(lambda tokens, _: short_count(tokens)))
    axes.xaxis.set_major_locator(MaxNLocator(nbins=5))
    axes.grid(axis="x", color=theme.grid, linewidth=0.8)
    axes.legend(
        loc="lower left", bbox_to_anchor=(0, 1), ncols=2, frameon=False, labelcolor=theme.muted, borderaxespad=0.2
    )


def draw_memory(axes: "Axes", theme: Theme, sizes: Sequence[BankSize]) -> None:
    from matplotlib.ticker import MaxNLocator

    for bank, color in (("experience", theme.accent), ("guideline", theme.second)):
        own = sorted((size for size in sizes if size.bank == bank), key=lambda size: size.iteration)
        if own:
            mean = [size.live / size.snapshots for size in own]
            axes.plot([size.iteration for size in own], mean, color=color, linewidth=2, marker="o", markersize=3.5)
            axes.annotate(
                bank, (own[-1].iteration, mean[-1]), (6, 0), textcoords="offset points", color=color, va="center"
            )
    axes.set_ylim(bottom=0)
    axes.set_ylabel("live entries")
    axes.set_xlabel("iteration")
    axes.xaxis.set_major_locator(MaxNLocator(integer=True, nbins=12, min_n_ticks=1))
    axes.grid(axis="y", color=theme.grid, linewidth=0.8)
