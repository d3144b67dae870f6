"""p values of several comparisons in one table, adjusted so that the chance of any false find stays at the level (Holm 1979)."""

from collections.abc import Sequence


def holm(ps: Sequence[float]) -> tuple[float, ...]:
    """Adjusted values in the order given; each in [0, 1] and none below its own. Raises ValueError for what is no p value."""
    if any(not 0 <= p <= 1 for p in ps):
        raise ValueError(f"Holm: a p value lies in [0, 1], found {list(ps)}")
    adjusted = [0.0] * len(ps)
    highest = 0.0
    for rank, place in enumerate(sorted(range(len(ps)), key=ps.__getitem__)):
        highest = max(highest, min(1.0, (len(ps) - rank) * ps[place]))
        adjusted[place] = highest
    return tuple(adjusted)
