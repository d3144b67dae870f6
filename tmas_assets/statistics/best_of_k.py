"""Best-of-k by a ranking, exactly averaged over which k of the n answers there are. Leaves out how answers are ranked."""

from collections.abc import Sequence
from math import comb


def best_of_k(ranked: Sequence[bool], k: int) -> float | None:
    """Chance that the best ranked of k answers, drawn without replacement from all, is right.

    `ranked`: whether each answer is right, best first, in an order without ties. The answer at place r (from 0)
    is the best of C(n-1-r, k-1) of the C(n, k) draws. None when k > n. Raises ValueError unless k >= 1.
    """
    if k < 1:
        raise ValueError(f"best-of-k needs k >= 1, found {k}")
    n = len(ranked)
    if k > n:
        return None
    return sum(comb(n - 1 - place, k - 1) for place, right in enumerate(ranked) if right) / comb(n, k)
