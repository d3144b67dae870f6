"""Experiments side by side: who stands where, and what a table lets through."""

from collections.abc import Callable

from markdown_it import MarkdownIt

from tmas_assets.records import Score
from tmas_assets.reports.experiment_report import ExperimentReport, ModelUse
from tmas_assets.reports.leaderboard import leaderboard, leaderboard_markdown, leaderboard_page, rivals
from tmas_assets.reports.standing import LeaderboardRow, leaderboard_row

Scores = Callable[..., Score]
HOSTILE = "a|b\n| c | <script>alert(1)</script> [x](javascript:alert(2)) ![y](http://z) *em* `code` &amp; \\| ~~s~~"


def row(experiment: str, score: Score | None, benchmark: str = "b", release: str = "1") -> LeaderboardRow:
    return LeaderboardRow(
        experiment=experiment, benchmark=benchmark, release=release, strategy="tmas", model="m", identity="m@1", score=score,
        majority=None, curve=(), tokens_scratch=(), tokens_paid=(),
    )  # fmt: skip


def test_whole_scores_go_by_value_then_partial_ones_then_none(score_of: Scores) -> None:
    rows = [
        row("none", None),
        row("partial", score_of(0, [1.0], 8, missing=8)),
        row("low", score_of(0, [0.25], 8)),
        row("tied_b", score_of(0, [0.5], 8)),
        row("tied_a", score_of(0, [0.5], 8)),
    ]
    (table,) = leaderboard(rows)
    assert [one.experiment for one in table.rows] == ["tied_a", "tied_b", "low", "partial", "none"]
    assert leaderboard(rows[::-1]) == (table,)


def test_releases_of_one_benchmark_do_not_share_a_table(score_of: Scores) -> None:
    score = score_of(0, [0.5], 8)
    tables = leaderboard([row("e", score, "imo", "v2"), row("f", score, "imo", "v1"), row("g", score, "aime", "v2")])
    assert [(table.benchmark, table.release) for table in tables] == [("aime", "v2"), ("imo", "v1"), ("imo", "v2")]


def test_a_row_takes_the_last_whole_iteration_and_every_model_once(
    report_of: Callable[..., ExperimentReport], score_of: Scores
) -> None:
    report = report_of(3, 3)
    running = score_of(3, [1.0], 8, missing=16)
    models = tuple(ModelUse(model=name, identity="i", roles=("r",)) for name in ("big", "small", "big"))
    one = leaderboard_row(report.model_copy(update={"scores": (*report.scores, running), "models": models}))
    assert one.score == report.scores[2]
    assert one.model == "big, small"
    assert (one.tokens_scratch, one.tokens_paid) == (report.tokens_scratch, report.tokens_paid)


def test_the_markdown_table_shows_interval_samples_and_tokens(report_of: Callable[..., ExperimentReport]) -> None:
    one = leaderboard_row(report_of(50, 2))
    assert one.score is not None
    assert one.score.low is not None
    assert one.score.high is not None
    assert one.majority is not None
    assert one.majority.value is not None
    line = leaderboard_markdown(leaderboard([one])).splitlines()[4]
    cells = [cell.strip() for cell in line.strip("|").split("|")]
    assert cells[3:] == [
        "1", f"{100 * one.score.value:.2f}", f"{100 * one.score.low:.1f} – {100 * one.score.high:.1f}",  # type: ignore[operator]
        f"{100 * one.majority.value:.2f}", "50 × 8", "0", "178", "394 K", "19,694,000", "≥ 6,499,020",
    ]  # fmt: skip


def test_text_cannot_leave_its_markdown_cell(score_of: Scores) -> None:
    hostile = row("e", score_of(0, [0.5], 8)).model_copy(update={"model": HOSTILE, "strategy": HOSTILE})
    rendered = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"])
    tokens = rendered.parse(leaderboard_markdown(leaderboard([hostile])))
    assert [token.type for token in tokens].count("td_open") == 13
    inline = [child for token in tokens for child in token.children or ()]
    assert {child.type for child in inline} <= {"text", "text_special"}
    model = next(token for token in tokens if token.type == "inline" and "script" in token.content)
    assert "".join(child.content for child in model.children or ()) == " ".join(HOSTILE.split())


