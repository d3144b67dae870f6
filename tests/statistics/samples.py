"""Grades made from outcomes, for the tests of this room."""

from collections.abc import Sequence

from tmas_assets.records import Failure, Grade, Judgement, Outcome
from tmas_assets.statistics import Beside, Samples, samples_of


def grades(
    problem: str, outcomes: Sequence[Outcome], *, iteration: int = 0, digest: str = "", unsandboxed: bool = False
) -> list[Grade]:
    """One grade a candidate, of a problem whose digest is its name where none is given."""
    return [
        Grade(
            problem=problem, problem_digest=digest or f"digest of {problem}", rollout=f"r0t{iteration:02}c{c}", repeat=0,
            iteration=iteration, candidate=c, outcome=outcome, rule_outcome=outcome, judgement=None,
            unsandboxed=unsandboxed, extracted=None, gold="1", grader="math", grader_version="1",
            failure=Failure(boundary="grader", kind="timeout", detail="") if outcome == "failed" else None,
            completion="complete", repetitive=False, rollouts_digest="r",
        )
        for c, outcome in enumerate(outcomes)
    ]  # fmt: skip


def judged(grade: Grade, rule: Outcome, judge: str) -> Grade:
    judgement = Judgement.model_construct(outcome=judge, model="m", prompt_digest="d", parse="parsed", parse_error=None, traces=())
    return grade.model_copy(update={"rule_outcome": rule, "judgement": judgement})


def samples(by_problem: dict[str, Sequence[Outcome]], asked: int, *, iteration: int = 0, missing: int = 0) -> Samples:
    """`missing`: problems in scope without a grade."""
    made = [one for problem, outcomes in by_problem.items() for one in grades(problem, outcomes, iteration=iteration)]
    scope = [*by_problem, *(f"none{i}" for i in range(missing))]
    return samples_of(made, problems=scope, answers_per_problem=asked, iteration=iteration, place="tests")


def alone(of: Samples) -> Beside:
    """Nothing known but the grades; every problem a source of its own."""
    return Beside(classes={}, checked={}, clusters={problem: problem for problem in of.answers})
