"""The campaign job of an experiment: problems, then many cells in one process, then the summary.

A campaign logs the same materializations as per-cell runs and gives the same bytes; it exists since a run a cell
costs seconds. Finished cells are found and not made again. Sharding = several runs over disjoint problems.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

import dagster as dg
from pydantic import Field

from partitions.keys import CellKey, problem_key
from resources.deployment import Deployment
from resources.parquet_store import StoreFault
from tmas_assets.assets.cells import PARTS, POOL, cell_events, code_version
from tmas_assets.assets.checkpoint_deps import checkpoint_inputs
from tmas_assets.assets.driving import Event, Scope, drive
from tmas_assets.assets.events import Input, event, last_event, last_versions, logged
from tmas_assets.assets.faults import cells_of, permanent, table_of
from tmas_assets.assets.keys import experiment_key, problems_key
from tmas_assets.assets.metadata import files_of
from tmas_assets.assets.of_strategy import own_assets
from tmas_assets.assets.pinning import pinned_in_run
from tmas_assets.assets.problems import fill_axis, fill_problems, problems_metadata, problems_version
from tmas_assets.assets.refresh.regression import is_judged, regression_op
from tmas_assets.assets.refresh.said_checks import said_checks
from tmas_assets.assets.regrading import grade_again, whole_cells
from tmas_assets.assets.run_tags import CAMPAIGN, NO_RETRY, campaign_name
from tmas_assets.assets.running import check_outcome
from tmas_assets.assets.summary import current_summary
from tmas_assets.assets.summary_evaluations import log_evaluations
from tmas_assets.engine.cells import CellStore, FinishedCell, FoundCell
from tmas_assets.engine.problems import UnknownProblem
from tmas_assets.records import Experiment

_PRIORITY = "dagster/priority"
_RANGE = re.compile(r"(\d+)\.\.(\d+)")


class CampaignConfig(dg.Config):
    iterations: str = Field(default="", description="first..last, e.g. 0..3; empty for all of the experiment")
    problems: list[str] = Field(default=[], description="problem ids or keys; empty for all")
    regrade: bool = Field(default=False, description="grade the cells that are there again and ask no model")


def iteration_range(text: str, name: str, count: int) -> range:
    """Read `a..b` (both included) or `a`, of the `count` iterations that `name` has. Raises ValueError."""
    if not text:
        return range(count)
    found = _RANGE.fullmatch(text) or re.fullmatch(r"(\d+)()", text)
    if not found:
        raise ValueError(f"iterations {text!r} cannot be read: write first..last, e.g. 0..{count - 1}")
    first = int(found[1])
    last = int(found[2] or first)
    if not first <= last < count:
        raise ValueError(
            f"iterations {text} are out of range: {name} has t00 to t{count - 1:02d}; "
            "raise `iterations` in its file to go further"
        )
    return range(first, last + 1)


def _whole(cells: CellStore, scope: Scope) -> list[CellKey]:
    try:
        return list(whole_cells(cells, scope))
    except StoreFault as fault:
        raise permanent(fault) from fault


@dataclass(frozen=True)
class CampaignOps:
    """The steps of a campaign, in order: each but the first starts after what comes before it."""

    problems: dg.OpDefinition
    cells: dg.OpDefinition
    summary: dg.OpDefinition
    judged: dg.OpDefinition | None
    """Fails where the score fell; None where no score is held against another. Nothing waits for it."""

    def summed_up(self, loaded: object) -> object:
        """The steps from the cells on, within a job; what a later step waits for is the summary. `loaded`: the problems' output."""
        summary = self.summary(start=self.cells(start=loaded))
        if self.judged is not None:
            self.judged(start=summary)
        return summary


def campaign_job(experiment: Experiment, ops: CampaignOps | None = None) -> dg.JobDefinition:
    """`ops`: the experiment's own, where another job has them too: Dagster wants them to be the same there."""
    ops = ops or campaign_ops(experiment)

    @dg.job(
        name=campaign_name(experiment.name),
        description=f"All cells of {experiment.name} in one process. {experiment.description}".strip(),
        executor_def=dg.in_process_executor,
        tags={CAMPAIGN: experiment.name, **NO_RETRY},
    )
    def campaign() -> None:
        ops.summed_up(ops.problems())

    return campaign


