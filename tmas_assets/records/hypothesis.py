"""A question without a gold: the hypothesis that a team decides on, and its form as a problem of a benchmark."""

from typing import Literal

from pydantic import Field, model_validator

from tmas_assets.records.base import Record, canonical_json
from tmas_assets.records.problem import Problem

NO_GRADER = "none"
"""Grader of a problem that has no gold: its rollouts get no grade at all."""
ASSUMPTION = "assumption"
"""Source of whatever no piece of evidence backs."""


class Evidence(Record):
    """One piece that experts may point to by its id."""

    id: str = Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9_.-]{0,39}$")
    title: str = ""
    text: str
    """Prose, or a table as CSV."""
    format: Literal["text", "csv"] = "text"
    source: str = ""
    """Where it comes from, in words."""


class Hypothesis(Record):
    """What is to be decided, with all that is known about it. Only the statement must be there; any language."""

    statement: str = Field(min_length=1)
    goal: str = ""
    success_criteria: tuple[str, ...] = ()
    constraints: tuple[str, ...] = ()
    """Budget, time, region, compliance, ..., each in words."""
    options: tuple[str, ...] = ()
    """Ways to go that are compared; none where it is plainly done or not."""
    evidence: tuple[Evidence, ...] = ()
    owner: str = ""
    """Who decides."""
    language: str = "English"
    """Language that the answers are written in."""

    @model_validator(mode="after")
    def _evidence_told_apart(self) -> "Hypothesis":
        ids = [piece.id for piece in self.evidence]
        twice = sorted({id_ for id_ in ids if ids.count(id_) > 1 or id_.lower() == ASSUMPTION})
        if twice:
            raise ValueError(f"evidence: ids must be unique and not {ASSUMPTION!r}; mend {', '.join(twice)}")
        return self


def problem_of(hypothesis: Hypothesis, *, benchmark: str, release: str, id: str, source: str = "") -> Problem:
    """The hypothesis as a problem of a benchmark."""
    data = canonical_json(hypothesis.model_dump(mode="json"))
    return Problem(benchmark=benchmark, release=release, id=id, statement=hypothesis.statement, answer=None,
                   grader=NO_GRADER, grading_data=data, source=source)  # fmt: skip


def hypothesis_of(problem: Problem) -> Hypothesis:
    """Raises ValueError for a problem that is no hypothesis."""
    if problem.grader != NO_GRADER:
        raise ValueError(
            f"{problem.benchmark} {problem.id}: its grader is {problem.grader!r}, so it has a gold and is no hypothesis; "
            "team decisions are made on problems of a benchmark of hypotheses"
        )
    return Hypothesis.model_validate_json(problem.grading_data)
