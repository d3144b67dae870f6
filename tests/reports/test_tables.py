"""Terminal tables: every figure whole, every name as it is written."""

import io
from collections.abc import Callable

from rich.console import Console
from rich.table import Table

from tmas_assets.records import RoleTokens, Score
from tmas_assets.reports.tables import score_table, token_table


def printed(table: Table, width: int = 100) -> str:
    out = io.StringIO()
    Console(file=out, width=width, color_system=None).print(table)
    return out.getvalue()


def test_a_hundred_columns_hold_all_figures_of_a_score(score_of: Callable[..., Score]) -> None:
    score = score_of(19, [0.25, 0.5] * 200, 32)
    shown = printed(score_table([score]))
    assert score.low is not None
    assert score.high is not None
    for text in ("tmas_imo on imo_answerbench v2", "37.50", f"{100 * score.low:.1f}–{100 * score.high:.1f}", "400×32",
                 "4,800", f"{score.wrong:,}", "512"):  # fmt: skip
        assert text in shown
    assert "…" not in shown


def test_scores_of_several_experiments_name_each(score_of: Callable[..., Score]) -> None:
    shown = printed(score_table([score_of(1, [0.5], 8), score_of(0, [0.5], 8, experiment="other")]), 140)
    assert shown.index("other") < shown.index("tmas_imo")


def test_no_answers_show_no_value(score_of: Callable[..., Score]) -> None:
    shown = printed(score_table([score_of(0, [], 8, missing=400)]))
    assert "–" in shown
    assert "0.00" not in shown
    assert "400" in shown


def test_tokens_from_scratch_and_paid_are_both_there_and_summed(
    tokens_of: Callable[..., tuple[RoleTokens, ...]],
) -> None:
    shown = printed(token_table(tokens_of(8000), tokens_of(30, unknown=3)[:1]))
    assert "1,097,600,000" in shown  # prompt tokens of all roles, from scratch
    assert [line.split()[-1] for line in shown.splitlines() if " paid " in line] == ["3", "–", "–", "–", "–", "3"]
    assert "…" not in shown


def test_brackets_in_a_name_are_no_markup() -> None:
    odd = RoleTokens(role="[red]judge[/red]", calls=1, prompt_tokens=1, completion_tokens=1, unknown=0)
    assert "[red]judge[/red]" in printed(token_table([odd], []))


def test_a_narrow_terminal_folds_figures_and_never_cuts_them(score_of: Callable[..., Score]) -> None:
    shown = printed(score_table([score_of(0, [0.5] * 400, 32)]), 40)
    assert "…" not in shown
