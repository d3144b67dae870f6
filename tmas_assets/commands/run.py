"""`tmas run`, `tmas report`, `tmas experiments`: the campaign job in this process, with a live bar."""

import difflib
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path

import dagster as dg
from dagster._core.execution.plan.objects import ErrorSource
from rich.console import Console
from rich.live import Live
from rich.table import Column, Table

from resources.parquet_store import StoreFault
from tmas_assets.assets.campaign import iteration_range
from tmas_assets.assets.experiment import ExperimentFault, ExperimentFile
from tmas_assets.assets.of_strategy import own_assets
from tmas_assets.assets.running import cells_of
from tmas_assets.assets.summary import page_path, read_row, summarise, summary_address
from tmas_assets.commands.bar import Bar, Lines
from tmas_assets.commands.dagster_home import prepare_dagster_home
from tmas_assets.commands.decision_table import print_decisions
from tmas_assets.commands.faults import CommandFault
from tmas_assets.commands.place import stated_deployment
from tmas_assets.definitions import defs, experiment_files
from tmas_assets.engine import progress
from tmas_assets.grading import grader_version
from tmas_assets.records import Experiment, Figure, RoleTokens, Score
from tmas_assets.reports.notes import agreement_note, older_graders_note, regraded_note
from tmas_assets.reports.tables import figures_by_iteration, score_table, token_table
from tmas_assets.statistics import Agreement

_QUIET = {"loggers": {"console": {"config": {"log_level": "CRITICAL"}}}}


def _files() -> list[ExperimentFile]:
    try:
        return experiment_files()[1]
    except ExperimentFault as fault:
        raise CommandFault(f"the experiments under tmas_assets/defs cannot be loaded: {fault}") from fault


def find_experiment(name: str) -> ExperimentFile:
    """Raises CommandFault naming the nearest one there is."""
    known = {file.experiment.name: file for file in _files()}
    if name not in known:
        near = difflib.get_close_matches(name, known, n=1)
        hint = f"did you mean {near[0]}? " if near else ""
        raise CommandFault(
            f"no experiment {name!r}; {hint}known: {', '.join(sorted(known))}. "
            "Add one as tmas_assets/defs/<name>/defs.yaml"
        )
    return known[name]


def run_experiment(
    name: str, iterations: str, problems: Sequence[str], *, out: Console, live: bool, regrade: bool = False
) -> None:
    """Run the campaign job through Dagster and print its scores. Raises CommandFault with the reason it failed.

    `regrade`: only grade what is there again, which asks no model.
    """
    experiment = find_experiment(name).experiment
    try:
        iteration_range(iterations, experiment)
    except ValueError as fault:
        raise CommandFault(str(fault)) from fault
    stated_deployment()  # refused here, in a sentence, and not while the definitions load
    prepare_dagster_home()
    job = defs().resolve_job_def(f"{name}_campaign")
    config = {"iterations": iterations, "problems": list(problems), "regrade": regrade}
    before = _stored_scores(experiment) if regrade else ()
    bar = Bar(name)
    with dg.DagsterInstance.get() as instance, ExitStack() as shown:
        listener = bar.update
        if live and out.is_terminal:
            shown.enter_context(Live(bar, console=out, refresh_per_second=4, transient=True))
        elif live:
            listener = Lines(bar, out).update
        with progress.listening(listener):
            result = job.execute_in_process(
                instance=instance,
                run_config={"ops": {f"{name}_cells": {"config": config}}, **_QUIET},
                raise_on_error=False,
            )
    if bar.last is not None and not regrade:
        out.print(bar.closing_line(), highlight=False, soft_wrap=True)
    if not result.success:
        raise CommandFault(_reason(result))
    if own_assets(experiment) is not None:
        print_decisions(stated_deployment(), experiment, out=out)
        return
    _print_stored(experiment, out=out)
    if regrade:
        out.print(regraded_note(before, _stored_scores(experiment)), highlight=False, soft_wrap=True)


