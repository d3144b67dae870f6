"""Holm's adjustment against its published example and by its promise."""

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tmas_assets.statistics import holm


def test_holm_multiplies_step_by_step_and_never_falls() -> None:
    # Holm, Scandinavian Journal of Statistics 6 (1979): smallest times n, the next times n - 1, ..., each at least the one before
    assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx((0.03, 0.06, 0.06, 0.02))


@given(st.lists(st.floats(0, 1), max_size=12))
def test_no_adjusted_value_is_below_its_own_or_above_one_and_order_is_kept(ps: list[float]) -> None:
    found = holm(ps)
    assert all(p <= adjusted <= 1 for p, adjusted in zip(ps, found, strict=True))
    for (p, adjusted), (q, other) in zip(zip(ps, found, strict=True), list(zip(ps, found, strict=True))[1:], strict=False):
        assert (p <= q) == (adjusted <= other) or adjusted == other


def test_ten_true_nothings_give_a_false_find_in_one_table_of_twenty() -> None:
    draw = Random(3)
    tables = [holm([draw.random() for _ in range(10)]) for _ in range(4000)]
    assert sum(min(table) < 0.05 for table in tables) / 4000 == pytest.approx(0.05, abs=0.012)


def test_what_is_no_p_value_is_refused() -> None:
    with pytest.raises(ValueError, match=r"lies in \[0, 1\]"):
        holm([0.5, float("nan")])
