"""Best-of-k against enumeration."""

from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tmas_assets.statistics import best_of_k, pass_at_k, pass_hat_k


@given(st.lists(st.booleans(), min_size=1, max_size=9), st.integers(1, 10))
def test_equals_the_enumeration_of_all_subsets(ranked: list[bool], k: int) -> None:
    value = best_of_k(ranked, k)
    if k > len(ranked):
        assert value is None
        return
    draws = [ranked[min(draw)] for draw in combinations(range(len(ranked)), k)]
    assert value == pytest.approx(sum(draws) / len(draws), abs=1e-12)


@given(st.lists(st.booleans(), min_size=1, max_size=40), st.integers(1, 40))
def test_lies_between_all_right_and_any_right(ranked: list[bool], k: int) -> None:
    n, c = len(ranked), sum(ranked)
    if k <= n:
        assert pass_hat_k(n, c, k) <= best_of_k(ranked, k) + 1e-12  # type: ignore[operator]
        assert best_of_k(ranked, k) <= pass_at_k(n, c, k) + 1e-12  # type: ignore[operator]


def test_a_perfect_verifier_reaches_the_oracle_and_a_reversed_one_the_floor() -> None:
    assert best_of_k([True] * 3 + [False] * 5, 4) == pass_at_k(8, 3, 4)
    assert best_of_k([False] * 5 + [True] * 3, 3) == pass_hat_k(8, 3, 3)


def test_no_k_is_refused() -> None:
    with pytest.raises(ValueError, match="k >= 1"):
        best_of_k([True], 0)
