"""The spread over strata: shares by weight, levels inside a source, no repeats, and draws that follow from seed and keys alone."""

import random
from collections import Counter
from typing import NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tmas_assets.curation.balance import difficulty, filled, spread


class Item(NamedTuple):
    key: str
    source: str
    bin: str
    topic: str


def chosen(items, count, weights=None, seed=3):
    return spread(
        items, key=lambda item: item.key, strata=lambda item: (item.source, item.bin, item.topic), count=count, seed=seed,
        weights=weights or {"a": 1, "b": 1, "c": 1},
    )  # fmt: skip


def grid(**sizes):
    """`a_hard_sums=3`: three items of source a, bin hard, topic sums."""
    return [Item(f"{name}{i}", *name.split("_")) for name, size in sizes.items() for i in range(size)]


@st.composite
def collections(draw):
    cells = draw(st.dictionaries(st.tuples(*(st.sampled_from(names) for names in ("abc", "xyz", "pqr"))), st.integers(1, 12), max_size=12))
    return [Item(f"{''.join(cell)}{i}", *cell) for cell, size in cells.items() for i in range(size)]


@given(collections(), st.integers(0, 80), st.integers(0, 5))
def test_as_many_as_asked_for_or_all_and_the_rest_is_said(items, count, seed):
    found = chosen(items, count, seed=seed)
    assert len(found.chosen) == min(count, len(items))
    assert found.shortfall == count - len(found.chosen)
    assert len(set(found.chosen)) == len(found.chosen)
    assert set(found.chosen) <= set(items)


@given(collections(), st.integers(0, 40), st.randoms())
def test_the_order_of_the_items_decides_nothing(items, count, shuffler):
    other = list(items)
    shuffler.shuffle(other)
    assert chosen(other, count) == chosen(items, count)


@given(collections(), st.integers(0, 40))
def test_the_counts_by_stratum_are_those_of_the_choice(items, count):
    found = chosen(items, count)
    there, taken = (Counter((one.source, one.bin, one.topic) for one in some) for some in (items, found.chosen))
    assert {one.stratum: (one.there, one.chosen) for one in found.by_stratum} == {at: (there[at], taken[at]) for at in there}


@given(collections(), st.integers(0, 40))
def test_levels_differ_by_one_at_most_where_none_ran_out(items, count):
    found = chosen(items, count)
    for depth in range(3):
        there, taken = (Counter(one[1 : depth + 2] for one in some) for some in (items, found.chosen))
        for at in there:
            for other in (other for other in there if other[:-1] == at[:-1]):
                assert taken[at] + 1 >= taken[other] or taken[at] == there[at], (at, other)


@given(st.lists(st.tuples(st.integers(0, 30), st.floats(0.01, 100)), min_size=1, max_size=6), st.data())
def test_vessels_hold_what_was_poured_and_no_more_than_they_have_room_for(vessels, data):
    room = dict(enumerate(size for size, _ in vessels))
    weights = dict(enumerate(weight for _, weight in vessels))
    count = data.draw(st.integers(0, sum(room.values())))
    got = filled(room, weights, count, ties=str)
    assert sum(got.values()) == count
    assert all(0 <= got[name] <= room[name] for name in room)


def test_sources_get_shares_by_weight():
    items = grid(a_hard_sums=100, b_hard_sums=100, c_hard_sums=100)
    assert Counter(item.source for item in chosen(items, 40, {"a": 1, "b": 2, "c": 5}).chosen) == {"a": 5, "b": 10, "c": 25}


def test_what_cannot_be_shared_evenly_goes_to_the_largest_remainder():
    room = dict.fromkeys("abc", 100)
    assert filled(room, {"a": 1, "b": 2, "c": 4}, 8, ties=str) == {"a": 1, "b": 2, "c": 5}
    assert filled(room, {"a": 4, "b": 2, "c": 1}, 8, ties=str) == {"a": 5, "b": 2, "c": 1}


def test_what_a_source_lacks_the_others_give_in_proportion():
    items = grid(a_hard_sums=100, b_hard_sums=2, c_hard_sums=100)
    assert Counter(item.source for item in chosen(items, 42, {"a": 1, "b": 5, "c": 3}).chosen) == {"a": 10, "b": 2, "c": 30}


def test_difficulty_is_levelled_before_topics():
    items = grid(a_hard_sums=50, a_hard_products=50, a_hard_powers=50, a_easy_sums=50)
    found = chosen(items, 30).chosen
    assert Counter(item.bin for item in found) == {"hard": 15, "easy": 15}
    assert Counter(item.topic for item in found if item.bin == "hard") == {"sums": 5, "products": 5, "powers": 5}


def test_another_seed_chooses_other_items_and_gives_the_odd_one_to_another_stratum():
    items = grid(a_hard_sums=20, a_hard_products=20)
    sets = {frozenset(chosen(items, 5, seed=seed).chosen) for seed in range(20)}
    odd = {Counter(item.topic for item in some)["sums"] for some in sets}
    assert len(sets) == 20
    assert odd == {2, 3}


def test_more_items_of_another_source_change_no_draw_in_this_one():
    few, more = grid(a_hard_sums=20, b_hard_sums=20), grid(a_hard_sums=20, b_hard_sums=25)
    picked = [{item for item in chosen(items, 10).chosen if item.source == "a"} for items in (few, more)]
    assert picked[0] == picked[1]


def test_no_items_is_all_shortfall():
    assert chosen([], 4) == chosen([], 4)
    assert (chosen([], 4).chosen, chosen([], 4).shortfall) == ((), 4)


def test_two_items_of_one_key_are_refused():
    with pytest.raises(ValueError, match=r"1 keys stand for several items, e\.g\. 'a_hard_sums0'"):
        chosen(grid(a_hard_sums=1) * 2, 1)


def test_a_source_without_a_weight_is_refused():
    with pytest.raises(ValueError, match=r"no weight above 0 for the sources \['b'\]; weights are given for \['a'\]"):
        chosen(grid(a_hard_sums=1, b_hard_sums=1), 1, {"a": 1})


def test_strata_of_different_depth_are_refused():
    with pytest.raises(ValueError, match=r"strata have \[1, 2\] parts"):
        spread(["a", "ab"], key=str, strata=tuple, weights={"a": 1}, count=1, seed=0)


@pytest.mark.parametrize(
    ("p", "bin_"),
    [(None, "unmeasured"), (0, "unsolved"), (0.0, "unsolved"), (1 / 8, "hard"), (0.3333, "hard"), (1 / 3, "middle"), (0.5, "middle"),
     (2 / 3, "middle"), (0.6667, "easy"), (7 / 8, "easy"), (1, "always")],
)  # fmt: skip
def test_a_pass_rate_has_one_bin(p, bin_):
    assert difficulty(p) == bin_


@pytest.mark.parametrize("p", [-0.1, 1.1, float("nan")])
def test_what_is_no_share_has_none(p):
    with pytest.raises(ValueError, match="between 0 and 1"):
        difficulty(p)


def test_ten_thousand_items_take_no_time():
    draw = random.Random(0)
    items = [Item(str(i), draw.choice("abc"), draw.choice("xyz"), str(draw.randrange(100))) for i in range(10_000)]
    assert len(chosen(items, 4_400).chosen) == 4_400
