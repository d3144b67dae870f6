"""A confidence interval for a mean over problems, honest for few problems and for equal values.

Answers of one problem are not independent, so the unit is the problem: one value in [0, 1] each, the share of
its answers that are right. What the interval covers is the mean over problems such as these. Leaves out
paired comparison of two methods.
"""

from collections.abc import Sequence
from functools import lru_cache
from math import fsum, isfinite, sqrt
from statistics import NormalDist
from typing import Any

from tmas_assets.records import Record

METHOD = "Student t over problems, with one all-wrong and one all-right problem added"


class Interval(Record):
    """A mean over problems and the bounds around it, all in [0, 1]."""

    value: float
    low: float
    high: float
    level: float
    method: str
    problems: int


def mean_interval(per_problem: Sequence[float], level: float = 0.95) -> Interval | None:
    """Mean of the per-problem values with a two-sided interval at `level`; None when there are no problems.

    The plain t interval (Miller 2024, arXiv 2411.00640, question-level errors) is too short where values pile
    up at 0 or 1, and has no width at all when they are equal. As Agresti and Caffo (2000) do for proportions,
    two pseudo-observations, 0 and 1, are added before the t interval is taken, and it is clipped to [0, 1].
    Chosen among five by simulated coverage (populations of 30 shapes, 1 to 32 answers, 2 to 400 problems, at
    95 %): its lowest is 0.935, where plain t with Clopper-Pearson for equal values falls to 0.77, Wilson with
    an effective sample size to 0.81 and Korn-Graubard to 0.84; at 50 problems it is a fifth wider than plain t.
    One problem gives [0, 1]. The value stays the plain mean, so it is not the middle of the interval.
    Raises ValueError for a value outside [0, 1] or a level outside (0, 1).
    """
    if not 0 < level < 1:
        raise ValueError(f"interval: the level is a share strictly between 0 and 1, found {level}")
    for position, value in enumerate(per_problem):
        if not (isfinite(value) and 0 <= value <= 1):
            raise ValueError(f"interval: problem number {position} has the value {value}; a share lies in [0, 1]")
    n = len(per_problem)
    if n == 0:
        return None
    value = min(1.0, fsum(per_problem) / n)
    padded = [*per_problem, 0.0, 1.0]
    middle = fsum(padded) / len(padded)
    variance = fsum((one - middle) ** 2 for one in padded) / (len(padded) - 1)
    half = t_quantile((1 + level) / 2, n + 1) * sqrt(variance / len(padded))
    low, high = max(0.0, middle - half), min(1.0, middle + half)
    return Interval(
        value=value, low=min(low, value), high=max(high, value), level=level, method=METHOD, problems=n
    )


@lru_cache(maxsize=1024)
def t_quantile(p: float, df: int) -> float:
    """The p-quantile, 0.5 < p < 1, of Student's t with `df` degrees of freedom, good to 1e-12."""
    from mpmath import MPContext  # a context of our own: the shared one's precision is anybody's to change

    mp = MPContext()
    mp.prec = 100
    tail = 2 * (1 - mp.mpf(p))

    def above(log_t: Any) -> Any:
        square = mp.exp(2 * log_t)
        share = mp.betainc(mp.mpf(df) / 2, mp.mpf("0.5"), 0, df / (df + square), regularized=True)
        return mp.log(share) - mp.log(tail)

    start = mp.log(NormalDist().inv_cdf(p))
    return float(mp.exp(mp.findroot(above, (start, start + mp.mpf(1) / df))))
