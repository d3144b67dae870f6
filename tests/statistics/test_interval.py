"""The interval over problems: coverage by simulation, small n, equal values, bounds."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tmas_assets.statistics import mean_interval
from tmas_assets.statistics.interval import t_quantile


@pytest.mark.parametrize(
    ("p", "df", "printed"),
    [  # rows of the t table printed in any textbook
        (0.975, 2, 4.303), (0.975, 10, 2.228), (0.975, 30, 2.042), (0.975, 120, 1.980),
        (0.95, 5, 2.015), (0.995, 4, 4.604), (0.995, 60, 2.660), (0.9995, 2, 31.599),
    ],
)  # fmt: skip
def test_quantiles_match_the_printed_table(p: float, df: int, printed: float) -> None:
    assert t_quantile(p, df) == pytest.approx(printed, abs=5.1e-4)


def test_closed_forms_of_the_quantile_hold() -> None:
    # Two degrees of freedom have a closed inverse: t = (2p - 1) / sqrt(2 p (1 - p)).
    for p in (0.6, 0.9, 0.975, 0.9999):
        assert t_quantile(p, 2) == pytest.approx((2 * p - 1) / (2 * p * (1 - p)) ** 0.5, rel=1e-12)


SHAPES = [
    # (mean, concentration): Beta-distributed chance of each problem; small concentration is nearly 0 or 1 only.
    (0.02, 0.5), (0.1, 0.1), (0.2, 0.5), (0.5, 0.1), (0.5, 2.0), (0.8, 20.0), (0.95, 2.0),
]  # fmt: skip


@pytest.mark.parametrize("answers", [1, 32])
@pytest.mark.parametrize("problems", [3, 10, 50])
def test_covers_the_true_mean_at_its_level(problems: int, answers: int) -> None:
    # A thousand benchmarks a shape: the standard error of a coverage of 0.95 is 0.007, so 0.925 is 3.5 of them.
    for number, (mean, concentration) in enumerate(SHAPES):
        draw = np.random.default_rng([7, problems, answers, number])
        chances = draw.beta(mean * concentration, (1 - mean) * concentration, size=(1000, problems))
        rates = draw.binomial(answers, chances) / answers
        intervals = [mean_interval(row.tolist()) for row in rates]
        covered = sum(one is not None and one.low <= mean <= one.high for one in intervals) / len(intervals)
        assert covered >= 0.925, (mean, concentration, covered)


def test_answers_of_one_problem_do_not_count_as_independent() -> None:
    # Half of 20 problems always right, half never: 32 answers each must not narrow the interval.
    one_answer = mean_interval([1.0] * 10 + [0.0] * 10)
    thirty_two = mean_interval([32 / 32] * 10 + [0 / 32] * 10)
    assert one_answer == thirty_two
    assert one_answer is not None
    assert one_answer.high - one_answer.low > 0.4


def test_no_problems_give_no_interval() -> None:
    assert mean_interval([]) is None


@pytest.mark.parametrize("value", [0.0, 0.375, 1.0])
def test_one_problem_says_nothing_about_the_others(value: float) -> None:
    one = mean_interval([value])
    assert one is not None
    assert (one.value, one.low, one.high, one.problems) == (value, 0.0, 1.0, 1)


@pytest.mark.parametrize("value", [0.0, 0.5, 1.0])
@pytest.mark.parametrize("problems", [2, 30, 400])
def test_equal_values_still_have_a_width_that_shrinks_with_problems(value: float, problems: int) -> None:
    narrow, wide = mean_interval([value] * problems), mean_interval([value] * (problems // 2))
    assert narrow is not None
    assert wide is not None
    assert 1 / (2 * problems) < narrow.high - narrow.low
    assert problems == 2 or narrow.high - narrow.low < wide.high - wide.low


@given(st.lists(st.floats(0, 1), min_size=1, max_size=60), st.floats(0.01, 0.999))
def test_the_value_lies_in_the_interval_and_the_interval_in_the_unit_range(values: list[float], level: float) -> None:
    one = mean_interval(values, level)
    assert one is not None
    assert 0 <= one.low <= one.value <= one.high <= 1


@given(st.lists(st.floats(0, 1), min_size=1, max_size=30))
def test_order_changes_no_bit(values: list[float]) -> None:
    assert mean_interval(values) == mean_interval(sorted(values))


@given(st.lists(st.floats(0, 1), min_size=1, max_size=30))
def test_counting_wrong_answers_instead_mirrors_the_interval(values: list[float]) -> None:
    one, other = mean_interval(values), mean_interval([1 - value for value in values])
    assert one is not None
    assert other is not None
    assert (1 - one.high, 1 - one.low) == pytest.approx((other.low, other.high), abs=1e-12)


@pytest.mark.parametrize("value", [float("nan"), float("inf"), -0.01, 1.01])
def test_a_value_that_is_no_share_is_named(value: float) -> None:
    with pytest.raises(ValueError, match="problem number 1 has the value"):
        mean_interval([0.5, value])


@pytest.mark.parametrize("level", [0.0, 1.0, 95.0])
def test_a_level_in_percent_is_refused(level: float) -> None:
    with pytest.raises(ValueError, match="strictly between 0 and 1"):
        mean_interval([0.5], level)
