"""A verdict on a rollout, and the figures made of many verdicts."""

from typing import Literal

from tmas_assets.records.base import Record
from tmas_assets.records.call import CompletionStatus, Failure

Outcome = Literal["right", "wrong", "undecided", "failed"]


class Verdict(Record):
    """What a grader says of one text: the outcome, what it read as the answer, and why where it failed."""

    outcome: Outcome
    extracted: str | None = None
    failure: Failure | None = None


class Grade(Record):
    """The verdict on one rollout, with the grader that gave it. Truncation belongs to the completion."""

    problem: str
    problem_digest: str
    rollout: str
    repeat: int
    iteration: int
    candidate: int
    outcome: Outcome
    extracted: str | None
    gold: str | None
    grader: str
    grader_version: str
    failure: Failure | None
    completion: CompletionStatus
    repetitive: bool
    rollouts_digest: str
    """Digest of the rollouts file the grade was made from."""


class RoleTokens(Record):
    """Tokens of one role: what the records were made from, whether or not this experiment paid for them."""

    role: str
    calls: int
    prompt_tokens: int
    completion_tokens: int
    unknown: int
    """Calls whose usage the server did not give; they are in `calls` and in no sum."""


class Score(Record):
    """Pass@1 of one iteration: mean correctness over all graded answers, interval over problems.

    `right + wrong + undecided + failed == answers` and `answers + left_out + missing == expected`. `value` counts
    every answer (a failed one is not right); `value_answered` leaves failed and undecided ones out, so that
    dropping errors shows (HAZARDS O08).
    """

    experiment: str
    benchmark: str
    release: str
    iteration: int
    metric: str
    value: float | None
    low: float | None
    high: float | None
    level: float
    value_answered: float | None
    problems: int
    answers: int
    expected: int
    """Answers the experiment asks for: problems x candidates x repeats of the problems in scope."""
    missing: int
    left_out: int = 0
    """Graded answers not used: where problems have different counts, the smaller one holds for all (HAZARDS E07)."""
    right: int
    wrong: int
    undecided: int
    failed: int
    truncated: int
    empty: int
    repetitive: int
    grader: str
    grader_version: str
    grades_digest: str
    """Digest over the digests of the grade files the score was made from."""
