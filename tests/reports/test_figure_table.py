"""Figures as one line an iteration: which columns, in what order, and what an absent figure looks like."""

from collections.abc import Callable

from tests.reports.test_tables import printed
from tmas_assets.records import Figure, Score
from tmas_assets.reports.experiment_page import experiment_page
from tmas_assets.reports.experiment_report import ExperimentReport
from tmas_assets.reports.figure_table import figure_table
from tmas_assets.reports.leaderboard import leaderboard, leaderboard_markdown, leaderboard_page
from tmas_assets.reports.notation import untrusted
from tmas_assets.reports.standing import LeaderboardRow
from tmas_assets.reports.tables import figures_by_iteration, score_table

Reports = Callable[..., ExperimentReport]


def test_columns_are_the_mean_then_chances_then_what_chooses(report_of: Reports) -> None:
    shown = figure_table(report_of(5, 2, answers=8).figures)
    assert shown.columns == ("pass@1", "pass@2", "pass@4", "pass@8", "pass^8", "maj@8", "best-of-8", "oracle")
    assert [line.iteration for line in shown.lines] == [0, 1]


def test_a_figure_that_cannot_be_had_is_a_dash_with_its_reason(report_of: Reports) -> None:
    shown = figure_table(report_of(5, 1).figures)
    best = shown.lines[0].cells[shown.columns.index("best-of-8")]
    assert (best.text, best.hint) == ("–", "no answer has a verifier score")
    first = shown.lines[0].cells[0]
    assert "standard error" in first.hint


def test_an_iteration_with_fewer_answers_keeps_its_place(report_of: Reports) -> None:
    figures: tuple[Figure, ...] = report_of(5, 2).figures
    short = tuple(
        one.model_copy(update={"value": None, "why": "too few"}) if one.iteration == 1 and one.k == 8 else one for one in figures
    )
    shown = figure_table(short)
    assert [line.cells[shown.columns.index("pass@8")].text for line in shown.lines][1] == "–"


def test_no_figures_are_no_table() -> None:
    assert figure_table(()).lines == ()


def test_the_page_shows_figures_errors_and_agreement(report_of: Reports) -> None:
    page = experiment_page(report_of(5, 2))
    for text in ("Figures by iteration", "maj@8", "BCa bootstrap over problems, seed 5", "70.0 % of 50 answers", "kappa 0.40",
                 "2 judgements could not be read", "mean@8, answered only"):  # fmt: skip
        assert text in page
    unjudged = experiment_page(report_of(5, 2).model_copy(update={"agreement": None}))
    assert "kappa" not in unjudged


def test_the_terminal_has_all_columns_at_eighty(report_of: Reports) -> None:
    shown = printed(figures_by_iteration(report_of(5, 2).figures), 80)
    assert all(len(line) <= 80 for line in shown.splitlines())
    assert "oracle" in shown


def test_every_score_shown_carries_the_warning_where_code_ran_without_a_sandbox(
    report_of: Reports, score_of: Callable[..., Score]
) -> None:
    free = score_of(0, [0.5] * 4, 8).model_copy(update={"unsandboxed": 3})
    warning = untrusted(free)
    assert warning.startswith("Not to be trusted: iteration 0 of tmas_imo ran the code of 3 of 32 answers without a sandbox")
    row = LeaderboardRow(
        experiment="e", benchmark="b", release="1", strategy="s", model="m", identity="i", score=free, majority=None,
        curve=(), tokens_scratch=(), tokens_paid=(),
    )  # fmt: skip
    page = experiment_page(report_of(4, 1).model_copy(update={"scores": (free,)}))
    assert warning in page
    assert warning in leaderboard_page(leaderboard([row]))
    assert "Not to be trusted" in leaderboard_markdown(leaderboard([row]))
    assert " ".join(warning.split()) in " ".join(printed(score_table([free]), 300).split())
    safe = score_of(0, [0.5] * 4, 8)
    assert untrusted(safe) == ""
    assert "Not to be trusted" not in experiment_page(report_of(4, 1).model_copy(update={"scores": (safe,)}))
