"""Grade stored cells again without asking any model: rules as they are now, judgements as the call log holds them.

An undecided answer that no judge was asked about yet stays undecided; running the experiment's campaign asks. Leaves
out making cells: `running.py`.
"""

import asyncio
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from itertools import islice

from partitions.keys import CellKey, problem_key
from resources.calls.call_log import CallLog
from resources.deployment import Deployment
from resources.parquet_store import StoreFault
from resources.sandbox.bubblewrap import SandboxFault
from tmas_assets.assets.driving import Scope
from tmas_assets.assets.faults import PERMANENT, cells_of, graders_of, permanent, table_of
from tmas_assets.engine.cells import CellStore, FinishedCell
from tmas_assets.engine.graders import Graders
from tmas_assets.engine.grades import grade_cell
from tmas_assets.engine.judging import Judge, LoggedJudgements
from tmas_assets.engine.problems import UnknownProblem
from tmas_assets.engine.team import identity
from tmas_assets.records import Experiment, Problem

_TOGETHER = 32
"""Cells graded at once: enough to keep every grading worker busy."""


def whole_cells(cells: CellStore, scope: Scope) -> Iterator[CellKey]:
    """The cells of `scope` that are there to grade. Raises StoreFault for one that cannot be read."""
    for iteration in scope.iterations:
        for problem in scope.problems:
            if cells.files(iteration, problem) is not None:
                yield CellKey(iteration, problem_key(problem.id))


def grade_again(deployment: Deployment, experiment: Experiment, wanted: Sequence[CellKey]) -> Iterator[FinishedCell]:
    """New grades of stored cells, in order. Raises a `Failure` where one is missing or cannot be read."""
    table = table_of(deployment, experiment)
    cells = cells_of(deployment, experiment)
    experiment = cells.experiment
    rest = iter(wanted)
    # a thread of its own, since the step's thread may be inside somebody's event loop
    with graders_of(deployment) as graders, closing(deployment.call_log()) as log, ThreadPoolExecutor(1) as thread:
        judge = _judge(deployment, experiment, log)
        while some := list(islice(rest, _TOGETHER)):
            try:
                chosen = [(key.iteration, table.by_key(key.problem)) for key in some]
                graders.require(problem.grader for _, problem in chosen)
                graded = thread.submit(asyncio.run, _grade(cells, graders, judge, chosen)).result()
            except (StoreFault, UnknownProblem, SandboxFault) as fault:
                raise permanent(fault) from fault
            yield from graded


async def _grade(
    cells: CellStore, graders: Graders, judge: Judge | None, chosen: Sequence[tuple[int, Problem]]
) -> list[FinishedCell]:
    return await asyncio.gather(*(_grade_one(cells, graders, judge, *one) for one in chosen))


async def _grade_one(
    cells: CellStore, graders: Graders, judge: Judge | None, iteration: int, problem: Problem
) -> FinishedCell:
    rounds, files = await asyncio.to_thread(cells.read, iteration, problem)
    grades, stored = await grade_cell(cells, graders, judge, iteration, problem, rounds, files)
    return FinishedCell(iteration, problem, rounds, files, grades, stored, files.previous_digest)


def _judge(deployment: Deployment, experiment: Experiment, log: CallLog) -> Judge | None:
    if experiment.judge is None:
        return None
    try:
        model = identity(experiment.endpoints[experiment.judge.endpoint], deployment.vllm())
    except PERMANENT as fault:
        raise permanent(fault) from fault
    return Judge.of(experiment, model, LoggedJudgements(log, model))
