"""The decisions of an experiment as a table in the terminal, in the place of the scores that it cannot have."""

import dagster as dg
from rich.console import Console
from rich.table import Table
from rich.text import Text

from resources.deployment import Deployment
from tmas_assets.assets.decision_reports import write_report
from tmas_assets.assets.faults import cells_of, table_of
from tmas_assets.commands.faults import CommandFault
from tmas_assets.records import Experiment
from tmas_assets.reports.decision_markdown import NAMED
from tmas_assets.reports.notation import percent, tokens_known, total_tokens


def print_decisions(deployment: Deployment, experiment: Experiment, *, out: Console) -> None:
    """One line a hypothesis; writes each one's report from what is stored. Raises CommandFault."""
    table = Table(box=None, padding=(0, 1), header_style="bold", pad_edge=False)
    for column in ("hypothesis", "decision", "repeats", "flips, %", "tokens", "status"):
        table.add_column(column, overflow="fold")
    pages = []
    try:
        cells = cells_of(deployment, experiment)
        for problem in table_of(deployment, experiment).select((), experiment.benchmark.limit):
            written = write_report(deployment, cells, problem)
            flips = written.report.flips
            table.add_row(
                Text(problem.id), NAMED[flips.commonest] if flips.commonest else "none", f"{flips.decided} of {flips.repeats}",
                percent(flips.flip_rate, 0), tokens_known(total_tokens(written.report.tokens)), Text(written.report.status),
            )  # fmt: skip
            pages.append(written.page)
    except dg.Failure as fault:
        raise CommandFault(fault.description or str(fault)) from fault
    out.print(table)
    for page in pages:
        out.print(f"report page: {page}", highlight=False, soft_wrap=True)
