"""A choice of so many items, spread over strata: sources by weight, what lies inside a source level by level, seeded.

Pure. The choice follows from the seed and the items' keys, never from the order they come in. Leaves out what a stratum means;
`difficulty` names the bins of a pass rate.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Generic, Literal, TypeVar

from tmas_assets.records import digest

T = TypeVar("T")
K = TypeVar("K", bound=Hashable)
Stratum = tuple[str, ...]
"""The source first, then what is levelled inside it, the most important first: (source, difficulty, topic)."""
Difficulty = Literal["unmeasured", "unsolved", "hard", "middle", "easy", "always"]


@dataclass(frozen=True)
class StratumCount:
    stratum: Stratum
    there: int
    chosen: int


@dataclass(frozen=True)
class Spread(Generic[T]):
    chosen: tuple[T, ...]
    """In an order drawn by the seed."""
    shortfall: int
    """How many fewer than asked for: there were no more."""
    by_stratum: tuple[StratumCount, ...]
    """Every stratum that has items, sorted."""


def difficulty(p: float | None) -> Difficulty:
    """The bin of a pass rate: `unsolved` 0, `hard` under 1/3, `middle`, `easy` over 2/3, `always` 1; `unmeasured` for None.

    Raises ValueError for what is no share.
    """
    if p is None:
        return "unmeasured"
    if not 0 <= p <= 1:
        raise ValueError(f"a pass rate lies between 0 and 1, found {p}; measure the problem again")
    if p in (0, 1):
        return "always" if p else "unsolved"
    return "hard" if 3 * p < 1 else "easy" if 3 * p > 2 else "middle"


def spread(
    items: Sequence[T],
    *,
    key: Callable[[T], str],
    strata: Callable[[T], Stratum],
    weights: Mapping[str, float],
    count: int,
    seed: int,
) -> Spread[T]:
    """`count` of the items, or all where there are fewer; none twice.

    Sources (first part of a stratum) get shares by weight. Inside a source the values of the second part are levelled, inside
    each of these the values of the third, and so on: equal numbers as far as there are so many. What one has too few of goes
    to its neighbours, in the proportion of their weights. What cannot be shared out evenly, and the items inside a stratum,
    are drawn by the seed. Raises ValueError for two items of one key, strata of different depth, a source without a weight.
    """
    by_stratum = _by_stratum(items, key, strata)
    missing = sorted({stratum[0] for stratum in by_stratum} - {source for source, weight in weights.items() if weight > 0})
    if missing:
        raise ValueError(f"no weight above 0 for the sources {missing}; weights are given for {sorted(weights)}")
    there = {stratum: len(members) for stratum, members in by_stratum.items()}
    shares = _shares(there, min(count, len(items)), weights, seed, ())
    drawn: list[tuple[str, T]] = []
    for stratum, members in by_stratum.items():
        ranked = [(_rank(seed, *stratum, key(item)), item) for item in members]
        drawn += sorted(ranked, key=lambda pair: pair[0])[: shares[stratum]]
    return Spread(
        chosen=tuple(item for _, item in sorted(drawn, key=lambda pair: pair[0])),
        shortfall=max(0, count - len(items)),
        by_stratum=tuple(StratumCount(stratum, there[stratum], shares[stratum]) for stratum in sorted(there)),
    )


def _by_stratum(
    items: Sequence[T], key: Callable[[T], str], strata: Callable[[T], Stratum]
) -> dict[Stratum, list[T]]:
    twice = [name for name, times in Counter(map(key, items)).items() if times > 1]
    if twice:
        raise ValueError(f"{len(twice)} keys stand for several items, e.g. {min(twice)!r}; give each item a key of its own")
    found: dict[Stratum, list[T]] = defaultdict(list)
    for item in items:
        found[strata(item)].append(item)
    depths = sorted({len(stratum) for stratum in found})
    if len(depths) > 1 or depths == [0]:
        raise ValueError(f"strata have {depths} parts; give all items the same number of parts, the source first")
    return found


def _shares(
    there: Mapping[Stratum, int], count: int, weights: Mapping[str, float], seed: int, above: Stratum
) -> dict[Stratum, int]:
    """How many of `count` each stratum under `above` gives; `weights` hold for the sources alone."""
    level = len(above)
    below: dict[str, dict[Stratum, int]] = defaultdict(dict)
    for stratum, members in there.items():
        below[stratum[level]][stratum] = members
    shares = filled(
        {name: sum(part.values()) for name, part in below.items()},
        {name: weights[name] if level == 0 else 1 for name in below},
        count,
        ties=lambda name: _rank(seed, *above, name),
    )
    found: dict[Stratum, int] = {}
    for name, part in below.items():
        deeper = any(len(stratum) > level + 1 for stratum in part)
        found |= _shares(part, shares[name], weights, seed, (*above, name)) if deeper else dict.fromkeys(part, shares[name])
    return found


def filled(
    room: Mapping[K, int], weights: Mapping[K, float], count: int, *, ties: Callable[[K], str]
) -> dict[K, int]:
    """`count` poured over vessels with `room` in proportion to `weights`; a full one passes its share on to the others.

    Whole numbers: the largest remainders are rounded up, equal ones in the order of `ties`. `count` fits into them together.
    """
    level = {name: Fraction(0) for name in room}
    open_, left = [name for name, size in room.items() if size], Fraction(count)
    while open_:
        rise = left / sum(Fraction(weights[name]) for name in open_)
        full = [name for name in open_ if room[name] <= rise * Fraction(weights[name])]
        for name in full or open_:
            level[name] = Fraction(room[name]) if full else rise * Fraction(weights[name])
            left -= level[name]
        open_ = [name for name in open_ if name not in full] if full else []
    whole = {name: int(height) for name, height in level.items()}
    over = sorted((name for name in room if level[name] > whole[name]), key=lambda name: (whole[name] - level[name], ties(name)))
    for name in over[: count - sum(whole.values())]:
        whole[name] += 1
    return whole


def _rank(seed: int, *place: str) -> str:
    return digest([seed, *place])
