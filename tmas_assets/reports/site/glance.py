"""All rollouts of a problem at a glance: a mark a rollout, a row an iteration, a column a candidate of a repeat.

Pure. Leaves out texts, the banks and markup: shapes and colours are the template's.
"""

from collections.abc import Sequence
from typing import Literal

from tmas_assets.records import Branch, Grade, Record, Rollout
from tmas_assets.reports import notation
from tmas_assets.reports.site.solved import SolvedRound

Outcome = Literal["right", "wrong", "undecided", "failed", "ungraded"]
SIGNS: dict[Outcome, str] = {"right": "✓", "wrong": "✗", "undecided": "?", "failed": "!", "ungraded": "·"}
_READ_CHARS = 60


class Mark(Record):
    rollout: str
    branch: Branch
    outcome: Outcome
    sign: str
    verifier: str
    """Mean verifier score, `.75`; empty where no check was parsed."""
    said: str
    """All of it in a line, for who points at the mark or cannot see it."""


class RoundGlance(Record):
    """One repeat's iteration."""

    repeat: int
    iteration: int
    marks: tuple[Mark, ...]
    candidates: tuple[int, ...]
    """Of each mark."""
    right: int
    answers: int
    """Graded ones."""
    calls: int
    tokens: int
    unknown: int
    """Calls in no sum of tokens."""
    stopped: str | None


class GlanceRow(Record):
    iteration: int
    marks: tuple[Mark | None, ...]
    """By column."""
    right: str
    tokens: str
    stopped: str
    """Why nothing more is asked, of each repeat that stopped."""


class Glance(Record):
    repeats: tuple[int, ...]
    columns: tuple[tuple[int, int], ...]
    """Repeat and candidate."""
    rows: tuple[GlanceRow, ...]

    def width(self, repeat: int) -> int:
        """Columns of a repeat."""
        return sum(own == repeat for own, _ in self.columns)


def outcome_of(grade: Grade | None) -> Outcome:
    return "ungraded" if grade is None else grade.outcome


def short_score(mean: float | None) -> str:
    """`.75`, `1`, `0`; empty for none."""
    return "" if mean is None else f"{mean:.2f}".rstrip("0").rstrip(".").removeprefix("0") or "0"


def round_glance(one: SolvedRound) -> RoundGlance:
    made = one.round
    traces = list(one.traces())
    known = [trace for trace in traces if trace.prompt_tokens is not None and trace.completion_tokens is not None]
    return RoundGlance(
        repeat=made.repeat,
        iteration=made.iteration,
        marks=tuple(_mark(one, rollout) for rollout in made.rollouts),
        candidates=tuple(rollout.candidate for rollout in made.rollouts),
        right=sum(grade.outcome == "right" for grade in one.grades.values()),
        answers=len(one.grades),
        calls=len(traces),
        tokens=sum((trace.prompt_tokens or 0) + (trace.completion_tokens or 0) for trace in known),
        unknown=len(traces) - len(known),
        stopped=made.memory.stopped,
    )


def glance(rounds: Sequence[RoundGlance]) -> Glance:
    """`rounds` of all repeats and iterations that are there, in any order."""
    columns = sorted({(one.repeat, candidate) for one in rounds for candidate in one.candidates})
    rows = []
    for iteration in sorted({one.iteration for one in rounds}):
        own = sorted((one for one in rounds if one.iteration == iteration), key=lambda one: one.repeat)
        at = {
            (one.repeat, candidate): mark
            for one in own for candidate, mark in zip(one.candidates, one.marks, strict=True)
        }  # fmt: skip
        answers, unknown = sum(one.answers for one in own), sum(one.unknown for one in own)
        rows.append(
            GlanceRow(
                iteration=iteration,
                marks=tuple(at.get(column) for column in columns),
                right=f"{sum(one.right for one in own)} of {answers}" if answers else notation.ABSENT,
                tokens=("≥ " if unknown else "") + notation.short_count(sum(one.tokens for one in own)),
                stopped="; ".join(dict.fromkeys(one.stopped for one in own if one.stopped)),
            )
        )
    return Glance(repeats=tuple(sorted({repeat for repeat, _ in columns})), columns=tuple(columns), rows=tuple(rows))


def _mark(one: SolvedRound, rollout: Rollout) -> Mark:
    grade = one.grades.get(rollout.id)
    outcome, mean = outcome_of(grade), one.mean_score(rollout.id)
    return Mark(
        rollout=rollout.id,
        branch=rollout.branch,
        outcome=outcome,
        sign=SIGNS[outcome],
        verifier=short_score(mean),
        said="; ".join(_said(one, rollout, grade, mean)),
    )


def _said(one: SolvedRound, rollout: Rollout, grade: Grade | None, mean: float | None) -> list[str]:
    said = [f"{rollout.id} ({rollout.branch})", outcome_of(grade)]
    if grade is not None and grade.extracted is not None:
        read = " ".join(grade.extracted.split())
        said.append(f"read {read if len(read) <= _READ_CHARS else read[: _READ_CHARS - 1] + '…'}")
    if mean is not None:
        parsed = sum(check.score is not None and check.about is None for check in one.checks(rollout.id))
        said.append(f"verifiers {mean:.2f} of {parsed}")
    if rollout.parents:
        said.append(f"from {', '.join(rollout.parents)}")
    if rollout.trace.status != "complete":
        said.append(rollout.trace.status)
    return said
