"""One experiment as a page of static HTML: it needs nothing but itself (no script, no network).

Leaves out gathering the rows, which an asset does, and the pages of its problems: those lie below it.
"""

from collections.abc import Mapping

from tmas_assets.reports.experiment_report import ExperimentReport, token_lines
from tmas_assets.reports.figure_table import figure_table, of_iteration
from tmas_assets.reports.figures import memory_picture, pass_at_1_picture, tokens_picture
from tmas_assets.reports.heat_map import heat_map
from tmas_assets.reports.page import render_page
from tmas_assets.reports.site.links import iteration_file
from tmas_assets.reports.standing import leaderboard_row
from tmas_assets.reports.token_curves import has_curves, token_curves_picture
from tmas_assets.statistics import headline
from tmas_assets.statistics.interval import METHOD

MOST_CELL_LINKS = 3000
"""Cells of the map beyond which they have no link of their own, so that the page stays small."""


def experiment_page(report: ExperimentReport, problem_folders: Mapping[str, str] | None = None) -> str:
    """The whole page as HTML text, to be written as UTF-8. Text of models and problems is shown, never read as HTML.

    `problem_folders`: by problem id, where its own pages lie, as a relative link; problems without any lead to their statement.
    """
    scores = tuple(sorted(report.scores, key=lambda score: score.iteration))
    quoted = headline(scores)
    first = next((score for score in scores if score.answers), None)
    tokens = report.tokens_scratch or report.tokens_paid
    standing, folders = leaderboard_row(report), problem_folders or {}
    shown = heat_map(report.problems)
    return render_page(
        "experiment.html.jinja",
        report=report,
        scores=scores,
        headline=quoted,
        first=first if first is not quoted else None,
        interval_method=next((one.method for one in report.figures if one.seed is None), METHOD),
        figures=figure_table(report.figures),
        quoted_figures=of_iteration(report.figures, quoted.iteration) if quoted else (),
        curve=pass_at_1_picture(scores) if quoted else None,
        tokens=tokens_picture(report.tokens_scratch, report.tokens_paid) if tokens else None,
        token_lines=token_lines(report.tokens_scratch, report.tokens_paid),
        memory=memory_picture(report.banks) if report.banks else None,
        bank_lines=tuple(sorted(report.banks, key=lambda size: (size.iteration, size.bank))),
        map=shown,
        token_curve=token_curves_picture([standing]) if has_curves([standing]) and len(standing.curve) > 1 else None,
        folders=folders,
        cell_links=len(shown.rows) * len(shown.iterations) <= MOST_CELL_LINKS,
        iteration_file=iteration_file,
    )