def campaign_ops(experiment: Experiment, place: int = 0) -> CampaignOps:
    """`place`: which of several campaigns in one job; earlier ones go first."""
    urgency = {step: {_PRIORITY: str(-2 * place + rank)} for step, rank in (("cells", 0), ("summary", 1))}
    key = {part: experiment_key(experiment, part) for part in PARTS}
    version = code_version(experiment)

    @dg.op(
        name=f"{experiment.name}_problems",
        description="Load the release, fill the problem axis.",
    )
    def problems(context: dg.OpExecutionContext, deployment: Deployment) -> None:
        table, release = fill_problems(deployment, experiment.benchmark)
        fill_axis(context.instance, table)
        context.log_event(
            event(
                problems_key(experiment.benchmark),
                None,
                table.file,
                problems_metadata(table, release),
                problems_version(experiment.benchmark),
            )
        )

    def _log_cell(context: dg.OpExecutionContext, cell: FinishedCell, parts: Sequence[str], models: Sequence[Input]) -> None:
        for said in cell_events(experiment, cell, parts, version, context.instance, models):
            context.log_event(said)

    @dg.op(
        name=f"{experiment.name}_cells",
        ins={"start": dg.In(dg.Nothing)},
        pool=POOL,
        tags=urgency["cells"],
        description="All cells, iterations x problems; none is made twice.",
    )
    def cells(context: dg.OpExecutionContext, config: CampaignConfig, deployment: Deployment) -> None:
        stated = pinned_in_run(context, deployment, experiment)
        table = table_of(deployment, stated)
        try:
            chosen = table.select(config.problems, experiment.benchmark.limit)
            iterations = iteration_range(config.iterations, experiment.name, experiment.iterations)
        except (UnknownProblem, ValueError) as fault:
            raise permanent(fault) from fault
        store = cells_of(deployment, stated)
        if config.regrade:
            graded = 0
            for cell in grade_again(deployment, stated, _whole(store, Scope(iterations, chosen))):
                _log_cell(context, cell, ["benchmark_scores"], ())
                graded += 1
            context.log.info(f"{graded} cells graded again")
            context.add_output_metadata({"cells_graded_again": graded})
            return
        made_by = checkpoint_inputs(context.instance, deployment, stated)
        known = {part: last_versions(context.instance, key[part]) for part in PARTS}

        def log(found: Event) -> None:
            if isinstance(found, FoundCell):
                # made or graded by a run that was killed before it could say so, or other settings were last
                partition = str(CellKey(found.iteration, problem_key(found.problem.id)))
                digests = {part: file.digest for part, file in files_of(found).items()}
                unsaid = [part for part in PARTS if known[part].get(partition) != digests[part]]
                if unsaid:
                    _log_cell(context, store.finished(found), unsaid, made_by)
            else:
                _log_cell(context, found, PARTS, made_by)

        outcome = drive(deployment, stated, [Scope(iterations, chosen)], run=context.run_id, redo=False, log=log)
        context.log.info(f"{outcome.made} cells made, {outcome.found} found whole")
        context.add_output_metadata(
            {"cells_made": outcome.made, "cells_found": outcome.found, "budget": outcome.budget or "not reached"}
        )
        if outcome.budget:
            context.log.warning(f"partial: {outcome.budget}; {len(outcome.stopped)} problems did not get through")
        for waiting in outcome.stopped:
            if waiting.waits:
                context.log.warning(f"{waiting.problem} {waiting.reason}")
        check_outcome(experiment, outcome)

    @dg.op(
        name=f"{experiment.name}_summary",
        ins={"start": dg.In(dg.Nothing)},
        tags=urgency["summary"],
        description="Scores, tokens, the curve and the report page; then what checks find.",
    )
    def summary(context: dg.OpExecutionContext, deployment: Deployment) -> None:
        # asked for before the cells are read: one that is made meanwhile puts this summary out of date
        seen = last_event(context.instance, key["benchmark_scores"])
        stated = pinned_in_run(context, deployment, experiment)
        said = current_summary(context.instance, deployment, stated)
        grades, whole = Input(key["benchmark_scores"], said.grades, seen), experiment_key(experiment, "summary")
        before = last_event(context.instance, whole) if said.stood else None
        context.log_event(logged(whole, None, said.version, said.metadata, version, [grades]))
        checks = said_checks(context.instance, experiment, before)
        if checks is None:
            log_evaluations(context, deployment, stated)
        for check in checks or ():
            context.log_event(check)  # type: ignore[arg-type]  # taken, though Dagster's annotation leaves it out
        if (own := own_assets(experiment)) is not None:
            own.conclude(context, deployment, stated)

    judged = regression_op(experiment, str(-2 * place + 1)) if is_judged(experiment) else None
    return CampaignOps(problems, cells, summary, judged)
