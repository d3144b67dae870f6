"""Shades and texts of the problem x iteration grid."""

import pytest

from tmas_assets.reports.heat_map import heat_map, shade
from tmas_assets.reports.report_rows import ProblemCell, ProblemRow


def row(problem: str, *cells: tuple[int, int, int, float | None]) -> ProblemRow:
    return ProblemRow(
        problem=problem, statement="s",
        cells=tuple(ProblemCell(iteration=t, right=r, answers=n, mean_verifier=v) for t, r, n, v in cells),
    )  # fmt: skip


def test_none_and_all_have_shades_of_their_own() -> None:
    assert [shade(share) for share in (0.0, 1 / 400, 0.5, 399 / 400, 1.0)] == [0, 1, 5, 9, 10]
    assert [shade(n / 32) for n in range(33)] == sorted(shade(n / 32) for n in range(33))


def test_every_row_has_a_cell_for_every_iteration_any_row_has() -> None:
    drawn = heat_map([row("a", (0, 1, 8, None), (2, 8, 8, None)), row("b", (1, 0, 8, None)), row("c")])
    assert drawn.iterations == (0, 1, 2)
    assert [[cell.shade for cell in one.right] for one in drawn.rows] == [[1, None, 10], [None, 0, None], [None] * 3]


def test_an_ungraded_cell_is_not_a_zero() -> None:
    (one,) = heat_map([row("a", (0, 0, 0, None), (1, 0, 8, None))]).rows
    assert [(cell.text, cell.shade) for cell in one.right] == [("", None), ("0", 0)]


def test_a_cell_with_another_number_of_answers_says_so() -> None:
    drawn = heat_map([row("a", (0, 3, 8, None), (1, 3, 4, None), (2, 1, 8, None))])
    assert drawn.answers == 8
    assert [cell.hint for cell in drawn.rows[0].right] == ["", "3 of 4", ""]
    assert drawn.rows[0].right[1].shade == shade(3 / 4)


def test_verifier_scores_have_their_own_cells_where_there_are_any() -> None:
    (one,) = heat_map([row("a", (0, 8, 8, 0.0), (1, 0, 8, 1.0), (2, 0, 8, None), (3, 0, 8, 0.625))]).rows
    assert [(cell.text, cell.shade) for cell in one.verifier] == [(".00", 0), ("1.00", 10), ("", None), (".62", 6)]
    assert not heat_map([row("a", (0, 8, 8, None))]).verified


def test_the_last_graded_iteration_is_named_beside_the_statement() -> None:
    assert heat_map([row("a", (0, 3, 8, None), (1, 5, 8, None), (2, 0, 0, None))]).rows[0].last == "5 of 8"


def test_two_cells_at_one_place_are_refused_by_problem() -> None:
    with pytest.raises(ValueError, match="problem a has two cells of one iteration"):
        heat_map([row("a", (0, 1, 8, None), (0, 2, 8, None))])
