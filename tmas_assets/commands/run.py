"""`tmas run`, `tmas report`, `tmas regrade`, `tmas experiments`: an experiment by its campaign job in this process; studies are `study.py`'s."""

from collections.abc import Sequence
from pathlib import Path

import dagster as dg
from rich.console import Console
from rich.table import Column, Table

from resources.parquet_store import StoreFault
from tmas_assets.assets.campaign import iteration_range
from tmas_assets.assets.faults import cells_of
from tmas_assets.assets.of_strategy import own_assets
from tmas_assets.assets.run_tags import campaign_name
from tmas_assets.assets.study import StudyFile
from tmas_assets.assets.summary import page_path, read_row, summary_address
from tmas_assets.assets.summary_events import summarise_told
from tmas_assets.commands.bar import Bar
from tmas_assets.commands.dagster_home import prepare_dagster_home
from tmas_assets.commands.decision_table import print_decisions
from tmas_assets.commands.faults import CommandFault
from tmas_assets.commands.finding import find, find_experiment, stated
from tmas_assets.commands.jobs import reasons, run_job
from tmas_assets.commands.place import stated_deployment
from tmas_assets.commands.study import report_study, run_study
from tmas_assets.engine.team import model_name
from tmas_assets.grading import grader_version
from tmas_assets.records import Experiment, Figure, RoleTokens, Score
from tmas_assets.reports.notes import agreement_note, older_graders_note, regraded_note
from tmas_assets.reports.tables import figures_by_iteration, score_table, token_table
from tmas_assets.statistics import Agreement


def run_named(
    name: str, iterations: str, problems: Sequence[str], *, out: Console, live: bool, regrade: bool = False
) -> None:
    """Run an experiment or a study. Raises CommandFault."""
    found = find(name)
    if isinstance(found, StudyFile):
        run_study(found, iterations, problems, out=out, live=live, regrade=regrade)
    else:
        run_experiment(name, iterations, problems, out=out, live=live, regrade=regrade)


def report_named(name: str, *, out: Console) -> None:
    """Sum up an experiment or a study. Raises CommandFault."""
    found = find(name)
    if isinstance(found, StudyFile):
        report_study(found, out=out)
    else:
        report_experiment(name, out=out)


def run_experiment(
    name: str, iterations: str, problems: Sequence[str], *, out: Console, live: bool, regrade: bool = False
) -> None:
    """Run the campaign job through Dagster and print its scores. Raises CommandFault with the reason it failed.

    `regrade`: only grade what is there again, which asks no model.
    """
    experiment = find_experiment(name).experiment
    try:
        iteration_range(iterations, name, experiment.iterations)
    except ValueError as fault:
        raise CommandFault(str(fault)) from fault
    config = {"iterations": iterations, "problems": list(problems), "regrade": regrade}
    before = _stored_scores(experiment) if regrade else ()
    bar = Bar(name)
    result = run_job(campaign_name(name), {f"{name}_cells": config}, bar, out=out, live=live)
    if bar.last is not None and not regrade:
        out.print(bar.closing_line(), highlight=False, soft_wrap=True)
    if not result.success:
        raise CommandFault(next(iter(reasons(result).values())))
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


def report_experiment(name: str, *, out: Console) -> None:
    """Sum up what is there, print it and say where the page lies."""
    experiment = find_experiment(name).experiment
    if own_assets(experiment) is not None:
        print_decisions(stated_deployment(), experiment, out=out)
        return
    try:
        prepare_dagster_home()
        with dg.DagsterInstance.get() as instance:
            made = summarise_told(instance, stated_deployment(), experiment)
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
    found = stated()
    for file in sorted(found.alone, key=lambda one: one.experiment.name):
        table.add_row(file.experiment.name, *_described(file.experiment))
    out.print(table)
    for study in sorted(found.studies, key=lambda one: one.study.name):
        members = ", ".join(f"_{member.label}" for member in study.members)
        out.print(f"\n[bold]{study.study.name}[/] is a study of {len(study.members)}: {members}", markup=True, highlight=False)
    out.print("\neach is tmas_assets/defs/<name>/defs.yaml; members are called <study>_<…>", style="dim", highlight=False)


def _described(e: Experiment) -> tuple[str, ...]:
    model = model_name(e.endpoints["default"])
    return (e.benchmark.name, e.strategy.name, str(e.iterations), str(e.repeats), model)
