"""The difference of two methods on the same problems: interval, sign-flip test, who wins where.

Pairing takes out what makes a problem hard for both, so it shows far smaller differences than two intervals side by
side do. Leaves out which iterations are compared (`comparison.py`).
"""

from collections.abc import Hashable, Mapping, Sequence
from math import fsum, sqrt

from tmas_assets.records import Record
from tmas_assets.statistics.bootstrap import METHOD as BOOTSTRAP
from tmas_assets.statistics.bootstrap import METHOD_CLUSTERED as BOOTSTRAP_CLUSTERED
from tmas_assets.statistics.bootstrap import bootstrap
from tmas_assets.statistics.interval import check_level, t_quantile

METHOD = "Student t over per-problem differences, two pseudo-pairs added (Agresti and Min 2005)"
METHOD_CLUSTERED = METHOD.replace("per-problem differences", "differences by cluster of problems that share a source")
_FLIPS = 9_999
_POWER = 0.8


class PairedDifference(Record):
    """Mean of A minus mean of B over shared problems, in [-1, 1]."""

    value: float
    mean_a: float
    mean_b: float
    standard_error: float | None
    """Of the difference; None for one cluster."""
    low: float
    high: float
    level: float
    method: str
    bootstrap_low: float | None
    """None where all differences are equal: resampling then shows no spread."""
    bootstrap_high: float | None
    bootstrap_method: str
    seed: int
    """Of the bootstrap, and of the sign flips where there are too many to try all."""
    p: float
    """Two-sided, of the sign-flip test: how often random signs give a mean difference as large as this one."""
    test: str
    wins: int
    """Problems on which A is better."""
    losses: int
    ties: int
    problems: int
    clusters: int
    detectable: float | None
    """The smallest true difference that so many problems with this spread would show in four of five studies; a hint."""


def paired_difference(
    a: Mapping[str, float],
    b: Mapping[str, float],
    *,
    seed: int,
    clusters: Mapping[str, Hashable] | None = None,
    level: float = 0.95,
) -> PairedDifference | None:
    """`a` and `b`: by problem, the share of its answers that are right. Only problems of both count; None for none.

    The t interval takes two pseudo-pairs in (half a win, half a loss, one tie), as Agresti and Min (2005) do for
    matched binary pairs, and is clipped to [-1, 1]. By simulated coverage at 95 % (24 populations, 1 to 32 answers,
    2 to 400 problems) its lowest is 0.93, where plain t falls to 0.02 for 2 problems, 0.35 for 50 and 0.89 for
    400: few problems differ at all, and equal differences have no spread. Raises ValueError for a value that is no share.
    """
    check_level(level)
    shared = sorted(a.keys() & b.keys())
    for name in shared:
        if not (0 <= a[name] <= 1 and 0 <= b[name] <= 1):
            raise ValueError(f"paired difference: problem {name} has {a[name]} and {b[name]}; a share lies in [0, 1]")
    if not shared:
        return None
    n = len(shared)
    keys = [clusters[name] if clusters is not None else name for name in shared]
    differences = [a[name] - b[name] for name in shared]
    value = fsum(differences) / n
    groups = len(set(keys))
    low, high, error = difference_interval(differences, keys, level)
    plain = sqrt(_squares(differences, keys, value) * groups / (groups - 1)) / n if groups > 1 else None
    # as shares, so that one bootstrap serves both
    drawn = bootstrap([(1 + one) / 2 for one in differences], seed, level, clusters=keys)
    p, test = _sign_flip(differences, keys, seed)
    return PairedDifference(
        value=value,
        mean_a=fsum(a[name] for name in shared) / n,
        mean_b=fsum(b[name] for name in shared) / n,
        standard_error=plain,
        low=low,
        high=high,
        level=level,
        method=METHOD if groups == n else METHOD_CLUSTERED,
        bootstrap_low=2 * drawn.low - 1 if drawn else None,
        bootstrap_high=2 * drawn.high - 1 if drawn else None,
        bootstrap_method=BOOTSTRAP if groups == n else BOOTSTRAP_CLUSTERED,
        seed=seed,
        p=p,
        test=test,
        wins=sum(one > 0 for one in differences),
        losses=sum(one < 0 for one in differences),
        ties=sum(one == 0 for one in differences),
        problems=n,
        clusters=groups,
        detectable=min(1.0, (t_quantile((1 + level) / 2, groups + 1) + t_quantile(_POWER, groups + 1)) * error),
    )


def difference_interval(
    differences: Sequence[float], keys: Sequence[Hashable], level: float
) -> tuple[float, float, float]:
    """Low, high and the standard error they stand on, with the pseudo-pairs in."""
    n, groups = len(differences), len(set(keys))
    value, middle = fsum(differences) / n, fsum(differences) / (n + 2)
    squares = _squares(differences, keys, middle) + 1 + 2 * middle**2
    error = sqrt(squares * (groups + 2) / (groups + 1)) / (n + 2)
    half = t_quantile((1 + level) / 2, groups + 1) * error
    return max(-1.0, min(middle - half, value)), min(1.0, max(middle + half, value)), error


def _by_cluster(values: Sequence[float], keys: Sequence[Hashable]) -> list[float]:
    sums: dict[Hashable, list[float]] = {}
    for value, key in zip(values, keys, strict=True):
        sums.setdefault(key, []).append(value)
    return [fsum(own) for own in sums.values()]


def _squares(values: Sequence[float], keys: Sequence[Hashable], middle: float) -> float:
    return fsum(one**2 for one in _by_cluster([value - middle for value in values], keys))


def _sign_flip(differences: Sequence[float], keys: Sequence[Hashable], seed: int) -> tuple[float, str]:
    """Under no difference the sign of each cluster's sum is a coin's. All signs are tried where that is cheap.

    Problems without a difference have no sign to flip and are left out, which changes no p value.
    """
    signed = [one for one in _by_cluster(differences, keys) if abs(one) > 1e-12]
    if not signed:
        return 1.0, "sign flips: no problem differs"
    import numpy as np
    from scipy import stats

    if len(signed) == 1:  # scipy wants two; either sign is as large
        return 1.0, "all 2 sign flips"
    found = stats.permutation_test(
        (np.array(signed),), np.sum, permutation_type="samples", vectorized=True, n_resamples=_FLIPS,
        alternative="two-sided", batch=1_000, rng=np.random.default_rng(seed),
    )  # fmt: skip
    exact = 2 ** len(signed) <= _FLIPS
    return float(found.pvalue), f"all {2 ** len(signed):,} sign flips" if exact else f"{_FLIPS:,} random sign flips"
