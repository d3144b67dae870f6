"""A study's tables, plot and page: what is on which axis, what a cell says, and names that stay text."""

from base64 import b64decode
from collections.abc import Callable
from typing import Any

from tests.reports.test_leaderboard import HOSTILE, row
from tests.reports.test_tables import printed
from tests.statistics.test_comparison import side
from tmas_assets.records import Point, Score
from tmas_assets.reports.paired_table import BASES
from tmas_assets.reports.standing import CurvePoint
from tmas_assets.reports.standing_tables import paired_terminal, standing_table
from tmas_assets.reports.study import member_lines, study_markdown, study_page, study_paired, study_paired_markdown
from tmas_assets.reports.study_figures import panels, study_picture, study_png
from tmas_assets.reports.study_rows import MemberRow, StudyReport
from tmas_assets.statistics import compare

Scores = Callable[..., Score]


def member(
    label: str, score: Score | None, tokens: float = 1000.0, *, variant: str | None = None, **points: float | str
) -> MemberRow:
    made = tuple(
        Point(axis=axis, text=str(value), number=value if isinstance(value, int | float) else None)
        for axis, value in points.items()
    )
    end = None if score is None or score.value is None else CurvePoint(
        iteration=score.iteration, calls=12, tokens=tokens, usage_unknown=0, value=score.value, low=score.low, high=score.high, missing=0,
    )  # fmt: skip
    standing = row(f"s_{label}", score).model_copy(update={"curve": (end,) if end else ()})
    return MemberRow(label=label, experiment=f"s_{label}", variant=variant, points=made, standing=standing, against=())


def report(*members: MemberRow, axes: tuple[str, ...] = (), **change: Any) -> StudyReport:
    stated: dict[str, Any] = {"name": "s", "description": "", "reference": members[0].label, "each": "all combinations"}
    return StudyReport.model_validate(stated | {"axes": axes, "members": members} | change)


def places(of: StudyReport) -> list[dict[str, list[float]]]:
    return [{line.name: [at for at, _ in line.points] for line in panel.lines} for panel in panels(of)]


def test_one_number_varied_is_one_line_in_order_of_its_values(score_of: Scores) -> None:
    score = score_of(0, [0.5], 4)
    found = report(member("a", score, epsilon=0.5), member("b", score, epsilon=0), member("c", score, epsilon=0.2), axes=("epsilon",))
    assert places(found) == [{"": [0, 0.2, 0.5]}]
    assert panels(found)[0].ticks is None


def test_names_stand_in_the_order_of_the_file(score_of: Scores) -> None:
    score = score_of(0, [0.5], 4)
    found = report(member("a", score, banks="both"), member("b", score, banks="none"), axes=("banks",))
    assert panels(found)[0].ticks == ("both", "none")


def test_a_grid_has_its_first_number_along_the_axis_and_a_line_for_each_of_the_others(score_of: Scores) -> None:
    score = score_of(0, [0.5], 4)
    grid = [member(f"{b}{n}", score, banks=b, n=n) for b in ("on", "off") for n in (2, 4)]
    assert places(report(*grid, axes=("banks", "n"))) == [{"banks on": [2, 4], "banks off": [2, 4]}]


def test_strategies_with_a_field_varied_are_a_line_each(score_of: Scores) -> None:
    score = score_of(0, [0.5], 4)
    grid = [member(f"{s}{n}", score, variant=s, n=n) for s in ("tmas", "rsa") for n in (2, 4)]
    assert places(report(*grid, axes=("n",))) == [{"tmas": [2, 4], "rsa": [2, 4]}]


def test_one_at_a_time_is_a_panel_each_with_the_base_in_all(score_of: Scores) -> None:
    score = score_of(0, [0.5], 4)
    found = report(
        member("base", score, epsilon=0.2, n=8), member("e", score, epsilon=0.5), member("n", score, n=2), axes=("epsilon", "n"),
        each="one at a time",
    )  # fmt: skip
    assert [panel.axis for panel in panels(found)] == ["epsilon", "n"]
    assert places(found) == [{"": [0.2, 0.5]}, {"": [2, 8]}]
    assert study_picture(found) is not None


