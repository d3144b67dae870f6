"""Advantages by the reference, against the trainer's own code, and the trap: under `group` a bonus for right answers cancels."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.rewards.made import HYBRID, row, training
from tmas_assets.rewards import Sample, score
from tmas_assets.rewards.advantages import EPSILON, advantages, zero_variance

SCALES = ("group", "batch", "none")
scales = pytest.mark.parametrize("scale", SCALES)
REWARDS = st.lists(st.none() | st.sampled_from([-1.0, -0.5, 0.2, 1.0, 1.375]), min_size=4, max_size=4)


@scales
def test_equal_rewards_have_advantages_of_exactly_zero(scale):
    assert advantages([1.0] * 4, 4, scale) == (0.0, 0.0, 0.0, 0.0)
    assert advantages([0.1] * 6, 3, scale) == (0.0,) * 6
    assert zero_variance([1.0] * 4, 4) == 1.0


def test_a_missing_reward_gets_zero_and_counts_in_no_mean():
    found = advantages([1.0, None, 0.0, 1.0], 4, "none")
    assert found == pytest.approx([1 / 3, 0.0, -2 / 3, 1 / 3])
    assert advantages([1.0, None, 0.0, 1.0], 4, "group") == pytest.approx([one / (math.sqrt(1 / 3) + EPSILON) for one in found])


@scales
def test_nothing_is_learned_from_a_group_with_one_reward_or_none(scale):
    found = advantages([None, None, 3.0, None, 1.0, -1.0], 2, scale)
    assert found[:4] == (0.0, 0.0, 0.0, 0.0)
    assert found[4] > 0 > found[5]


def test_the_deviation_of_the_papers_table_is_that_of_a_sample():
    found = advantages([1.0, 0.2, -0.5, -1.0], 4, "group")
    assert found == pytest.approx([one / (0.86939 + EPSILON) for one in (1.075, 0.275, -0.425, -0.925)], rel=1e-5)


def test_under_batch_all_groups_share_one_deviation():
    rewards = [1.0, -1.0, 0.2, 0.0]
    found = advantages(rewards, 2, "batch")
    assert found[0] / found[2] == pytest.approx(1.0 / 0.1)
    assert advantages(rewards, 2, "group")[0] == pytest.approx(advantages(rewards, 2, "group")[2], rel=1e-2)


@pytest.mark.parametrize(("count", "group"), [(5, 4), (4, 0), (3, 2)])
def test_what_is_no_whole_group_is_refused(count, group):
    for work in (lambda r: advantages(r, group, "none"), lambda r: zero_variance(r, group)):
        with pytest.raises(ValueError, match=f"{count} rewards are no whole groups of {group}"):
            work([1.0] * count)


@pytest.mark.parametrize(
    ("rewards", "share"),
    [([1.0, 1.0, 1.0, -1.0], 0.5), ([None, None, 1.0, None], 1.0), ([1.0, None, 0.0, 1.0], 0.0), ([], 0.0)],
)
def test_the_share_of_groups_that_teach_nothing(rewards, share):
    assert zero_variance(rewards, 2 if share else 4) == share


@given(REWARDS, REWARDS, st.sampled_from(SCALES))
def test_advantages_are_finite_and_those_of_a_group_sum_to_zero(one, other, scale):
    found = advantages([*one, *other], 4, scale)
    assert all(map(math.isfinite, found))
    assert sum(found[:4]) == pytest.approx(0.0, abs=1e-9)


def hybrid(beta):
    """Rewards of a batch: right, wrong, right, wrong with experience, on problems of two pass rates, then a plain group."""
    choices = training(HYBRID[0], {"name": "experience_use", "settings": {"beta": beta}}, HYBRID[2]).grpo.rewards
    rows = [row("experience", p_base=0.0)] * 4 + [row("experience", p_base=0.75)] * 4 + [row("normal")] * 4
    outcomes = ["right", "wrong", "wrong", "wrong", "right", "right", "wrong", "right", "right", "wrong", "right", "wrong"]
    return [
        score(Sample(row=one, reply="x", outcome=outcome, novel=None), choices).total
        for one, outcome in zip(rows, outcomes, strict=True)
    ]


@pytest.mark.parametrize("beta", [0.5, 2.0, 100.0])
def test_under_group_the_experience_bonus_cancels_whatever_its_size(beta):
    assert hybrid(beta) != hybrid(0.0)
    assert advantages(hybrid(beta), 4, "group") == pytest.approx(advantages(hybrid(0.0), 4, "group"), abs=3 * EPSILON)


@pytest.mark.parametrize("scale", ["batch", "none"])
def test_under_batch_and_none_the_bonus_counts_and_more_so_on_hard_problems(scale):
    plain, found = advantages(hybrid(0.0), 4, scale), advantages(hybrid(0.5), 4, scale)
    assert max(abs(one - other) for one, other in zip(plain, found, strict=True)) > 0.1
    assert found[0] / plain[0] > found[4] / plain[4] > 1 if scale == "none" else found[0] / found[4] > plain[0] / plain[4]
