"""Rewards of GRPO, one file each, found by a scan of this package; `advantages.py` turns the rewards of groups into advantages.

A reward is a pure function of a sample that was graded, and judged for novelty where it needs that. A module of this package that
defines `REWARD` is a reward. Leaves out grading and judging: `engine/training/scoring.py`.
"""

import importlib
import pkgutil
from collections.abc import Mapping, Sequence
from functools import cache

from pydantic import ValidationError

from tmas_assets.records import Record, RewardChoice, RlRow, RowSource
from tmas_assets.records.wrong_fields import nearest, wrong_fields
from tmas_assets.rewards._contract import Novelty, Reward, Sample, Scored

__all__ = [
    "Novelty", "Reward", "RewardFault", "Sample", "Scored", "in_force", "novelty", "of_source", "reward", "rewards", "score",
    "settings_of",
]  # fmt: skip


class RewardFault(ValueError):
    """A reward that is not known, or settings that it does not take: one argument a wrong field, its path first."""

    def __str__(self) -> str:
        return "; ".join(map(str, self.args))


@cache
def rewards() -> Mapping[str, Reward]:
    """Every reward of this package by name."""
    found = {}
    for module in pkgutil.iter_modules(__path__):
        made = getattr(importlib.import_module(f"{__name__}.{module.name}"), "REWARD", None)
        if made is not None:
            found[made.name] = made
    return dict(sorted(found.items()))


def reward(name: str) -> Reward:
    """Raises RewardFault with the known names."""
    if name not in rewards():
        raise RewardFault(f"name: no reward {name!r}; {nearest(name, list(rewards()))}")
    return rewards()[name]


def settings_of(choice: RewardChoice) -> Record:
    """The validated settings. Raises RewardFault that names each wrong field."""
    kind = reward(choice.name).Settings
    try:
        return kind.model_validate(choice.settings)
    except ValidationError as error:
        raise RewardFault(*(f"settings.{path}: {words}" for path, words in wrong_fields(error, kind))) from error


def in_force(row: RlRow, choices: Sequence[RewardChoice]) -> tuple[RewardChoice, ...]:
    """The rewards that count for samples of `row`."""
    return of_source(row.source, choices)


def of_source(source: RowSource, choices: Sequence[RewardChoice]) -> tuple[RewardChoice, ...]:
    """Those that apply to rows of this source, without those that another one replaces there."""
    own = [choice for choice in choices if source in reward(choice.name).sources]
    replaced = {name for choice in own for name in reward(choice.name).replaces}
    return tuple(choice for choice in own if choice.name not in replaced)


def novelty(source: RowSource, choices: Sequence[RewardChoice]) -> Novelty | None:
    """How the novelty of samples of such rows is to be found; None where no reward in force asks for it.

    Raises RewardFault where two ask for it in different ways, since a sample has one.
    """
    ways = {choice.name: reward(choice.name).novelty(settings_of(choice)) for choice in of_source(source, choices)}
    asked = {name: way for name, way in ways.items() if way is not None}
    if len(set(asked.values())) > 1:
        raise RewardFault(f"settings: {' and '.join(asked)} find the novelty of {source} rows in different ways; give both the same")
    return next(iter(asked.values()), None)


def score(sample: Sample, choices: Sequence[RewardChoice]) -> Scored:
    """The weighted sum of the rewards in force, and each of them unweighted. None where one of them cannot be told: half a
    reward would teach something else than was meant."""
    parts = [(choice, reward(choice.name).value(sample, settings_of(choice))) for choice in in_force(sample.row, choices)]
    told = tuple((choice.name, value) for choice, value in parts if value is not None)
    whole = bool(parts) and len(told) == len(parts)
    total = sum(choice.weight * value for choice, value in parts if value is not None) if whole else None
    return Scored(total=total, parts=told, outcome=sample.outcome, novel=sample.novel)
