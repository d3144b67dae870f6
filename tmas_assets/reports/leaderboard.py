"""All experiments side by side: tables, a Markdown text for run metadata, a page. Leaves out gathering and comparing them.

Scores of different benchmarks or releases are not comparable, so every table holds one release of one benchmark.
"""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from itertools import groupby

from tmas_assets.records import Record
from tmas_assets.reports import notation
from tmas_assets.reports.page import render_page
from tmas_assets.reports.paired_table import MEANING, PairedTable, paired_markdown
from tmas_assets.reports.standing import CHECKPOINT, LeaderboardRow
from tmas_assets.reports.token_curves import has_curves, token_curves_picture


class LeaderboardTable(Record):
    """The rows of one release of one benchmark, best first."""

    benchmark: str
    release: str
    rows: tuple[LeaderboardRow, ...]
    paired: tuple[PairedTable, ...] = ()
    """One a model: its experiments against the best of them. One a way of measuring that several models went through: against
    the model that nobody trained here."""


def leaderboard(rows: Iterable[LeaderboardRow]) -> tuple[LeaderboardTable, ...]:
    """Tables by benchmark and release; in each, whole scores by value, then partial ones, then none, then by name."""

    def rank(row: LeaderboardRow) -> tuple[int, float, str]:
        if row.score is None or row.score.value is None:
            return (2, 0.0, row.experiment)
        return (1 if row.score.missing else 0, -row.score.value, row.experiment)

    def place(row: LeaderboardRow) -> tuple[str, str]:
        return (row.benchmark, row.release)

    return tuple(
        LeaderboardTable(benchmark=benchmark, release=release, rows=tuple(sorted(own, key=rank)))
        for (benchmark, release), own in groupby(sorted(rows, key=place), key=place)
    )


def rivals(table: LeaderboardTable, alike: Mapping[str, str] | None = None) -> tuple[tuple[LeaderboardRow, ...], ...]:
    """Scored rows that are compared with the first of them: of each model, best first; then of each way of measuring, the base
    model first, where it measured several models. `alike`: by experiment, what it is but for its models."""
    by_model: dict[str, list[LeaderboardRow]] = {}
    by_way: dict[str, list[LeaderboardRow]] = {}
    for row in table.rows:
        if row.score is not None and row.score.answers:
            by_model.setdefault(row.identity, []).append(row)
            if alike and row.experiment in alike:
                by_way.setdefault(alike[row.experiment], []).append(row)
    ways = (sorted(own, key=is_trained) for own in by_way.values() if len({row.identity for row in own}) > 1)
    return tuple(tuple(own) for own in [*by_model.values(), *ways] if len(own) > 1)


def is_trained(row: LeaderboardRow) -> bool:
    """Whether a checkpoint of a training run here is among its models."""
    return any(CHECKPOINT.fullmatch(model) for model in row.model.split(", "))


def leaderboard_markdown(tables: Sequence[LeaderboardTable]) -> str:
    """One heading and its GitHub tables a benchmark release; the text of every cell is escaped."""
    if not tables:
        return "No experiment has a summary yet."
    cell = notation.markdown_cell
    lines: list[str] = []
    for table in tables:
        lines += [
            f"### {cell(table.benchmark)} {cell(table.release)}",
            "",
            "| experiment | strategy | model | iteration | Pass@1, % | interval | maj@n, % | problems × answers | missing "
            "| calls a problem | tokens a problem | tokens from scratch | tokens paid |",
            "|---|---|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|",
        ]
        lines += [f"| {' | '.join(_cells(row))} |" for row in table.rows]
        warnings = [notation.untrusted(row.score) for row in table.rows if row.score]
        lines += ["", *(f"**{cell(warning)}**\n" for warning in warnings if warning)]
        for paired in table.paired:
            lines += [paired_markdown(paired), ""]
    if any(table.paired for table in tables):
        lines.append(notation.markdown_cell(MEANING))
    return "\n".join(lines)


def leaderboard_page(tables: Sequence[LeaderboardTable], generated_at: datetime | None = None) -> str:
    """The same as one self-contained page; an absent time leaves the same bytes for the same rows."""
    curves = [token_curves_picture(table.rows) if has_curves(table.rows) else None for table in tables]
    return render_page(
        "leaderboard.html.jinja",
        tables=list(zip(tables, curves, strict=True)),
        meaning=MEANING,
        generated_at=generated_at,
    )


def _cells(row: LeaderboardRow) -> tuple[str, ...]:
    score = row.score
    figures = (
        (notation.ABSENT,) * 6
        if score is None
        else (
            str(score.iteration),
            notation.percent(score.value),
            notation.bounds(score),
            notation.percent(row.majority.value if row.majority else None),
            notation.per_problem(score),
            notation.count(score.missing),
        )
    )
    spent = (notation.ABSENT,) * 2 if row.end is None else (notation.short_count(row.end.calls), notation.tokens_spent(row.end))
    tokens = (notation.tokens_known(notation.total_tokens(side)) for side in (row.tokens_scratch, row.tokens_paid))
    return (*(notation.markdown_cell(text) for text in (row.experiment, row.strategy, row.model)), *figures, *spent, *tokens)
