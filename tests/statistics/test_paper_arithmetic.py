"""The arithmetic of TMAS (arXiv 2605.10344), Table 1: gap closures and the grid of 32 answers a problem."""

import csv
from pathlib import Path

import pytest

from tests.statistics.samples import grades
from tmas_assets.statistics import gap_closure, right_answers, samples_of, score_iteration

TABLE = Path(__file__).with_name("tmas_table1.csv")
PROBLEMS = {"imo50": 50, "hle100": 100}
Row = tuple[str, str, str, int, str]


def printed() -> list[Row]:
    """Model, benchmark, method, iteration, Pass@1 in percent as printed."""
    with TABLE.open(newline="") as lines:
        rows = list(csv.reader(lines))[1:]
    return [(model, benchmark, method, int(iteration), value) for model, benchmark, method, iteration, value in rows]


def last(model: str, benchmark: str, method: str) -> float:
    (value,) = [row[4] for row in printed() if row[:4] == (model, benchmark, method, 19)]
    return float(value)


@pytest.mark.parametrize(("benchmark", "percent"), [("imo50", "59.0"), ("hle100", "59.8")])
def test_hybrid_rl_closes_the_gap_to_the_larger_model_by_the_published_share(benchmark: str, percent: str) -> None:
    start, end, goal = (
        last("4B", benchmark, "TMAS"), last("4B", benchmark, "+ Hybrid-RL"), last("30B", benchmark, "TMAS"),
    )  # fmt: skip
    closed = gap_closure(start, end, goal)
    assert closed is not None
    assert f"{100 * closed:.1f}" == percent


def test_no_gap_is_not_closed_by_any_share() -> None:
    assert gap_closure(0.5, 0.7, 0.5) is None
    assert gap_closure(0.2, 0.2, 0.5) == 0
    assert gap_closure(0.2, 0.5, 0.5) == 1
    assert gap_closure(0.2, 0.1, 0.5) == pytest.approx(-1 / 3)


def test_published_figures_are_means_over_32_answers_a_problem() -> None:
    # All cells but one are multiples of 1/1600 (50 problems) or 1/3200 (100); 16 answers leave many off the grid.
    misfits = [row[:4] for row in printed() if right_answers(row[4], 32 * PROBLEMS[row[1]]) is None]
    assert len(printed()) == 132
    assert misfits == [("4B", "hle100", "Self-Refine", 19)]
    assert sum(right_answers(row[4], 16 * PROBLEMS[row[1]]) is None for row in printed()) > 24


def test_the_grid_is_refused_where_a_figure_lies_between_two_points() -> None:
    assert right_answers("13.39", 3200) is None
    assert right_answers("17.06", 1600) == 273
    assert right_answers("0.00", 1600) == 0
    assert right_answers("100.00", 1600) == 1600
    assert right_answers("59", 100) == 59


LAST = [pytest.param(row, id="-".join(row[:2])) for row in printed() if row[2:4] == ("TMAS", 19)]


@pytest.mark.parametrize("row", LAST)
def test_a_score_of_so_many_answers_prints_the_published_figure(row: Row) -> None:
    problems = [f"p{i:03}" for i in range(PROBLEMS[row[1]])]
    right = right_answers(row[4], 32 * len(problems))
    assert right is not None
    made = [
        grade
        for i, p in enumerate(problems)
        for grade in grades(p, ["right" if 32 * i + c < right else "wrong" for c in range(32)])
    ]
    of = samples_of(made, problems=problems, answers_per_problem=32, iteration=0, place="Table 1")
    assert sum(of.right.values()) == right
    score = score_iteration(
        made, problems=problems, answers_per_problem=32, experiment="tmas", benchmark=row[1], release="1", iteration=0,
        grades_digest="g",
    )  # fmt: skip
    assert score.value is not None
    assert (score.value * len(problems) * 32).is_integer()
    assert f"{100 * score.value:.2f}" == row[4]
