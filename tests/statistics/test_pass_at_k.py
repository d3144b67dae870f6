"""pass@k against the labelled rows, a brute-force count and the published product form."""

import json
from itertools import combinations
from math import prod

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tmas_assets.statistics import pass_at_k, pass_hat_k


@pytest.mark.parametrize(
    ("row", "expected"),
    [
        pytest.param('{"n": 10, "c": 3, "k": 5}', 0.9166666666666667, id="p052"),
        pytest.param('{"n": 8, "c": 3, "k": 1}', 0.375, id="p053-k1-is-the-plain-rate"),
        pytest.param('{"n": 4, "c": 4, "k": 2}', 1.0, id="p055-all-right"),
        pytest.param('{"n": 3, "c": 0, "k": 8}', None, id="E04-k-over-n"),
        pytest.param('{"n": 3, "c": 3, "k": 8}', None, id="k-over-n-all-right"),
        pytest.param('{"n": 0, "c": 0, "k": 1}', None, id="no-answers"),
        pytest.param('{"n": 5, "c": 0, "k": 5}', 0.0, id="none-right"),
    ],
)
def test_labelled_rows(row: str, expected: float | None) -> None:
    value = pass_at_k(**json.loads(row))
    assert value == expected  # to the last bit, as the product gives it


@pytest.mark.parametrize("n", range(1, 8))
def test_equals_the_share_of_draws_that_hold_a_right_answer(n: int) -> None:
    for c in range(n + 1):
        for k in range(1, n + 1):
            draws = [any(one < c for one in draw) for draw in combinations(range(n), k)]
            assert pass_at_k(n, c, k) == pytest.approx(sum(draws) / len(draws), abs=1e-15)


@given(st.integers(1, 400).flatmap(lambda n: st.tuples(st.just(n), st.integers(0, n), st.integers(1, n))))
def test_equals_the_product_form_to_1e_12(ncK: tuple[int, int, int]) -> None:
    n, c, k = ncK
    product = 1.0 if n - c < k else 1.0 - prod(1.0 - k / i for i in range(n - c + 1, n + 1))
    assert pass_at_k(n, c, k) == pytest.approx(product, abs=1e-12)


def test_equals_the_estimator_published_with_humaneval_to_1e_12() -> None:
    # 1 - prod(1 - k / arange(n - c + 1, n + 1)) in numpy, as openai/human-eval states it, over its own range of n.
    import numpy as np

    for n in (1, 2, 5, 10, 20, 100, 200):
        for c in range(n + 1):
            for k in {1, 2, 10, 100, n} & set(range(1, n + 1)):
                theirs = 1.0 if n - c < k else 1.0 - np.prod(1.0 - k / np.arange(n - c + 1, n + 1))
                assert pass_at_k(n, c, k) == pytest.approx(theirs, abs=1e-12)


LAST_BIT = 1e-14
COUNTS = st.integers(1, 200).flatmap(lambda n: st.tuples(st.just(n), st.integers(0, n), st.integers(1, n)))


@given(COUNTS)
def test_grows_with_k_and_with_c(counts: tuple[int, int, int]) -> None:
    n, c, k = counts
    value = pass_at_k(n, c, k)
    assert value is not None
    assert k == n or value <= pass_at_k(n, c, k + 1) + LAST_BIT  # type: ignore[operator]
    assert c == n or value <= pass_at_k(n, c + 1, k) + LAST_BIT  # type: ignore[operator]


@given(COUNTS)
def test_all_right_is_at_most_one_right_at_most_any_right(counts: tuple[int, int, int]) -> None:
    n, c, k = counts
    assert pass_hat_k(n, c, k) <= pass_at_k(n, c, 1) <= pass_at_k(n, c, k) + LAST_BIT  # type: ignore[operator]
    assert pass_at_k(n, c, 1) == pass_hat_k(n, c, 1) == c / n


@pytest.mark.parametrize("n", range(1, 8))
def test_pass_hat_k_is_the_share_of_draws_that_are_all_right(n: int) -> None:
    for c in range(n + 1):
        for k in range(1, n + 1):
            draws = [all(one < c for one in draw) for draw in combinations(range(n), k)]
            assert pass_hat_k(n, c, k) == pytest.approx(sum(draws) / len(draws), abs=1e-12)


def test_pass_hat_k_of_more_answers_than_there_are_is_not_available() -> None:
    assert pass_hat_k(3, 3, 8) is None


def test_large_counts_neither_overflow_nor_round_to_nothing() -> None:
    assert pass_at_k(100_000, 1, 10) == pytest.approx(10 / 100_000, rel=1e-9)
    assert pass_at_k(20_000, 10_000, 10_000) == 1.0


@pytest.mark.parametrize(("n", "c", "k"), [(3, 4, 1), (3, -1, 1), (-1, 0, 1), (3, 1, 0)])
def test_impossible_counts_are_refused_with_the_counts(n: int, c: int, k: int) -> None:
    with pytest.raises(ValueError, match=f"n={n}, c={c}, k={k}"):
        pass_at_k(n, c, k)
