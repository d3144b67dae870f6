"""All experiments side by side: rows, a Markdown table for run metadata, a page. Leaves out gathering them.

Scores of different benchmarks or releases are not comparable, so every table holds one release of one benchmark.
"""

from collections.abc import Iterable, Sequence
from datetime import datetime
from itertools import groupby
from typing import ClassVar

from tmas_assets.records import Figure, Record, RoleTokens, Score
from tmas_assets.reports import notation
from tmas_assets.reports.experiment_report import ExperimentReport
from tmas_assets.reports.page import render_page
from tmas_assets.statistics import headline


class LeaderboardRow(Record):
    SCHEMA_VERSION: ClassVar[int] = 2
    experiment: str
    benchmark: str
    release: str
    strategy: str
    model: str
    """Every model the experiment used, as one text."""
    score: Score | None
    """Of the last whole iteration, see `statistics.headline`; None before the first graded answer."""
    majority: Figure | None
    """maj@k of the same iteration at the largest k that is asked for."""
    tokens_scratch: tuple[RoleTokens, ...]
    """Over all iterations, what getting to this score takes without any reuse."""
    tokens_paid: tuple[RoleTokens, ...]


class LeaderboardTable(Record):
    """The rows of one release of one benchmark, best first."""

    benchmark: str
    release: str
    rows: tuple[LeaderboardRow, ...]


def leaderboard_row(report: ExperimentReport) -> LeaderboardRow:
    score = headline(report.scores)
    votes = [one for one in report.figures if score and one.iteration == score.iteration and one.metric == "maj@k"]
    return LeaderboardRow(
        experiment=report.name,
        benchmark=report.benchmark,
        release=report.release,
        strategy=report.strategy,
        model=", ".join(dict.fromkeys(used.model for used in report.models)),
        score=score,
        majority=max(votes, key=lambda one: one.k, default=None),
        tokens_scratch=report.tokens_scratch,
        tokens_paid=report.tokens_paid,
    )


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


def leaderboard_markdown(tables: Sequence[LeaderboardTable]) -> str:
    """One heading and one GitHub table a benchmark release; the text of every cell is escaped."""
    if not tables:
        return "No experiment has a summary yet."
    cell = notation.markdown_cell
    lines: list[str] = []
    for table in tables:
        lines += [
            f"### {cell(table.benchmark)} {cell(table.release)}",
            "",
            "| experiment | strategy | model | iteration | Pass@1, % | interval | maj@n, % | problems × answers | missing "
            "| tokens from scratch | tokens paid |",
            "|---|---|---|--:|--:|--:|--:|--:|--:|--:|--:|",
        ]
        lines += [f"| {' | '.join(_cells(row))} |" for row in table.rows]
        warnings = [notation.untrusted(row.score) for row in table.rows if row.score]
        lines += ["", *(f"**{cell(warning)}**\n" for warning in warnings if warning)]
    return "\n".join(lines)


def leaderboard_page(tables: Sequence[LeaderboardTable], generated_at: datetime | None = None) -> str:
    """The same as one self-contained page; an absent time leaves the same bytes for the same rows."""
    return render_page("leaderboard.html.jinja", tables=tables, generated_at=generated_at)


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
    tokens = (notation.tokens_known(notation.total_tokens(side)) for side in (row.tokens_scratch, row.tokens_paid))
    return (*(notation.markdown_cell(text) for text in (row.experiment, row.strategy, row.model)), *figures, *tokens)
