"""Several experiments against one: what is told, what stands in a cell, and what a name lets through."""

import re

from tests.reports.test_leaderboard import HOSTILE, row
from tests.statistics.test_comparison import side
from tmas_assets.reports.leaderboard import leaderboard, leaderboard_markdown, leaderboard_page
from tmas_assets.reports.paired_table import BASES, PairedTable, paired_markdown, paired_table
from tmas_assets.statistics import Side, compare


def table(reference: Side, *others: Side) -> PairedTable:
    return paired_table(
        reference.experiment, {one.experiment: compare(one, reference, seed=0, bases=BASES) for one in others}
    )


def test_a_cell_has_difference_interval_iterations_and_the_ratio_of_what_was_spent() -> None:
    short, long = side("short", {0: 2, 1: 2}, 450, calls=8), side("long", dict.fromkeys(range(20), 3), 100, calls=8)
    found = table(long, short)
    assert found.columns == ("at their ends", "at equal iterations", "at equal calls", "at equal tokens")
    (line,) = found.lines
    assert [cell.at for cell in line.cells if cell] == [
        "t01 : t19, 0.45 × tokens", "t01 : t01, 4.5 × tokens", "t01 : t01, 1 × calls", "t01 : t08, 1 × tokens",
    ]  # fmt: skip
    assert [cell.difference for cell in line.cells if cell] == ["-25.0"] * 4


def test_a_difference_is_told_after_adjusting_for_all_of_the_column() -> None:
    # Seven problems won outright give p = 2/128; one such comparison tells, of eight none does.
    best, other = side("best", {0: 4}, 100, problems=7), side("other", {0: 0}, 100, problems=7)
    (line,) = table(best, other).lines
    assert line.cells[0] is not None
    assert (line.cells[0].told, line.cells[0].difference) == (True, "-100.0*")
    many = table(best, *(side(f"o{i}", {0: 0}, 100, problems=7) for i in range(8)))
    cells = [line.cells[0] for line in many.lines]
    assert [cell.told for cell in cells if cell] == [False] * 8
    assert all("p 0.016, adjusted 0.125" in cell.hint for cell in cells if cell)


def test_what_cannot_be_compared_is_a_dash_and_not_a_zero() -> None:
    (line,) = table(side("a", {0: 2}, 100), side("b", {0: 2}, 100, start=9)).lines
    assert line.cells == (None, None, None, None)
    assert "–" in paired_markdown(table(side("a", {0: 2}, 100), side("b", {0: 2}, 100, start=9)))


def test_other_graders_and_chosen_answers_are_said_under_the_table() -> None:
    voted = side("voted", {0: 2}, 100, chosen=True)
    found = table(side("plain", {0: 2}, 100), voted)
    assert found.doubts == ("Scores of the answers that were chosen: voted; mean over all answers: plain.",)
    assert "mean over all answers: plain" in paired_markdown(found)


def test_names_stay_in_their_cells_on_page_and_in_markdown() -> None:
    found = table(side(HOSTILE, {0: 2}, 100), side(HOSTILE + "2", {0: 3}, 100))
    (shown,) = leaderboard([row(HOSTILE, None)])
    shown = shown.model_copy(update={"paired": (found,)})
    page = leaderboard_page([shown])
    assert "<script" not in page
    lines = paired_markdown(found).splitlines()
    assert all(len(re.findall(r"(?<!\\)\|", line)) == 6 for line in lines[:3])
    assert all(len(re.findall(r"(?<!\\)\|", line)) in (0, 6, 14) for line in leaderboard_markdown([shown]).splitlines())
