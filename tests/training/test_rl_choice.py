"""The choice of rows: to the number or short of it and said so, balanced, each prompt once, whatever order they come in."""

import random
from collections import Counter
from functools import cache

import pytest

from tests.training.rounds import SETTINGS, candidate, rate, seen, simulated
from tmas_assets.training.rl_choice import LED, MISLED, choose_rows, union, verdict_class
from tmas_assets.training.rl_rows import guideline_rows, normal_rows

WEIGHTS = {"sums": 1, "powers": 3}


@cache
def normal(count=12):
    """Of two sources, three topics and three pass rates each."""
    made = []
    for source in WEIGHTS:
        for number in range(count):
            of = candidate(f"{source}{number}", source=source, topic=f"topic{number % 3}")
            made += normal_rows(of, rate(of, (0.125, 0.5, 0.875)[number // 3 % 3]), SETTINGS, data_set="cold", most=1)
    return tuple(made)


@cache
def guided():
    """Of six problems: half of them saw right answers in every round."""
    made = []
    for number in range(6):
        of = candidate(f"p{number}")
        rounds = [seen(one.round, of, outcomes=("right" if number % 2 else "wrong",) * 4) for one in simulated(of)]
        made += guideline_rows(rounds, SETTINGS, data_set="cold", most=9, seed=0)
    return tuple(made)


def choose(rows, count, source="normal", seed=5):
    return choose_rows(rows, source, count=count, weights=WEIGHTS, seed=seed)


def test_rows_are_numbered_in_an_order_that_the_seed_draws():
    found = choose(normal(), 10)
    assert [row.extra_info.index for row in found.chosen] == list(range(10))
    orders = {tuple(row.extra_info.problem for row in choose(normal(), 24, seed=seed).chosen) for seed in range(5)}
    assert len(orders) == 5


def test_the_order_of_the_candidate_rows_decides_nothing():
    other = list(normal())
    random.Random(1).shuffle(other)
    assert choose(other, 10) == choose(normal(), 10)


@pytest.mark.parametrize("seed", range(3))
def test_sources_have_shares_by_weight_and_difficulty_and_topic_are_level(seed):
    chosen = choose(normal(), 12, seed=seed).chosen
    assert Counter(row.extra_info.origin for row in chosen) == {"sums": 3, "powers": 9}
    powers = [row.extra_info for row in chosen if row.extra_info.origin == "powers"]
    assert Counter(info.p_base for info in powers) == {0.125: 3, 0.5: 3, 0.875: 3}
    assert Counter((info.p_base, info.topic) for info in powers) == Counter({(p, f"topic{n}"): 1 for p in (0.125, 0.5, 0.875) for n in range(3)})


def test_too_few_rows_are_all_taken_once_and_the_rest_is_said():
    found = choose([*normal(), *normal()], 100)
    assert (len(found.chosen), found.shortfall) == (24, 76)
    assert len({row.prompt for row in found.chosen}) == 24


def test_equal_prompts_of_two_problems_are_one_row_of_the_first():
    first, twin = candidate("p1"), candidate("p1", source="powers")
    made = [row for of in (twin, first) for row in normal_rows(of, rate(of), SETTINGS, data_set="cold", most=1)]
    assert made[0].prompt == made[1].prompt
    assert [row.extra_info.problem for some in (made, made[::-1]) for row in choose(some, 5).chosen] == ["powers/p1"] * 2


def test_both_verdict_classes_are_there_in_equal_numbers():
    few = [row for row in guided() if verdict_class(row) == MISLED][:2]
    many = [row for row in guided() if verdict_class(row) == LED]
    assert Counter(map(verdict_class, choose(guided(), 6, "guideline").chosen)) == {LED: 3, MISLED: 3}
    assert Counter(map(verdict_class, choose([*many, *few], 7, "guideline").chosen)) == {LED: 5, MISLED: 2}
    assert len(set(map(verdict_class, choose(guided(), 2, "guideline").chosen))) == 2


def test_rows_of_another_set_are_refused():
    with pytest.raises(ValueError, match=r"a row of guideline .sums/p0. among those of normal"):
        choose(guided(), 3)


def test_the_union_holds_every_row_once_mixed_and_numbered_anew():
    sets = [choose(normal(), 12).chosen, choose(guided(), 12, "guideline").chosen]
    mixed = union(sets, seed=1)
    assert [row.extra_info.index for row in mixed] == list(range(24))
    assert {row.prompt for row in mixed} == {row.prompt for some in sets for row in some}
    assert {row.source for row in mixed[:8]} == {"normal", "guideline"}
    assert union(sets[::-1], seed=1) == mixed != union(sets, seed=2)
