"""Steps of whole groups: none split, each in order, few fillers, and the same whoever asks and from where."""

import random
from collections import Counter
from itertools import groupby

import pytest

from tmas_assets.training.group_batches import Member, steps_of, table


def members(*sizes):
    return [Member(f"p{at}", order) for at, size in enumerate(sizes) for order in range(size)]


def steps(given, **changed):
    return steps_of(given, **{"batch": 4, "whole_groups": True, "epochs": 1.0, "max_steps": None, "seed": 0, **changed})


DRAW = random.Random(1)
SIZES = [DRAW.randint(1, 8) for _ in range(200)]


@pytest.mark.parametrize("seed", range(3))
def test_no_group_is_split_and_each_stands_in_order_of_generation(seed):
    made = steps(members(*SIZES), batch=8, epochs=3.0, seed=seed)
    assert {len(step) for step in made} == {8}
    times = Counter()
    for step in made:
        for name, run in groupby((one for one in step if one is not None), key=lambda one: one.group):
            run = list(run)
            times[name] += 1
            assert [one.order for one in run] == list(range(SIZES[int(name[1:])]))
    assert set(times.values()) == {3}  # once an epoch, and never in two pieces of one


def test_fillers_stand_last_in_a_step_and_are_few():
    made = steps(members(*SIZES), batch=8)
    for step in made:
        empty = [one is None for one in step]
        assert empty == sorted(empty)
    assert len(made) <= -(-sum(SIZES) // 8) * 1.1  # a tenth over the steps that no filler at all would need


def test_gaps_in_the_order_stay_gaps():
    given = [Member("p", order) for order in (7, 0, 3)]
    assert steps(given) == ((Member("p", 0), Member("p", 3), Member("p", 7), None),)


def test_the_order_in_which_members_are_given_plays_no_part():
    given = members(*SIZES)
    mixed = random.Random(0).sample(given, len(given))
    for whole in (True, False):
        assert steps(mixed, batch=8, whole_groups=whole) == steps(given, batch=8, whole_groups=whole)


def test_epochs_and_seeds_differ_in_the_steps():
    made = steps(members(*[2] * 40), epochs=2.0)
    assert made[:20] != made[20:]
    assert steps(members(*[2] * 40), seed=1) != made[:20]


def test_a_shorter_run_is_the_beginning_of_a_longer_one():
    given = members(*[2] * 40)
    longest = steps(given, epochs=3.0)
    assert steps(given, epochs=1.5) == longest[:30]
    assert steps(given, epochs=1.1) == longest[:22]
    assert steps(given, epochs=3.0, max_steps=33) == longest[:33]
    assert steps(given, epochs=1.0, max_steps=33) == longest[:20]


def test_half_an_epoch_is_at_least_a_step():
    assert len(steps(members(2), epochs=0.01)) == 1


def test_without_whole_groups_every_member_comes_once_an_epoch_and_only_the_last_step_is_filled():
    given = members(9, 1)
    first, second, third, *_ = made = steps(given, whole_groups=False, epochs=2.0)
    assert len(made) == 6
    assert None not in first + second
    assert [one is None for one in third] == [False, False, True, True]
    assert Counter(one for step in made for one in step if one) == dict.fromkeys(given, 2)
    assert made[:3] != made[3:]


def test_a_group_larger_than_a_step_is_refused_with_its_size_and_what_to_set():
    with pytest.raises(
        ValueError,
        match=r"group p1 has 6 conversations, and a step takes 4 \(1 more groups.*sft.batch to at least 6.*whole_groups",
    ):
        steps(members(2, 6, 5))
    assert steps(members(2, 6, 5), batch=6)


def test_a_member_given_twice_is_refused_by_name():
    with pytest.raises(ValueError, match="p0#1 stands for two"):
        steps([*members(2), Member("p0", 1)])


def test_no_members_are_refused():
    with pytest.raises(ValueError, match="no conversation to train on"):
        steps([])


def test_the_table_names_each_steps_conversations_in_order_without_fillers():
    made = table(steps(members(3, 3)))
    assert [(one.iteration, one.step) for one in made] == [(0, 1), (0, 2)]
    assert sorted(one.rows for one in made) == [("p0#0", "p0#1", "p0#2"), ("p1#0", "p1#1", "p1#2")]