def test_the_page_escapes_text_and_loads_nothing(score_of: Scores) -> None:
    hostile = row("e", score_of(0, [0.5], 8)).model_copy(update={"model": HOSTILE, "benchmark": HOSTILE})
    page = leaderboard_page(leaderboard([hostile, row("f", None), row("g", score_of(0, [1.0], 8, missing=3))]))
    assert "<script" not in page
    assert "&lt;script&gt;alert(1)" in page
    assert "src=" not in page
    assert "no answer graded yet" in page
    assert "3 missing" in page


def test_no_experiments_are_said_and_not_an_empty_table() -> None:
    assert leaderboard_markdown(()) == "No experiment has a summary yet."
    assert "No experiment has a summary yet." in leaderboard_page(())


def test_rivals_are_scored_rows_of_one_model_best_first(score_of: Scores) -> None:
    rows = [
        row("low", score_of(0, [0.25], 8)),
        row("high", score_of(0, [0.5], 8)),
        row("none", None),
        row("other", score_of(0, [1.0], 8)).model_copy(update={"identity": "m@2"}),
    ]
    (table,) = leaderboard(rows)
    assert [[one.experiment for one in own] for own in rivals(table)] == [["high", "low"]]


def test_models_measured_alike_stand_against_the_one_that_nobody_trained_here(score_of: Scores) -> None:
    def of(name: str, value: float, model: str, identity: str) -> LeaderboardRow:
        return row(name, score_of(0, [value], 8)).model_copy(update={"model": model, "identity": identity})

    rows = [
        of("trained", 0.75, "demo_grpo@t01 0123abcd", "c"), of("base", 0.5, "smollm2", "b"), of("sft", 0.25, "demo_sft@t00 0123abcd", "s"),
        of("elsewhere", 1.0, "other", "o"), of("twice", 0.5, "smollm2", "b"),
    ]  # fmt: skip
    (table,) = leaderboard(rows)
    alike = {"trained": "w", "base": "w", "sft": "w", "elsewhere": "v", "twice": "v2"}
    found = [[one.experiment for one in own] for own in rivals(table, alike)]
    assert found == [["base", "twice"], ["base", "trained", "sft"]]


def test_a_chosen_answer_is_said_to_be_one(score_of: Scores) -> None:
    chosen = row("e", score_of(0, [0.5, 1.0], 4).model_copy(update={"chosen": True}))
    assert "2 × 4 chosen" in leaderboard_markdown(leaderboard([chosen]))
    assert "2 × 4 chosen" in leaderboard_page(leaderboard([chosen]))


def test_judges_do_not_part_experiments_of_one_model(report_of: Callable[..., ExperimentReport]) -> None:
    solver, judge = ModelUse(model="m", identity="i", roles=("solution",)), ModelUse(model="j", identity="k", roles=("judge",))
    assert leaderboard_row(report_of(3, 1).model_copy(update={"models": (judge, solver)})).identity == "i"


def test_tokens_per_right_answer_are_those_of_one_run_by_its_chance_to_be_right(
    report_of: Callable[..., ExperimentReport],
) -> None:
    one = leaderboard_row(report_of(10, 3))
    assert one.end is not None
    assert one.score is not None
    assert one.score.value is not None
    assert (one.end.iteration, one.end.tokens) == (2, 590_820)
    assert one.tokens_per_right_answer == 590_820 / one.score.value
    none = one.model_copy(update={"curve": tuple(p.model_copy(update={"value": 0.0}) for p in one.curve)})
    assert none.tokens_per_right_answer is None


def test_the_curve_has_a_point_an_iteration_that_has_a_score(
    report_of: Callable[..., ExperimentReport], score_of: Scores
) -> None:
    report = report_of(4, 3)
    unscored = report.scores[1].model_copy(update={"value": None})
    curve = leaderboard_row(report.model_copy(update={"scores": (report.scores[2], unscored, report.scores[0])})).curve
    assert [point.iteration for point in curve] == [0, 2]
