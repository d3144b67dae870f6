"""maj@k of one problem, exactly averaged over which k of its n answers vote, and in which order.

Works on class sizes, so that it takes the same time for 32 answers as for 8 and never lists a subset. Leaves out which
answers are equal (`votes.py`).
"""

from collections.abc import Sequence
from fractions import Fraction
from functools import lru_cache
from math import comb


def majority_at_k(votes: Sequence[int], right: Sequence[float], silent: int, k: int) -> float | None:
    """Chance that a vote among k answers, drawn without replacement, elects a right one.

    `votes`: size of each class of equal answers; `right`: the share of each class that is graded right (0 or 1
    where grades agree with the classes); `silent`: answers that vote for nothing. The class with most votes wins.
    Of tied classes the one drawn first wins; since all orders of the k draws count alike, m tied classes win
    equally often, 1/m each, and no order in which answers happen to be stored decides. Where all k are silent
    nobody wins, which is not right. None when k exceeds the number of answers. Raises ValueError for counts that
    are none, or k < 1.
    """
    if len(votes) != len(right) or min(votes, default=1) < 1 or silent < 0 or k < 1:
        raise ValueError(f"maj@k needs classes of at least one vote, a share for each and k >= 1; found {votes}, {right}, {silent}, {k}")
    if k > sum(votes) + silent:
        return None
    sizes = tuple(sorted(votes))
    return float(sum(Fraction(share) * _wins(size, sizes, silent, k) for size, share in zip(votes, right, strict=True) if share))


@lru_cache(maxsize=65_536)  # the same few partitions of n come again and again
def _wins(own: int, sizes: tuple[int, ...], silent: int, k: int) -> Fraction:
    """Chance that a given class of size `own` wins; `sizes` are those of all classes, ascending."""
    others = list(sizes)
    others.remove(own)
    won = Fraction(0)
    for votes in range(1, min(own, k) + 1):
        for tied, draws in enumerate(_rest(tuple(others), silent, votes, k - votes)):
            won += Fraction(comb(own, votes) * draws, tied + 1)
    return won / comb(sum(sizes) + silent, k)


@lru_cache(maxsize=65_536)
def _rest(others: tuple[int, ...], silent: int, most: int, k: int) -> tuple[int, ...]:
    """How many draws of k from the others leave no class above `most` votes, by the number of classes at `most`.

    Product of generating polynomials: the exponent of x counts answers drawn, the row counts classes at `most`.
    """
    free = silent + sum(size for size in others if size < most)
    rows = [[comb(free, drawn) for drawn in range(k + 1)]]
    for size in others:
        if size < most:
            continue
        below = [comb(size, drawn) for drawn in range(min(most, k + 1))]
        tie = comb(size, most)
        grown = [[0] * (k + 1) for _ in range(min(len(rows), k // most) + 1)]
        for tied, row in enumerate(rows):
            for drawn, ways in enumerate(row):
                if not ways:
                    continue
                for more, choices in enumerate(below[: k + 1 - drawn]):
                    grown[tied][drawn + more] += ways * choices
                if drawn + most <= k:
                    grown[tied + 1][drawn + most] += ways * tie
        rows = grown
    return tuple(row[k] for row in rows)
