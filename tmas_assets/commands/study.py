"""`tmas run`, `tmas report` and `tmas compare` on a study: all members, then their comparison."""

from collections.abc import Sequence

import dagster as dg
from rich.console import Console

from tmas_assets.assets.run_tags import campaign_name
from tmas_assets.assets.study import StudyFile
from tmas_assets.assets.study_comparison import MadeComparison, compare_members
from tmas_assets.assets.summary_events import summarise_told
from tmas_assets.commands.bar import Bar
from tmas_assets.commands.dagster_home import prepare_dagster_home
from tmas_assets.commands.faults import CommandFault
from tmas_assets.commands.jobs import reasons, run_job
from tmas_assets.commands.place import stated_deployment
from tmas_assets.records import canonical_json
from tmas_assets.reports.standing_tables import paired_terminal, standing_table
from tmas_assets.reports.study import study_paired


def run_study(
    file: StudyFile, iterations: str, problems: Sequence[str], *, out: Console, live: bool, regrade: bool = False
) -> None:
    """Run the study's campaign through Dagster and print its comparison. Raises CommandFault with each member's reason."""
    name = file.study.name
    if iterations:
        raise CommandFault(
            f"{name} is a study, and its members have iterations of their own; give --iterations to one of them, e.g. "
            f"`tmas run {file.members[0].experiment.name} --iterations {iterations}`"
        )
    members = [member.experiment.name for member in file.members]
    config = {"problems": list(problems), "regrade": regrade}
    bar = Bar(name, members)
    result = run_job(campaign_name(name), {f"{member}_cells": config for member in members}, bar, out=out, live=live)
    if not regrade:
        for line in bar.closing_lines():
            out.print(line, highlight=False, soft_wrap=True)
    if not result.success:
        failed = reasons(result)
        rest = f" {len(failed)} of its steps failed:" if len(failed) > 1 else ""
        raise CommandFault(
            f"{name} is not complete.{rest} {' | '.join(failed.values())} Run again: what is made is kept; `tmas report {name}` "
            "compares what is there."
        )
    print_comparison(_compared(file), out=out)


def report_study(file: StudyFile, *, out: Console) -> None:
    """Sum up each member that has cells, asking no model, and compare them."""
    deployment = stated_deployment()
    prepare_dagster_home()
    with dg.DagsterInstance.get() as instance:
        for member in file.members:
            try:
                summarise_told(instance, deployment, member.experiment)
            except dg.Failure as fault:
                raise CommandFault(fault.description or str(fault)) from fault
    print_comparison(_compared(file), out=out)


def compare_study(file: StudyFile, *, as_json: bool, out: Console) -> None:
    """The members against the reference, from their last summaries."""
    made = _compared(file)
    if as_json:
        out.print_json(canonical_json([member.model_dump(mode="json") for member in made.report.members]))
        return
    print_comparison(made, out=out)


def _compared(file: StudyFile) -> MadeComparison:
    try:
        made = compare_members(stated_deployment(), file.study, file.members)
    except dg.Failure as fault:
        raise CommandFault(fault.description or str(fault)) from fault
    if len(made.left_out) == len(file.members):
        raise CommandFault(f"{file.study.name}: no member has a summary yet; make them with `tmas run {file.study.name}`")
    return made


def print_comparison(made: MadeComparison, *, out: Console) -> None:
    report = made.report
    out.print(standing_table(report.name, [(member.label, member.standing) for member in report.members]))
    paired = study_paired(report)
    if paired is not None:
        out.print(paired_terminal(paired))
        for doubt in paired.doubts:
            out.print(doubt, highlight=False, markup=False, style="yellow", soft_wrap=True)
    if made.left_out:
        out.print(f"not there yet: {', '.join(made.left_out)}", highlight=False, markup=False, soft_wrap=True)
    out.print(f"comparison page: {made.page}", highlight=False, soft_wrap=True)
