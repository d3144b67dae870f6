"""A bootstrap interval for a mean over problems: problems (or clusters of them) are drawn again, answers never are.

The seed is part of the result, and the same seed over the same problems in the same order gives the same bits.
"""

from collections.abc import Hashable, Sequence

from tmas_assets.records import Record
from tmas_assets.statistics.interval import check_level

METHOD = "BCa bootstrap over problems"
METHOD_CLUSTERED = "BCa bootstrap over clusters of problems that share a source"
RESAMPLES = 9_999
_BATCH = 1_000
"""Resamples held in memory at once."""


class Bootstrap(Record):
    standard_error: float
    low: float
    high: float
    level: float
    method: str
    seed: int
    resamples: int


def bootstrap(
    per_problem: Sequence[float],
    seed: int,
    level: float = 0.95,
    *,
    weights: Sequence[float] | None = None,
    clusters: Sequence[Hashable] | None = None,
) -> Bootstrap | None:
    """Interval of the mean, or of sum(w v) / sum(w). None where all clusters have one value: resampling shows no spread.

    Bias-corrected and accelerated (Efron 1987), by scipy. Too short for few problems, which resampling cannot
    cure: `mean_interval` is the one to quote, this one is beside it for those who want no t.
    """
    check_level(level)
    heavy, keys = weights or [1.0] * len(per_problem), clusters or range(len(per_problem))
    sums: dict[Hashable, tuple[float, float]] = {}
    for value, weight, key in zip(per_problem, heavy, keys, strict=True):
        top, bottom = sums.get(key, (0.0, 0.0))
        sums[key] = top + weight * value, bottom + weight
    if len({round(top / bottom, 12) for top, bottom in sums.values()}) < 2:
        return None
    import numpy as np
    from scipy import stats

    def ratio(tops: "np.ndarray", bottoms: "np.ndarray", axis: int) -> "np.ndarray":
        return np.asarray(tops.sum(axis=axis) / bottoms.sum(axis=axis))

    data = tuple(np.array(column) for column in zip(*sums.values(), strict=True))
    drawn = stats.bootstrap(
        data, ratio, paired=True, vectorized=True, n_resamples=RESAMPLES, batch=_BATCH, confidence_level=level,
        method="BCa", rng=np.random.default_rng(seed),
    )  # fmt: skip
    bounds = drawn.confidence_interval
    return Bootstrap(
        standard_error=float(drawn.standard_error), low=float(bounds.low), high=float(bounds.high), level=level,
        method=METHOD if len(sums) == len(per_problem) else METHOD_CLUSTERED, seed=seed, resamples=RESAMPLES,
    )  # fmt: skip
