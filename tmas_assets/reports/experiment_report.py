"""The record of what an experiment's page shows. Leaves out gathering it, which an asset does, and the page: `experiment_page.py`."""

from collections.abc import Sequence
from datetime import datetime

from tmas_assets.records import Figure, Record, RoleTokens, Score
from tmas_assets.reports.report_rows import (
    BankSize,
    InputDigest,
    ModelUse,
    ParseErrors,
    ProblemCell,
    ProblemRow,
    Setting,
)
from tmas_assets.statistics import Agreement, Spent, role_order

__all__ = [
    "BankSize", "ExperimentReport", "InputDigest", "ModelUse", "ParseErrors", "ProblemCell", "ProblemRow", "Setting",
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
