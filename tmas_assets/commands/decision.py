"""`tmas decision`: reads a stored decision and keeps a person's word on it. Asks no model: `tmas run` does what follows."""

import json
import sys
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

import dagster as dg
from rich.console import Console
from rich.table import Table
from rich.text import Text

from resources.calls.call_log import CallLogError
from resources.deployment import Deployment
from resources.parquet_store import StoreFault
from tmas_assets.assets.decision_reports import make_report, write_report
from tmas_assets.assets.faults import cells_of, table_of
from tmas_assets.assets.of_strategy import own_assets
from tmas_assets.commands.faults import CommandFault
from tmas_assets.commands.finding import find_experiment
from tmas_assets.commands.place import stated_deployment
from tmas_assets.engine.cells import CellStore
from tmas_assets.engine.decisions import turns_of
from tmas_assets.engine.problems import UnknownProblem
from tmas_assets.engine.reviewing import ReviewFault, amend, approve, find_reply
from tmas_assets.records import Problem
from tmas_assets.reports.decision_markdown import NAMED
from tmas_assets.reports.decision_report import DecisionReport, RepeatReport
from tmas_assets.reports.notation import printable


def _stored(name: str, hypothesis: str) -> tuple[Deployment, CellStore, Problem]:
    """Raises CommandFault for an experiment or a hypothesis that is not there."""
    experiment = find_experiment(name).experiment
    if own_assets(experiment) is None:
        raise CommandFault(f"{name} is decided by nobody: its strategy is {experiment.strategy.name}, not team_decision")
    deployment = stated_deployment()
    try:
        [problem] = table_of(deployment, experiment).select([hypothesis], experiment.benchmark.limit)
        return deployment, cells_of(deployment, experiment), problem
    except UnknownProblem as fault:
        raise CommandFault(str(fault)) from fault
    except dg.Failure as fault:
        raise CommandFault(fault.description or str(fault)) from fault


def show_decision(name: str, hypothesis: str, *, reply: str, as_json: bool, out: Console) -> None:
    deployment, cells, problem = _stored(name, hypothesis)
    try:
        if reply:
            _print_reply(deployment, cells, problem, reply)
            return
        if as_json:
            sys.stdout.write(make_report(deployment, cells, problem).model_dump_json(indent=1) + "\n")
            return
        written = write_report(deployment, cells, problem)
    except dg.Failure as fault:
        raise CommandFault(fault.description or str(fault)) from fault
    except (ReviewFault, StoreFault, CallLogError) as fault:
        raise CommandFault(str(fault)) from fault
    _print_report(written.report, out)
    out.print(f"report page: {written.page}", highlight=False, soft_wrap=True)


def _print_reply(deployment: Deployment, cells: CellStore, problem: Problem, reply: str) -> None:
    """The record as it was read, else the reply itself: what `edit` takes."""
    _, turn = find_reply(turns_of(cells, problem), reply, problem)
    text = turn.data
    if text is None and turn.trace is not None:
        with closing(deployment.call_log()) as log:
            text = next((call.answer for call in log.calls([turn.trace.call])), None)
    spaced = _spaced(text or turn.text)
    # into a file or a pipe as it is; a terminal would obey what a model wrote
    sys.stdout.write((printable(spaced) if sys.stdout.isatty() else spaced) + "\n")


def _spaced(text: str) -> str:
    """JSON with a line a field, so that it can be edited; other text as it is."""
    try:
        return json.dumps(json.loads(text), indent=2, ensure_ascii=False)
    except ValueError:
        return text


def _print_report(report: DecisionReport, out: Console) -> None:
    flips = report.flips
    out.print(Text.assemble((report.problem, "bold"), f": {report.hypothesis.statement}"))
    if report.hypothesis.goal:
        out.print(Text(f"goal: {report.hypothesis.goal}"))
    out.print(Text(f"status: {report.status}"))
    for one in report.repeats:
        _print_repeat(one, out)
    if flips.flip_rate is not None:
        out.print(f"{flips.flip_rate:.0%} of {flips.decided} repeats decide otherwise than most", highlight=False)
    for check in report.checks:
        if check.outcome in ("warning", "failed"):
            out.print(Text(f"check {check.name}: {check.outcome}: {check.said}", style="yellow"))
    if waiting := [check.name for check in report.checks if check.outcome == "not yet"]:
        out.print(f"checks not yet passed, since the decision is not made: {', '.join(waiting)}", highlight=False)


