"""A source problem on its way through the screening, what each step did, and how hard the problem turned out."""

from typing import Literal

from tmas_assets.records.base import Record
from tmas_assets.records.problem import Problem

ScreeningStep = Literal["source", "gold", "duplicate", "contamination", "difficulty", "selection"]


class SourceProblem(Record):
    """`problem.id` begins with the source's name and a slash, so ids of several sources never meet."""

    problem: Problem
    source: str
    """Name of the source in the set's file."""
    licence: str
    topic: str
    """The problem's subject, or the source's name where it states none."""


class Dropped(Record):
    """A problem that a step did not let through."""

    problem: str
    problem_digest: str
    source: str
    reason: str
    """A short word or two for counting: `no gold`, `near-duplicate`, `math500`, ..."""
    detail: str
    """What exactly was found: the twin's id, the evaluation problem with the overlap, the verdict, the pass rate."""
    statement: str


class StepCount(Record):
    """What a step let through and what it dropped, by reason."""

    step: str
    came: int
    """Rows in."""
    kept: int
    """Rows out."""
    reason: str | None
    """None on the line of the whole step; else one reason and `dropped` alone counts."""
    dropped: int


class StepNote(Record):
    """What a step could not finish, in words."""

    step: str
    partial: str


class Compared(Record):
    """An evaluation release that problems were compared with, or could not be."""

    release: str
    """Name of its `problems/` asset."""
    problems: int
    digest: str | None
    """Over its problems; None where it could not be had."""
    missing: str | None
    """Why it could not be had."""


class PassRate(Record):
    """Plain samples of one model on one problem."""

    problem: str
    problem_digest: str
    model: str
    samples: int
    """Graded ones: an answer that no rule decides, and a request that failed, is not among them."""
    right: int
    p: float | None
    """right / samples; None without a graded sample."""
    ungraded: int
    grades_digest: str
    """Digest of the file of grades."""


class SimulatedRound(Record):
    """One iteration of a teacher on one problem: a cell of the teacher's experiment, all repeats, by the digests of its files."""

    problem: str
    problem_digest: str
    teacher: str
    teacher_model: str
    """Identity of the model behind the teacher's solution agent."""
    experiment: str
    variant: str
    """Settings that the cell lies under."""
    iteration: int
    rollouts_digest: str
    verifier_scores_digest: str
    summaries_digest: str
    memory_digest: str
    grades_digest: str
    right: int
    """Grades of all repeats' rollouts."""
    wrong: int
    ungraded: int
    """Undecided and failed ones."""
