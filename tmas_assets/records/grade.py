"""A verdict on a rollout, and the figures made of many verdicts."""

from typing import ClassVar, Literal

from tmas_assets.records.base import Record
from tmas_assets.records.call import CompletionStatus, Failure, Trace
from tmas_assets.records.rounds import ParseStatus

Outcome = Literal["right", "wrong", "undecided", "failed"]


class Verdict(Record):
    """What a grader says of one text: the outcome, what it read as the answer, and why where it failed."""

    outcome: Outcome
    extracted: str | None = None
    failure: Failure | None = None
    reason: str | None = None
    """Why it is wrong, from graders that can say (code)."""
    credit: float | None = None
    """Share in [0, 1] of what was asked for, from graders that tell one (concepts used); None from all others."""
    unsandboxed: bool = False
    """Whether code of the answer ran without a sandbox: such a verdict can be forged by the answer."""


class Judgement(Record):
    """What a judging model said of one answer. An unreadable reply is `failed`: neither right nor wrong."""

    outcome: Literal["right", "wrong", "failed"]
    model: str
    """Identity of the judging model."""
    prompt_digest: str
    parse: ParseStatus
    parse_error: str | None
    traces: tuple[Trace, ...]
    """Of each time it was asked, the last one decided; it is asked again only after an unreadable reply."""


class Grade(Record):
    """The verdict on one rollout, with the grader that gave it. Truncation belongs to the completion."""

    SCHEMA_VERSION: ClassVar[int] = 3
    problem: str
    problem_digest: str
    rollout: str
    repeat: int
    iteration: int
    candidate: int
    outcome: Outcome
    """The judge's where the rules ended undecided and a judge was asked, else the rules' own."""
    rule_outcome: Outcome
    """What the rules said by themselves."""
    judgement: Judgement | None
    """The judge's opinion: where the rules ended undecided, and of the answers drawn to compare judge and rules."""
    credit: float | None = None
    """The share that the rules saw done, 0 where a judge rejects the text; None from graders that tell none."""
    unsandboxed: bool
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

    SCHEMA_VERSION: ClassVar[int] = 3
    experiment: str
    benchmark: str
    release: str
    iteration: int
    metric: str
    chosen: bool = False
    """Whether the answers are those the strategy chose, one a repeat, and not its whole population."""
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
    judged: int
    """Answers that the rules left undecided and a judge decided."""
    unsandboxed: int
    """Answers whose code ran without a sandbox; any at all makes the score untrustworthy."""
    grader: str
    grader_version: str
    grades_digest: str
    """Digest over the digests of the grade files the score was made from."""
