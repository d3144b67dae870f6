"""The paired difference: closed forms, coverage by simulation, symmetry, the sign-flip test against enumeration."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tmas_assets.statistics import mean_interval, paired_difference
from tmas_assets.statistics.paired import difference_interval


def named(values: list[float]) -> dict[str, float]:
    return {f"p{i:03}": value for i, value in enumerate(values)}


SHARES = st.lists(st.tuples(st.integers(0, 8), st.integers(0, 8)), min_size=1, max_size=12)


def both(pairs: list[tuple[int, int]]) -> tuple[dict[str, float], dict[str, float]]:
    return named([a / 8 for a, _ in pairs]), named([b / 8 for _, b in pairs])


def test_standard_error_is_the_closed_form() -> None:
    a, b = [0.5, 0.75, 1.0, 0.25], [0.25, 0.75, 0.5, 0.5]
    differences = np.array(a) - np.array(b)
    one = paired_difference(named(a), named(b), seed=0)
    assert one is not None
    assert one.value == pytest.approx(differences.mean(), abs=1e-12)
    assert one.standard_error == pytest.approx(differences.std(ddof=1) / 2, abs=1e-12)
    assert (one.wins, one.losses, one.ties, one.problems) == (2, 1, 1, 4)
    assert (one.mean_a, one.mean_b) == (0.625, 0.5)


@settings(max_examples=30, deadline=None)
@given(SHARES)
def test_swapping_the_sides_mirrors_everything(pairs: list[tuple[int, int]]) -> None:
    a, b = both(pairs)
    one, other = paired_difference(a, b, seed=3), paired_difference(b, a, seed=3)
    assert one is not None
    assert other is not None
    assert (one.value, one.low, one.high) == pytest.approx((-other.value, -other.high, -other.low), abs=1e-12)
    assert (one.wins, one.losses, one.ties) == (other.losses, other.wins, other.ties)
    assert one.p == pytest.approx(other.p, abs=1e-12)
    if one.bootstrap_low is not None:
        assert (one.bootstrap_low, one.bootstrap_high) == pytest.approx((-other.bootstrap_high, -other.bootstrap_low), abs=1e-9)  # type: ignore[operator]


@settings(max_examples=30, deadline=None)
@given(SHARES.filter(lambda pairs: len(pairs) <= 9))
def test_the_test_tries_all_signs_where_they_are_few(pairs: list[tuple[int, int]]) -> None:
    differences = [a - b for a, b in pairs]
    sums = [abs(sum(s * d for s, d in zip(signs, differences, strict=True))) for signs in product((1, -1), repeat=len(pairs))]
    exact = sum(one >= abs(sum(differences)) for one in sums) / len(sums)
    one = paired_difference(*both(pairs), seed=0)
    assert one is not None
    assert one.p == pytest.approx(exact, abs=1e-12)


def test_many_problems_take_random_signs_from_the_stored_seed() -> None:
    draw = np.random.default_rng(1)
    a, b = draw.binomial(8, 0.5, 60) / 8, draw.binomial(8, 0.35, 60) / 8
    one, again = (paired_difference(named(a.tolist()), named(b.tolist()), seed=7) for _ in range(2))
    assert one is not None
    assert one == again
    assert one.test == "9,999 random sign flips"
    assert one.p < 0.01


@settings(max_examples=30, deadline=None)
@given(SHARES, st.randoms())
def test_the_order_of_problems_changes_no_bit(pairs: list[tuple[int, int]], draw) -> None:
    a, b = both(pairs)
    names = list(a)
    draw.shuffle(names)
    assert paired_difference(a, b, seed=1) == paired_difference({n: a[n] for n in names}, {n: b[n] for n in names[::-1]}, seed=1)


def test_only_shared_problems_count_and_none_shared_is_no_difference() -> None:
    one = paired_difference({"p": 1.0, "q": 0.0}, {"q": 0.5, "s": 1.0}, seed=0)
    assert one is not None
    assert (one.problems, one.value) == (1, -0.5)
    assert paired_difference({"p": 1.0}, {"q": 1.0}, seed=0) is None


def test_one_problem_shows_nothing() -> None:
    one = paired_difference({"p": 1.0}, {"p": 0.0}, seed=0)
    assert one is not None
    assert (one.low <= 0 <= one.high, one.p, one.standard_error, one.bootstrap_low) == (True, 1.0, None, None)


def test_equal_sides_have_no_difference_and_still_a_width() -> None:
    one = paired_difference(named([0.5] * 20), named([0.5] * 20), seed=0)
    assert one is not None
    assert (one.value, one.p, one.ties) == (0.0, 1.0, 20)
    assert one.high == pytest.approx(-one.low, abs=1e-12)
    assert 0.05 < one.high < 0.2


def test_pairing_shows_what_two_intervals_side_by_side_do_not() -> None:
    # What baselines.md E computes: 50 problems of very different difficulty, 2.5 points apart everywhere.
    hard = [i / 50 for i in range(50)]
    a, b = [min(1.0, h + 0.025) for h in hard], hard
    one, apart = paired_difference(named(a), named(b), seed=0), (mean_interval(a), mean_interval(b))
    assert one is not None
    assert apart[0] is not None
    assert apart[1] is not None
    assert apart[0].low < apart[1].high
    assert one.p < 0.001
    assert one.standard_error is not None
    assert one.standard_error < 0.001


def test_problems_of_one_source_flip_their_signs_together() -> None:
    a, b = named([1.0] * 8), named([0.0] * 8)
    apart = paired_difference(a, b, seed=0)
    together = paired_difference(a, b, seed=0, clusters={name: int(name[1:]) // 4 for name in a})
    assert apart is not None
    assert together is not None
    assert (apart.p, together.p) == (2 / 256, 2 / 4)
    assert together.clusters == 2
    assert together.high - together.low > apart.high - apart.low


@pytest.mark.parametrize("answers", [1, 8])
@pytest.mark.parametrize("problems", [3, 10, 50])
def test_covers_the_true_difference_at_its_level(problems: int, answers: int) -> None:
    # A thousand comparisons a shape: 0.92 is four standard errors below 0.95. Plain t falls to 0.02 here.
    for number, (mean, concentration, gain) in enumerate([(0.05, 0.1, 0.0), (0.2, 1.0, 0.05), (0.8, 0.1, 0.05), (0.5, 20.0, 0.15)]):
        draw = np.random.default_rng([problems, answers, number])
        base = draw.beta(mean * concentration, (1 - mean) * concentration, size=(1000, problems))
        better = np.clip(base + gain, 0, 1)
        many = draw.beta(mean * concentration, (1 - mean) * concentration, size=200_000)
        true = float((np.clip(many + gain, 0, 1) - many).mean())
        rows = (draw.binomial(answers, better) - draw.binomial(answers, base)) / answers
        bounds = [difference_interval(row.tolist(), range(problems), 0.95) for row in rows]
        covered = sum(low <= true <= high for low, high, _ in bounds) / len(bounds)
        assert covered >= 0.92, (mean, concentration, gain, covered)


def test_a_value_that_is_no_share_is_named() -> None:
    with pytest.raises(ValueError, match="problem p has"):
        paired_difference({"p": 1.5}, {"p": 0.0}, seed=0)
