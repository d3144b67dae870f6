"""Grade the rollouts of a cell: by rules, then by a judge where the rules end undecided and there is one.

A rollout whose request failed was never answered, and an unreadable judge decides nothing: their grades say so. What
has no gold gets no grade at all.
"""

import asyncio
from collections.abc import Sequence

from resources.parquet_store import StoredFile
from tmas_assets.engine.cells import CellStore, StoredCell
from tmas_assets.engine.graders import Graders
from tmas_assets.engine.judging import Judge
from tmas_assets.grading import grader_version
from tmas_assets.records import NO_GRADER, Failure, Grade, Judgement, Outcome, Problem, Rollout, Round, Verdict

INCOMPLETE = "; judgements missing"
"""Ends the grader's name in the file of a cell whose judgements could not all be had: such a cell is graded again."""


def grader_of(problem: Problem, judge: Judge | None) -> str:
    """Name and version of all that grades `problem` now, e.g. `math 3` or `math 3; judge ...`."""
    rules = f"{problem.grader} {grader_version(problem.grader)}"
    return f"{rules}; {judge.name}" if judge is not None and judge.rubric(problem) is not None else rules


async def grade_cell(
    cells: CellStore,
    graders: Graders,
    judge: Judge | None,
    iteration: int,
    problem: Problem,
    rounds: Sequence[Round],
    files: StoredCell,
) -> tuple[tuple[Grade, ...], StoredFile]:
    """Grade every rollout of a cell and store the grades. Raises what asking the judge raises."""
    rollouts = [rollout for one in rounds for rollout in one.rollouts if problem.grader != NO_GRADER]
    verdicts = await asyncio.gather(*(_verdict(graders, problem, rollout) for rollout in rollouts))
    asked = [
        judge is not None and judge.is_asked(problem, rollout.id, verdict)
        for rollout, verdict in zip(rollouts, verdicts, strict=True)
    ]
    judgements = await asyncio.gather(
        *(_judgement(judge if wanted else None, problem, verdict)
          for wanted, verdict in zip(asked, verdicts, strict=True))
    )
    version = grader_version(problem.grader)
    grades = tuple(
        _grade(problem, rollout, verdict, judgement, version, files.rollouts.digest)
        for rollout, verdict, judgement in zip(rollouts, verdicts, judgements, strict=True)
    )
    missing = any(wanted and found is None for wanted, found in zip(asked, judgements, strict=True))
    grader = grader_of(problem, judge) + (INCOMPLETE if missing else "")
    stored = await asyncio.to_thread(cells.write_grades, iteration, problem, grades, files.rollouts, grader)
    return grades, stored


async def _verdict(graders: Graders, problem: Problem, rollout: Rollout) -> Verdict:
    """A request that failed was never answered: its grade says so instead of calling it wrong."""
    if rollout.trace.status == "failed":
        return Verdict(outcome="failed", failure=rollout.trace.failure)
    return await graders.grade(problem, rollout.text)


async def _judgement(judge: Judge | None, problem: Problem, verdict: Verdict) -> Judgement | None:
    return None if judge is None else await judge.judge(problem, verdict.extracted or "")


def _grade(
    problem: Problem, rollout: Rollout, verdict: Verdict, judgement: Judgement | None, version: str, rollouts: str
) -> Grade:
    outcome: Outcome = verdict.outcome
    failure, credit = verdict.failure, verdict.credit
    if judgement is not None and verdict.outcome == "undecided":
        outcome = judgement.outcome
        credit = 0.0 if outcome == "wrong" and credit is not None else credit
        if outcome == "failed":
            failure = Failure(boundary="grader", kind="unreadable_judge", detail=judgement.parse_error or "no verdict")
    return Grade(
        problem=problem.id,
        problem_digest=problem.digest,
        rollout=rollout.id,
        repeat=rollout.repeat,
        iteration=rollout.iteration,
        candidate=rollout.candidate,
        outcome=outcome,
        rule_outcome=verdict.outcome,
        judgement=judgement,
        credit=credit,
        unsandboxed=verdict.unsandboxed,
        extracted=verdict.extracted,
        gold=problem.answer,
        grader=problem.grader,
        grader_version=version,
        failure=failure,
        completion=rollout.trace.status,
        repetitive=rollout.trace.repetitive,
        rollouts_digest=rollouts,
    )
