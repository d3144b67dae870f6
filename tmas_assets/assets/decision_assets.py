"""The assets of a team's decision, one partition a hypothesis: plan, findings of each seat, cross-examination, decision, report.

Each drives the engine through the rounds that it needs and no further, and finds what is there already. Leaves out
what a part shows (`decision_parts.py`) and how a person steps in (`review_job.py`).
"""

from collections.abc import Callable, Sequence
from datetime import UTC, datetime

import dagster as dg

from partitions.axes import problem_axis
from resources.deployment import Deployment
from resources.parquet_store import StoreFault
from tmas_assets.assets.cells import PARTS, POOL, cell_events, code_version
from tmas_assets.assets.checkpoint_deps import checkpoint_inputs
from tmas_assets.assets.decision_parts import (
    CROSS,
    DECISION,
    FINDINGS,
    PLAN,
    REPORT,
    Made,
    Part,
    key,
    made,
    parts,
    rounds_of,
    seat_turns,
    settings_for,
)
from tmas_assets.assets.decision_reports import of_report, write_report
from tmas_assets.assets.driving import Event, Scope, drive
from tmas_assets.assets.events import last_materialization, version_of
from tmas_assets.assets.faults import cells_of, permanent, table_of
from tmas_assets.assets.keys import problems_key
from tmas_assets.assets.pinning import pinned_in_run
from tmas_assets.assets.running import check_outcome
from tmas_assets.benchmarks import asset_name, benchmark
from tmas_assets.engine.cells import CellStore, FinishedCell
from tmas_assets.engine.decisions import course_of
from tmas_assets.engine.problems import UnknownProblem
from tmas_assets.engine.reviewing import amend
from tmas_assets.records import Experiment, Problem
from tmas_assets.strategies.team_decision.settings import rounds

_SAID: dict[Part, str] = {
    PLAN: "The CEO's claims and who looks into them. Approve or change it with the review job before experts are asked.",
    CROSS: "Experts question each other's findings, round by round, as far as the CEO goes on.",
    DECISION: "The decision with scores, dissent and contradictions, and how often it flips over repeats.",
    REPORT: "The report as a page, as Markdown and as JSON, from what is stored; asks no model.",
}


def decision_fault(experiment: Experiment) -> str | None:
    """Why an experiment could never come to a decision."""
    if benchmark(experiment.benchmark.name).has_gold:
        return f"benchmark.name: {experiment.benchmark.name} has gold answers; a team decides on benchmark `hypotheses`"
    needed = rounds(settings_for(experiment))
    if experiment.iterations < needed:
        return f"iterations: the team decides in t{needed - 1:02d}; say `iterations: {needed}` (found {experiment.iterations})"
    return None


def decision_assets(experiment: Experiment) -> Sequence[dg.AssetsDefinition]:
    return [_asset(experiment, part, above) for part, above in parts(experiment).items()]


def _asset(experiment: Experiment, part: Part, above: Sequence[Part]) -> dg.AssetsDefinition:
    deps = [key(experiment, one) for one in above] or [problems_key(experiment.benchmark)]
    make: Callable[[dg.AssetExecutionContext, Deployment, Experiment], Made] = (
        _reported if part == REPORT else (lambda context, deployment, stated: _driven(context, deployment, stated, part))
    )

    @dg.asset(
        key=key(experiment, part),
        deps=deps,
        partitions_def=problem_axis(asset_name(experiment.benchmark)),
        group_name=experiment.name,
        kinds={"html"} if part == REPORT else {"vllm"},
        code_version=code_version(experiment),
        pool=None if part == REPORT else POOL,
        description=_SAID.get(part, "") or (
            f"What {part[1]} finds alone, before it sees the others. Materialized again by itself, it asks {part[1]} anew and "
            "nobody else; what comes after is then out of date."
        ),
    )
    def one_part(context: dg.AssetExecutionContext, deployment: Deployment) -> dg.MaterializeResult[None]:
        found = make(context, deployment, pinned_in_run(context, deployment, experiment))
        return dg.MaterializeResult(metadata=dict(found.metadata), data_version=dg.DataVersion(found.version))

    return one_part


def _problem(deployment: Deployment, experiment: Experiment, partition: str) -> Problem:
    try:
        return table_of(deployment, experiment).by_key(partition)
    except UnknownProblem as unknown:
        raise permanent(unknown) from unknown


def _reported(context: dg.AssetExecutionContext, deployment: Deployment, experiment: Experiment) -> Made:
    problem = _problem(deployment, experiment, context.partition_key)
    return of_report(write_report(deployment, cells_of(deployment, experiment), problem))


def _driven(context: dg.AssetExecutionContext, deployment: Deployment, experiment: Experiment, part: Part) -> Made:
    problem = _problem(deployment, experiment, context.partition_key)
    try:
        if part[0] == FINDINGS and _is_asked_anew(context, cells_of(deployment, experiment), problem, part):
            _ask_anew(context, cells_of(deployment, experiment), problem, part)
        _run(context, deployment, experiment, problem, rounds_of(experiment, part))
        found = made(experiment, part, course_of(cells_of(deployment, experiment), problem))
    except StoreFault as fault:
        raise permanent(fault) from fault
    if found is None:
        raise permanent(RuntimeError(
            f"{experiment.name}: {'/'.join(part)} of {problem.id} is not there although its rounds are; its seat was not "
            "asked before a cap was reached. See the decision for the cap."
        ))
    return found


def _run(
    context: dg.AssetExecutionContext, deployment: Deployment, experiment: Experiment, problem: Problem, iterations: range
) -> None:
    version, made_by = code_version(experiment), checkpoint_inputs(context.instance, deployment, experiment)

    def log(cell: Event) -> None:
        if isinstance(cell, FinishedCell):
            for said in cell_events(experiment, cell, PARTS, version, context.instance, made_by):
                context.log_event(said)

    scope = Scope(iterations, (problem,))
    outcome = drive(deployment, experiment, [scope], run=context.run.run_id, redo=False, log=log)
    check_outcome(experiment, outcome, whole=True)


def _is_asked_anew(context: dg.AssetExecutionContext, cells: CellStore, problem: Problem, part: Part) -> bool:
    """Whether this finding is there, was shown by an earlier run, and a run now asks for it and not for the plan as well.

    A run of the whole graph goes on where an earlier one stopped; one that was retried asks no second time.
    """
    found = made(cells.experiment, part, course_of(cells, problem))
    asked_for = context.run.asset_selection
    if found is None or asked_for is None or key(cells.experiment, PLAN) in asked_for:
        return False
    last = last_materialization(context.instance, key(cells.experiment, part), context.partition_key)
    return last is not None and last.run_id != context.run.run_id and version_of(last) == found.version  # another run made it


def _ask_anew(context: dg.AssetExecutionContext, cells: CellStore, problem: Problem, part: Part) -> None:
    for turn in seat_turns(course_of(cells, problem), part[1]):
        amend(
            cells, problem, turn.id, text=None, who="materialized in Dagster", when=datetime.now(UTC),
            why=f"run {context.run.run_id}",
        )  # fmt: skip
