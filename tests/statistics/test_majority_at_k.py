"""maj@k against enumeration of every subset and every order, and the rules it states."""

from collections import Counter
from fractions import Fraction
from itertools import combinations, permutations
from math import comb

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tmas_assets.statistics import majority_at_k


def enumerated(votes: list[int], right: list[float], silent: int, k: int) -> float:
    """Every subset of k; of tied classes the one drawn first wins, over all orders, hence equal shares."""
    voters = [of for of, size in enumerate(votes) for _ in range(size)] + [None] * silent
    total = Fraction(0)
    for drawn in combinations(range(len(voters)), k):
        counts = Counter(voters[i] for i in drawn if voters[i] is not None)
        most = max(counts.values(), default=0)
        best = [of for of, count in counts.items() if count == most]
        total += sum((Fraction(right[of]) / len(best) for of in best), Fraction(0))
    return float(total / comb(len(voters), k))


CLASSES = st.lists(st.tuples(st.integers(1, 5), st.sampled_from([0.0, 1.0, 0.5])), max_size=6).filter(lambda c: sum(v for v, _ in c) <= 10)


@given(CLASSES, st.integers(0, 3), st.integers(1, 12))
def test_equals_the_enumeration_of_all_subsets(classes: list[tuple[int, float]], silent: int, k: int) -> None:
    votes, right = [v for v, _ in classes], [r for _, r in classes]
    value = majority_at_k(votes, right, silent, k)
    if k > sum(votes) + silent:
        assert value is None
    else:
        assert value == pytest.approx(enumerated(votes, right, silent, k), abs=1e-12)


def test_equal_shares_of_a_tie_are_what_first_drawn_wins_means_over_all_orders() -> None:
    answers = ["a", "b", "b", "a", "c"]
    won = Counter[str]()
    for order in permutations(answers, 4):
        counts = Counter(order)
        most = max(counts.values())
        won[next(one for one in order if counts[one] == most)] += 1
    for name in "abc":
        share = majority_at_k([2, 2, 1], [float(one == name) for one in "abc"], 0, 4)
        assert share == pytest.approx(won[name] / won.total(), abs=1e-12)


@given(CLASSES, st.integers(0, 3), st.integers(1, 12), st.randoms())
def test_the_order_of_classes_changes_nothing_and_all_stay_in_the_unit_range(classes, silent, k, draw) -> None:
    mixed = list(classes)
    draw.shuffle(mixed)
    one = majority_at_k([v for v, _ in classes], [r for _, r in classes], silent, k)
    assert one == majority_at_k([v for v, _ in mixed], [r for _, r in mixed], silent, k)
    assert one is None or 0 <= one <= 1


@given(CLASSES.filter(bool), st.integers(0, 3))
def test_a_vote_of_one_is_the_plain_rate(classes: list[tuple[int, float]], silent: int) -> None:
    votes, right = [v for v, _ in classes], [r for _, r in classes]
    rate = sum(v * r for v, r in classes) / (sum(votes) + silent)
    assert majority_at_k(votes, right, silent, 1) == pytest.approx(rate, abs=1e-12)


def test_the_whole_vote_of_an_untied_problem_is_all_or_nothing() -> None:
    assert majority_at_k([5, 3], [1.0, 0.0], 0, 8) == 1.0
    assert majority_at_k([5, 3], [0.0, 1.0], 0, 8) == 0.0
    assert majority_at_k([4, 4], [0.0, 1.0], 0, 8) == 0.5


def test_silence_is_no_vote_and_elects_nobody() -> None:
    assert majority_at_k([1], [1.0], 31, 32) == 1.0
    assert majority_at_k([], [], 4, 2) == 0.0
    assert majority_at_k([1], [1.0], 1, 1) == 0.5


def test_voting_helps_where_right_is_most_common_and_harms_where_it_is_not() -> None:
    helped = [majority_at_k([20, 12], [1.0, 0.0], 0, k) for k in (1, 3, 5, 9, 31)]
    assert helped == sorted(helped)
    harmed = [majority_at_k([20, 12], [0.0, 1.0], 0, k) for k in (1, 3, 5, 9, 31)]
    assert harmed == sorted(harmed, reverse=True)


def test_thirty_two_answers_in_many_classes_take_no_enumeration() -> None:
    sizes = [7, 5, 4, 4, 3, 2, 2, 1, 1, 1, 1, 1]
    right = [0.0, 1.0] + [0.0] * 10
    value = majority_at_k(sizes, right, 0, 16)
    assert value is not None
    assert 0.1 < value < 0.3
    every = [majority_at_k(sizes, [float(i == j) for j in range(12)], 0, 16) or 0.0 for i in range(12)]
    assert sum(every) == pytest.approx(1, abs=1e-12)  # somebody wins every vote


@pytest.mark.parametrize("counts", [([0], [1.0], 0, 1), ([1], [], 0, 1), ([1], [1.0], -1, 1), ([1], [1.0], 0, 0)])
def test_impossible_counts_are_refused(counts) -> None:
    with pytest.raises(ValueError, match="maj@k needs"):
        majority_at_k(*counts)
