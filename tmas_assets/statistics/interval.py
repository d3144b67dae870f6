"""Standard error and confidence interval of a mean over problems, honest for few problems and for equal values.

Answers of one problem are not independent, so the unit is the problem: one value in [0, 1] each, the share of
its answers that are right; and problems that share a source are one cluster. What the interval covers is the mean
over problems such as these. Leaves out resampling (`bootstrap.py`) and comparing two experiments (`paired.py`).
"""

from collections.abc import Hashable, Sequence
from functools import lru_cache
from math import fsum, isfinite, sqrt

from tmas_assets.records import Record

METHOD = "Student t over problems, with one all-wrong and one all-right problem added"
METHOD_CLUSTERED = "Student t over clusters of problems that share a source, with one all-wrong and one all-right added"


class Interval(Record):
    """A mean over problems and the bounds around it, all in [0, 1]."""

    value: float
    standard_error: float | None
    """s / sqrt(n) over problems, or the same over clusters; None for a single one."""
    low: float
    high: float
    level: float
    method: str
    problems: int
    clusters: int


def mean_interval(
    per_problem: Sequence[float],
    level: float = 0.95,
    *,
    weights: Sequence[float] | None = None,
    clusters: Sequence[Hashable] | None = None,
) -> Interval | None:
    """Mean of the per-problem values with a two-sided interval at `level`; None when there are no problems.

    The plain t interval (Miller 2024, arXiv 2411.00640, question-level errors) is too short where values pile
    up at 0 or 1, and has no width at all when they are equal. As Agresti and Caffo (2000) do for proportions,
    two pseudo-observations, 0 and 1, are added before the t interval is taken, and it is clipped to [0, 1].
    Chosen among five by simulated coverage (populations of 30 shapes, 1 to 32 answers, 2 to 400 problems, at
    95 %): its lowest is 0.935, where plain t with Clopper-Pearson for equal values falls to 0.77, Wilson with
    an effective sample size to 0.81 and Korn-Graubard to 0.84; at 50 problems it is a fifth wider than plain t.
    One problem gives [0, 1]. The value stays the plain mean, so it is not the middle of the interval.

    `weights` (all above 0): the mean is sum(w v) / sum(w), with the error of a ratio (linearised), for shares of
    different numbers of answers. `clusters`: problems with equal keys count as one observation (Miller, section
    2.2), with G - 1 degrees of freedom for G clusters. Raises ValueError for a value outside [0, 1], a level
    outside (0, 1), or weights and clusters of another number than values.
    """
    check_level(level)
    for position, one in enumerate(per_problem):
        if not (isfinite(one) and 0 <= one <= 1):
            raise ValueError(f"interval: problem number {position} has the value {one}; a share lies in [0, 1]")
    n = len(per_problem)
    heavy, keys = weights or [1.0] * n, clusters or range(n)
    if (len(heavy), len(keys)) != (n, n) or not all(isfinite(weight) and weight > 0 for weight in heavy):
        raise ValueError(f"interval: {n} problems need {n} weights above 0 and {n} clusters, found {heavy}, {keys}")
    if n == 0:
        return None
    value = min(1.0, _mean(per_problem, heavy))
    groups = len(set(keys))
    usual = fsum(heavy) / n
    padded, weighed = [*per_problem, 0.0, 1.0], [*heavy, usual, usual]
    middle = _mean(padded, weighed)
    spread = _standard_error(padded, weighed, [*((0, key) for key in keys), 1, 2], middle)
    half = t_quantile((1 + level) / 2, groups + 1) * spread
    return Interval(
        value=value,
        standard_error=_standard_error(per_problem, heavy, keys, value) if groups > 1 else None,
        low=min(max(0.0, middle - half), value),
        high=max(min(1.0, middle + half), value),
        level=level,
        method=METHOD if groups == n else METHOD_CLUSTERED,
        problems=n,
        clusters=groups,
    )


def check_level(level: float) -> None:
    if not 0 < level < 1:
        raise ValueError(f"interval: the level is a share strictly between 0 and 1, found {level}")


@lru_cache(maxsize=1024)
def t_quantile(p: float, df: int) -> float:
    """The p-quantile of Student's t with `df` degrees of freedom."""
    from scipy.special import stdtrit

    return float(stdtrit(df, p))


def _mean(values: Sequence[float], weights: Sequence[float]) -> float:
    return fsum(weight * value for value, weight in zip(values, weights, strict=True)) / fsum(weights)


def _standard_error(
    values: Sequence[float], weights: Sequence[float], keys: Sequence[Hashable], middle: float
) -> float:
    """Of the weighted mean `middle`: from the sums of deviations by cluster, at least two of them."""
    by_cluster: dict[Hashable, list[float]] = {}
    for value, weight, key in zip(values, weights, keys, strict=True):
        by_cluster.setdefault(key, []).append(weight * (value - middle))
    groups = len(by_cluster)
    squares = fsum(fsum(own) ** 2 for own in by_cluster.values())
    return sqrt(squares * groups / (groups - 1)) / fsum(weights)