def _stored_scores(experiment: Experiment) -> tuple[Score, ...]:
    """Of the last summary; none where there is none, or one of an earlier form."""
    cells = cells_of(stated_deployment(), experiment)
    try:
        return cells.store.read(summary_address(cells, "scores"), Score)
    except StoreFault:
        return ()


def _print_stored(experiment: Experiment, *, out: Console) -> None:
    """What the campaign's own summary stored; reading all cells again would take as long once more."""
    deployment = stated_deployment()
    cells = cells_of(deployment, experiment)
    scores = cells.store.read(summary_address(cells, "scores"), Score)
    figures = cells.store.read(summary_address(cells, "figures"), Figure)
    both = cells.store.read(summary_address(cells, "agreement"), Agreement)
    row = read_row(cells.store, cells)
    print_figures(experiment.name, scores, figures, row.tokens_scratch if row else (), row.tokens_paid if row else (), out=out)
    _print_notes(scores, both[0] if both else None, out=out)
    _print_page(page_path(deployment, experiment), out=out)


def _print_notes(scores: Sequence[Score], both: Agreement | None, *, out: Console) -> None:
    for note in (agreement_note(both), older_graders_note(scores, grader_version)):
        if note:
            out.print(note, highlight=False, markup=False, soft_wrap=True)


def _reason(result: dg.ExecuteInProcessResult) -> str:
    for event in result.all_events:
        if event.is_step_failure:
            data = event.step_failure_data
            if data.error_source is ErrorSource.INTERRUPT:
                raise KeyboardInterrupt
            if data.user_failure_data and data.user_failure_data.description:
                return data.user_failure_data.description
            error = data.error.cause or data.error if data.error else None
            return f"{event.step_key}: {error.message.strip() if error else 'failed without a message'}"
    return f"run {result.run_id} failed before its first step; see it in the UI (`make ui`)"


def report_experiment(name: str, *, out: Console) -> None:
    """Sum up what is there, print it and say where the page lies."""
    experiment = find_experiment(name).experiment
    if own_assets(experiment) is not None:
        print_decisions(stated_deployment(), experiment, out=out)
        return
    try:
        made = summarise(stated_deployment(), experiment)
    except dg.Failure as fault:
        raise CommandFault(fault.description or str(fault)) from fault
    report = made.report
    if not report.scores:
        raise CommandFault(f"{name}: no graded cell under its present settings yet; make some with `tmas run {name}`")
    print_figures(name, report.scores, report.figures, report.tokens_scratch, report.tokens_paid, out=out)
    _print_notes(report.scores, report.agreement, out=out)
    _print_page(made.page, out=out)


def print_figures(
    name: str,
    scores: Sequence[Score],
    figures: Sequence[Figure],
    scratch: Sequence[RoleTokens],
    paid: Sequence[RoleTokens],
    *,
    out: Console,
) -> None:
    if scores:
        out.print(score_table(scores))
        out.print(figures_by_iteration(figures))
    else:
        out.print(f"{name}: no graded cell under its present settings yet")
    out.print(token_table(scratch, paid))


def _print_page(page: Path, *, out: Console) -> None:
    out.print(f"report page: {page}", highlight=False, soft_wrap=True)


def list_experiments(*, out: Console) -> None:
    headings = ("benchmark", "strategy", "iterations", "repeats", "model")
    table = Table(
        Column("experiment", style="bold", no_wrap=True), *(Column(one, overflow="fold") for one in headings),
        box=None, padding=(0, 1), pad_edge=False, header_style="bold",
    )  # fmt: skip
    for file in sorted(_files(), key=lambda one: one.experiment.name):
        e = file.experiment
        default = e.endpoints["default"]
        model = default.model or (default.managed.model if default.managed else "")
        table.add_row(e.name, e.benchmark.name, e.strategy.name, str(e.iterations), str(e.repeats), model)
    out.print(table)
    out.print("each is tmas_assets/defs/<experiment>/defs.yaml", style="dim", highlight=False)
