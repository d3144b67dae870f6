"""One experiment as a page: the record of what it shows, and the static HTML made of it.

The page needs nothing but itself (no script, no network). Leaves out gathering the rows: an asset does that.
"""

from collections.abc import Sequence
from datetime import datetime

from tmas_assets.records import Figure, Record, RoleTokens, Score
from tmas_assets.reports.figure_table import figure_table, of_iteration
from tmas_assets.reports.figures import memory_picture, pass_at_1_picture, tokens_picture
from tmas_assets.reports.heat_map import heat_map
from tmas_assets.reports.page import render_page
from tmas_assets.reports.report_rows import (
    BankSize,
    InputDigest,
    ModelUse,
    ParseErrors,
    ProblemCell,
    ProblemRow,
    Setting,
)
from tmas_assets.statistics import Agreement, Spent, headline, role_order
from tmas_assets.statistics.interval import METHOD

__all__ = [
    "BankSize", "ExperimentReport", "InputDigest", "ModelUse", "ParseErrors", "ProblemCell", "ProblemRow", "Setting",
    "experiment_page",
]


class ExperimentReport(Record):
    """All that one experiment's page shows. Order of rows is the order shown, scores and banks by iteration."""

    name: str
    description: str
    benchmark: str
    release: str
    licence: str
    strategy: str
    settings: tuple[Setting, ...]
    models: tuple[ModelUse, ...]
    scores: tuple[Score, ...]
    figures: tuple[Figure, ...]
    agreement: Agreement | None
    """Of rules and judge; None where no answer that the rules decided was judged."""
    spent: tuple[Spent, ...]
    """By iteration, what one run of the strategy takes up to there."""
    tokens_scratch: tuple[RoleTokens, ...]
    """What the records are made of, whoever paid."""
    tokens_paid: tuple[RoleTokens, ...]
    """What this experiment's own runs sent and paid, retries and calls no record was made of included."""
    problems: tuple[ProblemRow, ...]
    banks: tuple[BankSize, ...]
    parse_errors: tuple[ParseErrors, ...]
    digests: tuple[InputDigest, ...]
    generated_at: datetime | None = None
    """Passed in, or absent: the page of the same report is the same bytes."""


class TokenLine(Record):
    """One role's line of the token table; None where that side has no such role."""

    role: str
    scratch: RoleTokens | None
    paid: RoleTokens | None


def token_lines(scratch: Sequence[RoleTokens], paid: Sequence[RoleTokens]) -> tuple[TokenLine, ...]:
    """Both accounts side by side, a line a role."""
    made, bought = {row.role: row for row in scratch}, {row.role: row for row in paid}
    return tuple(
        TokenLine(role=role, scratch=made.get(role), paid=bought.get(role))
        for role in sorted({*made, *bought}, key=role_order)
    )


def experiment_page(report: ExperimentReport) -> str:
    """The whole page as HTML text, to be written as UTF-8. Text of models and problems is shown, never read as HTML."""
    scores = tuple(sorted(report.scores, key=lambda score: score.iteration))
    quoted = headline(scores)
    first = next((score for score in scores if score.answers), None)
    tokens = report.tokens_scratch or report.tokens_paid
    return render_page(
        "experiment.html.jinja",
        report=report,
        scores=scores,
        headline=quoted,
        first=first if first is not quoted else None,
        interval_method=next((one.method for one in report.figures if one.seed is None), METHOD),
        figures=figure_table(report.figures),
        quoted_figures=of_iteration(report.figures, quoted.iteration) if quoted else (),
        curve=pass_at_1_picture(scores) if quoted else None,
        tokens=tokens_picture(report.tokens_scratch, report.tokens_paid) if tokens else None,
        token_lines=token_lines(report.tokens_scratch, report.tokens_paid),
        memory=memory_picture(report.banks) if report.banks else None,
        bank_lines=tuple(sorted(report.banks, key=lambda size: (size.iteration, size.bank))),
        map=heat_map(report.problems),
    )