def test_strategies_alone_are_drawn_against_tokens(score_of: Scores) -> None:
    found = report(member("tmas", score_of(0, [0.5], 4)), member("rsa", score_of(0, [0.5], 4)))
    drawn = study_picture(found)
    assert drawn is not None
    svg = b64decode(drawn.light.removeprefix("data:image/svg+xml;base64,")).decode()
    assert ">tmas<" in svg
    assert "tokens a problem" in svg


def test_a_study_without_a_score_has_a_page_and_no_plot() -> None:
    found = report(member("a", None, n=1), member("b", None, n=2), axes=("n",))
    assert study_png(found) is None
    assert "Nothing is compared yet" in study_page(found)
    assert "Nothing is compared yet" in study_paired_markdown(found)
    assert [line.value for line in member_lines(found)] == ["–", "–"]


def test_a_line_has_values_answers_and_the_price_of_a_right_answer(score_of: Scores) -> None:
    chosen = score_of(2, [0.5, 1.0], 4, missing=4).model_copy(update={"chosen": True})
    found = report(member("a", chosen, 3000, n=4), axes=("n",))
    (line,) = member_lines(found)
    assert (line.label, line.differs, line.value, line.iteration) == ("a (reference)", ("4",), "75.00", "2")
    assert (line.answers, line.calls, line.tokens, line.tokens_per_right) == ("2 × 4 chosen, 4 missing", "12", "3 K", "4 K")
    nothing = report(member("a", score_of(0, [0.0], 4)))
    assert member_lines(nothing)[0].tokens_per_right == "–"


def test_the_same_report_gives_the_same_bytes(score_of: Scores) -> None:
    found = report(member("a", score_of(0, [0.5], 4), n=1), member("b", score_of(0, [0.25], 4), n=2), axes=("n",))
    assert study_page(found) == study_page(found)
    assert study_png(found) == study_png(found)


def test_text_of_a_file_is_shown_and_never_read_as_markup(score_of: Scores) -> None:
    hostile = member(HOSTILE, score_of(0, [0.5], 4), variant=HOSTILE, **{HOSTILE: HOSTILE})
    compared = compare(side(HOSTILE, {0: 2}, 100), side("r", {0: 3}, 100), seed=0, bases=BASES)
    found = report(hostile.model_copy(update={"against": compared}), axes=(HOSTILE,), description=HOSTILE, reference=HOSTILE)
    page = study_page(found)
    assert "<script" not in page
    assert "&lt;script&gt;alert(1)" in page
    rows = [line for line in study_markdown(found).splitlines() if line]
    assert len(rows) == 3


def test_terminal_tables_fit_eighty_columns(score_of: Scores) -> None:
    names = [f"tree_of_thoughts_{i}" for i in range(3)]
    rows = [(name, member(name, score_of(3, [0.5] * 200, 32), 12_345_678).standing) for name in names]
    shown = printed(standing_table("demo_strategies", rows), 80)
    assert all(len(line) <= 80 for line in shown.splitlines())
    assert "12.3 M" in shown
    assert "missing" not in shown
    partial = printed(standing_table("s", [("a", member("a", score_of(0, [0.5], 4, missing=28)).standing)]), 80)
    assert "1×4 −28" in partial
    assert "answers missing" in partial
    others = {name: compare(side(name, {0: 4}, 100), side("single", {0: 1}, 9), seed=0, bases=BASES) for name in names}
    found = report(*(member(name, None).model_copy(update={"against": others[name]}) for name in names))
    paired = study_paired(found)
    assert paired is not None
    told = printed(paired_terminal(paired), 80)
    assert all(len(line) <= 80 for line in told.splitlines())
    assert "+75.0" in told
