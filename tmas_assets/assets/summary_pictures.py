"""The pictures of a summary as the Dagster UI shows them: inline Markdown, small. Leaves out drawing them."""

import dagster as dg

from tmas_assets.assets.events import Metadata
from tmas_assets.reports.experiment_report import ExperimentReport
from tmas_assets.reports.figures import curve_markdown, pass_at_1_png
from tmas_assets.reports.standing import leaderboard_row
from tmas_assets.reports.summary_pictures import heat_map_png, memory_png, tokens_png
from tmas_assets.reports.token_curves import has_curves, token_curves_png
from tmas_assets.statistics import headline


def summary_pictures(report: ExperimentReport) -> Metadata:
    """Those that there is something to draw for."""
    row = leaderboard_row(report)
    by_tokens = token_curves_png([row], f"{report.name}: Pass@1 by tokens") if has_curves([row]) and len(row.curve) > 1 else None
    drawn = {
        "curve": ("Pass@1 by iteration", pass_at_1_png(report.scores) if headline(report.scores) else None),
        "curve_by_tokens": ("Pass@1 by tokens", by_tokens),
        "heat_map": ("Right answers by problem and iteration", heat_map_png(report.problems)),
        "memory_growth": ("Live lines of the memory banks by iteration", memory_png(report.banks)),
        "cost_by_role": ("Tokens by role", tokens_png(report.tokens_scratch, report.tokens_paid)),
    }
    return {name: dg.MetadataValue.md(curve_markdown(png, alt)) for name, (alt, png) in drawn.items() if png is not None}
