"""Advantages of groups of rewards, the reference that a trainer's numbers are held against (TRL 1.16, `GRPOTrainer`).

reward minus the mean of its group, divided by a deviation + 1e-4: that of its group, that of the whole batch, or nothing. Under
`group` any affine map of two-valued rewards gives the same advantages, so a bonus for right answers cancels whatever its size
(up to the 1e-4); under `batch` and `none` it counts. Pure. Leaves out rewards, and the trainer, which computes its own.
"""

import statistics
from collections.abc import Sequence
from typing import Literal

Scale = Literal["group", "batch", "none"]
EPSILON = 1e-4
"""Added to a deviation that is divided by."""


def advantages(rewards: Sequence[float | None], group: int, scale: Scale) -> tuple[float, ...]:
    """One of each sample; `group` samples in a row share a prompt. A sample without a reward gets 0 and counts in no mean.

    Deviations are those of a sample (n - 1), over samples that have a reward; where fewer than two have one there is none, and
    nothing is learned: 0. Raises ValueError where the rewards are no whole groups.
    """
    batch = _told(rewards)
    found: list[float] = []
    for one in _groups(rewards, group):
        told = _told(one)
        mean = statistics.mean(told) if told else None
        deviation = _deviation(told if scale == "group" else batch) if scale != "none" else None
        for reward in one:
            if reward is None or mean is None:
                found.append(0.0)
            elif scale == "none":
                found.append(reward - mean)
            else:
                found.append(0.0 if deviation is None else (reward - mean) / (deviation + EPSILON))
    return tuple(found)


def zero_variance(rewards: Sequence[float | None], group: int) -> float:
    """Share of groups that teach nothing: fewer than two different rewards are in them. A group without any reward is one, other
    than in TRL's `frac_reward_zero_std`, which under `batch` also looks at the batch. Raises as `advantages`; 0 for no groups."""
    groups = _groups(rewards, group)
    return sum(len(set(_told(one))) < 2 for one in groups) / len(groups) if groups else 0.0


def _groups(rewards: Sequence[float | None], group: int) -> list[Sequence[float | None]]:
    if group < 1 or len(rewards) % group:
        raise ValueError(f"{len(rewards)} rewards are no whole groups of {group}; give every sample of each prompt, in a row")
    return [rewards[start : start + group] for start in range(0, len(rewards), group)]


def _told(rewards: Sequence[float | None]) -> list[float]:
    return [reward for reward in rewards if reward is not None]


def _deviation(told: Sequence[float]) -> float | None:
    return statistics.stdev(told) if len(told) > 1 else None
