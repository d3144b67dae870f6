"""Which states of a search go on: the best, or a draw weighted by value. Leaves out where values come from."""

import random
from collections.abc import Sequence
from typing import Literal

from tmas_assets.records import Record, Rollout


class Beam(Record):
    """The states of a round, their values and which go on: kept as the turn `beam`."""

    states: tuple[str, ...]
    """Rollout ids of all states, in order of candidate."""
    values: tuple[float | None, ...]
    """Of each state; None where no evaluation of it could be read."""
    kept: tuple[str, ...]
    """The states that go on, the best first."""
    best: str | None
    """The best state of the round, which is its answer so far; None where there is no state."""
    tied: int
    """How many states have the best one's value, itself included."""


def beam(
    states: Sequence[Rollout], values: Sequence[float | None], *, keep: int, select: Literal["greedy", "sample"], seed: int
) -> Beam:
    """At most `keep` of `states`, which are in order of candidate.

    The higher value is the better state. Of equal values one with a final answer is, then the lower candidate number;
    a state without value comes after all others. `sample` draws without replacement, with the values as weights; where
    none is left above 0 each is as likely.
    """
    order = sorted(range(len(states)), key=lambda i: _rank(states[i], values[i]))
    kept = order[:keep] if select == "greedy" else _draw(order, values, keep, random.Random(seed))
    return Beam(
        states=tuple(state.id for state in states),
        values=tuple(values),
        kept=tuple(states[i].id for i in order if i in kept),
        best=states[order[0]].id if order else None,
        tied=sum(value == values[order[0]] for value in values) if order else 0,
    )


def _rank(state: Rollout, value: float | None) -> tuple[bool, float, bool, int]:
    return value is None, -(value or 0.0), state.answer is None, state.candidate


def _draw(order: Sequence[int], values: Sequence[float | None], keep: int, draw: random.Random) -> list[int]:
    left = list(order)
    drawn: list[int] = []
    while left and len(drawn) < keep:
        weights = [values[i] or 0.0 for i in left]
        drawn.append(draw.choices(left, weights if any(weights) else None)[0])
        left.remove(drawn[-1])
    return drawn
