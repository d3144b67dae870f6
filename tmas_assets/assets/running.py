"""What a campaign of an experiment is asked for and what became of it: chosen cells, outcomes as Dagster's failures.

Leaves out how the engine is run inside a step: `driving.py`.
"""

from collections.abc import Sequence

import dagster as dg

from partitions.keys import CellKey
from resources.deployment import Deployment
from tmas_assets.assets.driving import Log, Scope, drive
from tmas_assets.assets.faults import permanent, table_of
from tmas_assets.engine.campaign import Outcome
from tmas_assets.engine.problems import ProblemTable, UnknownProblem
from tmas_assets.records import Experiment, Problem


def check_outcome(experiment: Experiment, outcome: Outcome, *, whole: bool = False) -> None:
    """Raises a `Failure` where problems stopped for another reason than the budget or a person they wait for; with
    `whole`, for any reason."""
    stopped = [one for one in outcome.stopped if whole or not (one.by_budget or one.waits)]
    if not stopped and outcome.judge_down is not None:
        raise dg.Failure(
            description=f"{experiment.name}: {outcome.made} cells were made and {outcome.found} found, and answers that the "
            f"rules left undecided wait for a judgement. {outcome.judge_down} Nothing that was solved is asked again."
        )
    if not stopped:
        return
    first = stopped[0]
    count = "1 problem" if len(stopped) == 1 else f"{len(stopped)} problems"
    raise dg.Failure(
        description=(
            f"{experiment.name}: {count} stopped early, {outcome.made} cells were made and "
            f"{outcome.found} found. First: problem {first.problem!r} at t{first.iteration:02d}: {first.reason} "
            "Run again: finished cells and calls are kept."
        ),
        allow_retries=not (first.by_budget or first.waits),
    )


def run_cells(
    deployment: Deployment, experiment: Experiment, wanted: Sequence[CellKey], *, run: str, log: Log
) -> Outcome:
    """Make `wanted` again, in order of iteration; replies that the call log holds are not asked for.

    Raises a `Failure` where one of them was not made, also by the budget: what is materialized is there.
    """
    table = table_of(deployment, experiment)
    try:
        scopes = _scopes(table, wanted)
    except UnknownProblem as unknown:
        raise permanent(unknown) from unknown
    outcome = drive(deployment, experiment, scopes, run=run, redo=True, log=log)
    check_outcome(experiment, outcome, whole=True)
    return outcome


def _scopes(table: ProblemTable, wanted: Sequence[CellKey]) -> list[Scope]:
    """Runs of consecutive iterations, each with the problems that ask for exactly them."""
    asked: dict[str, list[int]] = {}
    for cell in wanted:
        asked.setdefault(cell.problem, []).append(cell.iteration)
    groups: dict[tuple[int, int], list[Problem]] = {}
    for key, iterations in asked.items():
        problem = table.by_key(key)
        start = last = min(iterations)
        for iteration in [*sorted(iterations)[1:], None]:
            if iteration is not None and iteration == last + 1:
                last = iteration
                continue
            groups.setdefault((start, last + 1), []).append(problem)
            if iteration is not None:
                start = last = iteration
    return [Scope(range(*bounds), tuple(problems)) for bounds, problems in sorted(groups.items())]