def _print_repeat(one: RepeatReport, out: Console) -> None:
    if one.plan is not None:
        table = _table(f"repeat {one.repeat}: plan", "claim", "", "experts")
        for claim in one.plan.claims:
            table.add_row(claim.id, Text(claim.text), ", ".join(claim.experts))
        out.print(table)
        if one.plan_by is not None:
            out.print(Text(f"plan written by {one.plan_by}"))
        seats = _table(f"repeat {one.repeat}: at the table", "expert", "remit", "must answer")
        for seat in one.experts:
            seats.add_row(seat.name, Text(seat.remit), Text(" ".join(seat.questions)))
        out.print(seats)
        if one.approval is not None:
            out.print(Text(f"approved by {one.approval.who} on {one.approval.when:%Y-%m-%d %H:%M %Z}"))
    if one.voices:
        table = _table(f"repeat {one.repeat}: findings", "reply", "verdict", "score", "confidence", "reason")
        for voice in one.voices:
            by = f" (by {voice.person})" if voice.person is not None else ""
            said = voice.finding
            if said is None:
                table.add_row(Text(voice.turn + by), "not readable", "", "", Text(voice.parse_error or ""))
            else:
                table.add_row(Text(voice.turn + by), said.verdict, f"{said.score:g}", f"{said.confidence:g}", Text(said.reason))
        out.print(table)
    if (made := one.decision) is not None:
        consensus = made.consensus
        by = f" (written by {one.decision_by})" if one.decision_by is not None else ""
        out.print(Text.assemble((f"repeat {one.repeat}: {NAMED[made.decision]}", "bold"), f" {made.reason}{by}"))
        out.print(
            f"{consensus.within_one_step} of {consensus.asked} experts within one step of each other; "
            f"dissent: {', '.join(one.signed(each.expert) for each in made.dissent) or 'none'}", highlight=False,
        )  # fmt: skip
        if made.insufficient:
            out.print(f"lacking evidence: {', '.join(one.signed(each.expert) for each in made.insufficient)}", highlight=False)
        if made.red_team is not None:
            out.print(f"red team, told to argue the opposite: {made.red_team.verdict}", highlight=False)
        for why in (made.clamped, made.partial):
            if why:
                out.print(Text(why, style="yellow"))


def _table(title: str, *columns: str) -> Table:
    table = Table(title=title, title_justify="left", box=None, padding=(0, 1), header_style="bold", pad_edge=False)
    for column in columns:
        table.add_column(column, overflow="fold")
    return table


def approve_plan(name: str, hypothesis: str, *, who: str, why: str, out: Console) -> None:
    _, cells, problem = _stored(name, hypothesis)
    try:
        given = approve(cells, problem, who=who, when=datetime.now(UTC), why=why)
    except (ReviewFault, StoreFault) as fault:
        raise CommandFault(str(fault)) from fault
    plans = "its plan is" if len(given) == 1 else f"its {len(given)} plans, one a repeat, are"
    out.print(f"{problem.id}: {plans} approved; `tmas run {name} -p {problem.id}` goes on", highlight=False, soft_wrap=True)


def edit_reply(
    name: str, hypothesis: str, reply: str, *, text: str, file: Path | None, who: str, why: str, out: Console
) -> None:
    if bool(text) == (file is not None):
        raise CommandFault("give either --text or --file, and not both; to have the reply asked anew use `tmas decision again`")
    try:
        text = text or (file.read_text(encoding="utf-8") if file is not None else "")
    except (OSError, UnicodeDecodeError) as fault:
        raise CommandFault(f"{file} cannot be read as UTF-8 text: {fault}") from fault
    if not text.strip():
        raise CommandFault(f"{file} is empty; give what stands in the reply's place")
    _amend(name, hypothesis, reply, text=text, who=who, why=why, out=out)


def ask_again(name: str, hypothesis: str, reply: str, *, who: str, why: str, out: Console) -> None:
    _amend(name, hypothesis, reply, text=None, who=who, why=why, out=out)


def _amend(name: str, hypothesis: str, reply: str, *, text: str | None, who: str, why: str, out: Console) -> None:
    _, cells, problem = _stored(name, hypothesis)
    try:
        made = amend(cells, problem, reply, text=text, who=who, when=datetime.now(UTC), why=why)
    except (ReviewFault, StoreFault) as fault:
        raise CommandFault(str(fault)) from fault
    done = "is to be asked anew" if text is None else "is amended"
    out.print(
        f"{problem.id}: {made.sample} {done}; `tmas run {name} -p {problem.id}` makes what depends on it again",
        highlight=False, soft_wrap=True,
    )  # fmt: skip
