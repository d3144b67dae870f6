"""Grade the rollouts of a cell. A rollout whose request failed was never answered; its grade says so."""

import asyncio
from collections.abc import Sequence

from resources.parquet_store import StoredFile
from tmas_assets.engine.cells import CellStore, StoredCell
from tmas_assets.engine.graders import Graders
from tmas_assets.grading import grader_version
from tmas_assets.records import Grade, Problem, Rollout, Round, Verdict


def grader_of(problem: Problem) -> str:
    """Name and version of the grader that grades `problem` now, e.g. `math 3`."""
    return f"{problem.grader} {grader_version(problem.grader)}"


async def grade_cell(
    cells: CellStore,
    graders: Graders,
    iteration: int,
    problem: Problem,
    rounds: Sequence[Round],
    files: StoredCell,
) -> tuple[tuple[Grade, ...], StoredFile]:
    """Grade every rollout of a cell and store the grades."""
    rollouts = [rollout for one in rounds for rollout in one.rollouts]
    version = grader_version(problem.grader)
    verdicts = await asyncio.gather(*(_verdict(graders, problem, rollout) for rollout in rollouts))
    grades = tuple(
        Grade(
            problem=problem.id,
            problem_digest=problem.digest,
            rollout=rollout.id,
            repeat=rollout.repeat,
            iteration=rollout.iteration,
            candidate=rollout.candidate,
            outcome=verdict.outcome,
            rule_outcome=verdict.outcome,
            judgement=None,
            unsandboxed=verdict.unsandboxed,
            extracted=verdict.extracted,
            gold=problem.answer,
            grader=problem.grader,
            grader_version=version,
            failure=verdict.failure,
            completion=rollout.trace.status,
            repetitive=rollout.trace.repetitive,
            rollouts_digest=files.rollouts.digest,
        )
        for rollout, verdict in zip(rollouts, verdicts, strict=True)
    )
    stored = await asyncio.to_thread(
        cells.write_grades, iteration, problem, grades, files.rollouts, grader_of(problem)
    )
    return grades, stored


async def _verdict(graders: Graders, problem: Problem, rollout: Rollout) -> Verdict:
    """A request that failed was never answered: its grade says so instead of calling it wrong."""
    if rollout.trace.status == "failed":
        return Verdict(outcome="failed", failure=rollout.trace.failure)
    return await graders.grade(problem, rollout.text)
