"""Problems of one source, and the error of a mean over them."""

import numpy as np
import pytest

from tests.statistics.test_interval import SHAPES
from tmas_assets.records import Problem
from tmas_assets.statistics import bootstrap, cluster_of, mean_interval


def problem(statement: str) -> Problem:
    return Problem(benchmark="b", release="1", id=statement, statement=statement, answer="1", grader="math")


def test_variants_that_differ_in_their_numbers_share_a_source() -> None:
    one, other = problem("Find the sum of the first 12 primes  above 3.5."), problem("Find the sum of the first 40 primes above\n1,000.")
    assert cluster_of(one) == cluster_of(other)
    assert cluster_of(one) != cluster_of(problem("Find the product of the first 12 primes above 3."))


def test_single_clusters_change_no_bit() -> None:
    values = [0.25, 0.5, 1.0, 0.0]
    assert mean_interval(values, clusters=["a", "b", "c", "d"]) == mean_interval(values)


def test_clustered_error_is_the_closed_form() -> None:
    # Two clusters of two: deviations 0.5, 0.5 and -0.5, -0.5; sums 1 and -1; sqrt(2 * 2 / 1) / 4 = 0.5.
    one = mean_interval([1.0, 1.0, 0.0, 0.0], clusters=["a", "a", "b", "b"])
    assert one is not None
    assert one.standard_error == pytest.approx(0.5, abs=1e-12)
    assert (one.clusters, one.problems, "clusters" in one.method) == (2, 4, True)


def test_the_plain_error_is_s_over_root_n() -> None:
    values = [0.1, 0.4, 0.4, 0.9, 0.2]
    one = mean_interval(values)
    assert one is not None
    assert one.standard_error == pytest.approx(np.std(values, ddof=1) / 5**0.5, abs=1e-12)


def test_one_cluster_says_nothing_about_others() -> None:
    one = mean_interval([1.0, 1.0, 0.0], clusters=["a"] * 3)
    assert one is not None
    assert (one.standard_error, one.low, one.high) == (None, 0.0, 1.0)


def test_equal_weights_change_nothing_and_heavy_problems_count_more() -> None:
    values = [0.25, 0.5, 1.0, 0.0]
    plain, equal = mean_interval(values), mean_interval(values, weights=[3.0] * 4)
    assert plain is not None
    assert equal is not None
    assert (equal.low, equal.high, equal.standard_error) == pytest.approx((plain.low, plain.high, plain.standard_error), abs=1e-12)
    heavy = mean_interval([1.0, 0.0], weights=[3.0, 1.0])
    assert heavy is not None
    assert heavy.value == 0.75


@pytest.mark.parametrize("wrong", [{"weights": [1.0]}, {"weights": [1.0, 0.0]}, {"clusters": ["a"]}])
def test_weights_and_clusters_have_to_fit(wrong) -> None:
    with pytest.raises(ValueError, match="2 problems need 2 weights"):
        mean_interval([0.5, 0.5], **wrong)


@pytest.mark.parametrize("clusters", [10, 30])
def test_covers_the_true_mean_where_three_problems_share_a_source(clusters: int) -> None:
    # All three have one chance: taking them for independent covers about four times in five.
    for number, (mean, concentration) in enumerate(SHAPES):
        draw = np.random.default_rng([clusters, number])
        chances = draw.beta(mean * concentration, (1 - mean) * concentration, size=(500, clusters))
        rates = np.repeat(draw.binomial(8, chances) / 8, 3, axis=1)
        keys = [i // 3 for i in range(3 * clusters)]
        covered = [mean_interval(row.tolist(), clusters=keys) for row in rates]
        share = sum(one is not None and one.low <= mean <= one.high for one in covered) / 500
        assert share >= 0.915, (mean, concentration, share)


def test_the_bootstrap_draws_clusters_and_not_problems() -> None:
    values = [1.0] * 6 + [0.0] * 6 + [0.5] * 6 + [0.25] * 6
    apart = bootstrap(values, 1)
    together = bootstrap(values, 1, clusters=[i // 6 for i in range(24)])
    assert apart is not None
    assert together is not None
    assert together.standard_error > 1.8 * apart.standard_error
    assert "clusters" in together.method


def test_the_bootstrap_comes_near_the_closed_form_and_repeats_from_its_seed() -> None:
    values = np.random.default_rng(4).beta(1, 2, size=80).tolist()
    one, again = bootstrap(values, 11), bootstrap(values, 11)
    plain = mean_interval(values)
    assert one is not None
    assert plain is not None
    assert one == again
    assert one.standard_error == pytest.approx(plain.standard_error, rel=0.05)
    assert (one.low, one.high) == pytest.approx((plain.low, plain.high), abs=0.03)


@pytest.mark.parametrize("values", [[], [0.5], [0.25] * 9])
def test_values_without_spread_have_no_bootstrap(values: list[float]) -> None:
    assert bootstrap(values, 1) is None
