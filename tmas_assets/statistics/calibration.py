"""How far a verifier's score can be believed: whether right answers score higher, and how often an answer of a score is right.

Answers of one problem are not independent, so the interval draws problems (or clusters of them) again, never answers.
Leaves out which answers are verified and what is said of it.
"""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tmas_assets.records import Record
from tmas_assets.statistics.bootstrap import RESAMPLES
from tmas_assets.statistics.interval import check_level

if TYPE_CHECKING:
    import numpy as np

METHOD = "percentile bootstrap over clusters of problems, with one added whose scores say nothing"
BINS = 5
_BATCH = 500
"""Resamples held in memory at once."""


@dataclass(frozen=True)
class Verified:
    """One answer that was verified and graded right or wrong."""

    cluster: Hashable
    """Equal for answers that are not independent: those of one problem, or of problems that share a source."""
    score: float
    """Mean over its checks, in [0, 1]."""
    right: bool


class ReliabilityBin(Record):
    """The answers whose score lies in [low, high); the last bin holds 1 as well."""

    low: float
    high: float
    answers: int
    mean_score: float
    right: float
    """Share of them that is right: equal to `mean_score` where scores are probabilities."""


class Calibration(Record):
    answers: int
    right: int
    clusters: int
    auroc: float | None
    """Chance that a right answer scores higher than a wrong one, ties counting half (midranks); None without both kinds."""
    low: float | None
    high: float | None
    """Of the AUROC; None where it is, and of a single cluster."""
    level: float
    method: str
    seed: int
    resamples: int
    """That held right and wrong answers: the others have no AUROC."""
    brier: float
    """Mean of (score - right)^2: 0 is best, 0.25 is a constant score of one half."""
    mean_right: float | None
    mean_wrong: float | None
    agreement: float | None
    """Share right among those above one half and wrong among those below; None where all score one half."""
    halves: int
    """Answers that score one half, which are in no agreement."""
    bins: tuple[ReliabilityBin, ...]
    """Those that hold an answer, from the lowest."""


def calibration(answers: Sequence[Verified], seed: int, level: float = 0.95) -> Calibration | None:
    """None without an answer. Raises ValueError for a score outside [0, 1] or a level outside (0, 1).

    The interval is that of percentiles over `RESAMPLES` draws of clusters with replacement (the cluster bootstrap of Field and Welsh,
    J. R. Statist. Soc. B 69, 2007). As in `mean_interval` a pseudo-observation is added, here a cluster of usual size whose right and wrong
    answers lie half at the lowest and half at the highest score: without it scores that rank without a fault have no width. Simulated
    coverage at 95 % (AUROC 0.50, 0.66, 0.85; 8 or 32 answers a cluster): 0.86 to 0.89 with 4 clusters, 0.90 to 0.93 with 8, 0.91 to 0.96 with
    15 or 50; without the added one it falls to 0.76.
    """
    check_level(level)
    if wrong := next((one for one in answers if not 0 <= one.score <= 1), None):
        raise ValueError(f"calibration: an answer of {wrong.cluster!r} has the score {wrong.score}; scores lie in [0, 1]")
    if not answers:
        return None
    right, wrongs = ([one.score for one in answers if one.right is kind] for kind in (True, False))
    decided = [one for one in answers if one.score != 0.5]
    counts = _counts(answers)
    value = float(_auroc(*(part.sum(axis=0, keepdims=True) for part in counts))[0]) if right and wrongs else None
    low, high, drawn = _interval(*counts, seed, level)
    return Calibration(
        answers=len(answers),
        right=len(right),
        clusters=len({one.cluster for one in answers}),
        auroc=value,
        low=None if value is None or low is None else min(low, value),
        high=None if value is None or high is None else max(high, value),
        level=level,
        method=METHOD,
        seed=seed,
        resamples=drawn,
        brier=sum((one.score - one.right) ** 2 for one in answers) / len(answers),
        mean_right=sum(right) / len(right) if right else None,
        mean_wrong=sum(wrongs) / len(wrongs) if wrongs else None,
        agreement=sum((one.score > 0.5) == one.right for one in decided) / len(decided) if decided else None,
        halves=len(answers) - len(decided),
        bins=tuple(_bins(answers)),
    )


def _bins(answers: Sequence[Verified]) -> list[ReliabilityBin]:
    found: dict[int, list[Verified]] = {}
    for one in answers:
        found.setdefault(min(int(one.score * BINS), BINS - 1), []).append(one)
    return [
        ReliabilityBin(
            low=at / BINS,
            high=(at + 1) / BINS,
            answers=len(own),
            mean_score=sum(one.score for one in own) / len(own),
            right=sum(one.right for one in own) / len(own),
        )
        for at, own in sorted(found.items())
    ]


def _counts(answers: Sequence[Verified]) -> tuple["np.ndarray", "np.ndarray"]:
    """Right and wrong answers, each clusters x distinct scores, scores from the lowest."""
    import numpy as np

    rows = {cluster: at for at, cluster in enumerate(dict.fromkeys(one.cluster for one in answers))}
    columns = {score: at for at, score in enumerate(sorted({one.score for one in answers}))}
    counts = np.zeros((2, len(rows), len(columns)))
    for one in answers:
        counts[0 if one.right else 1, rows[one.cluster], columns[one.score]] += 1
    return counts[0], counts[1]


def _auroc(right: "np.ndarray", wrong: "np.ndarray") -> "np.ndarray":
    """One a row, of counts by score; NaN for a row without right or without wrong answers."""
    import numpy as np

    below = wrong.cumsum(axis=1) - wrong / 2  # ties count half
    pairs = right.sum(axis=1) * wrong.sum(axis=1)
    return np.where(pairs > 0, (right * below).sum(axis=1) / np.where(pairs > 0, pairs, 1), np.nan)


def _interval(right: "np.ndarray", wrong: "np.ndarray", seed: int, level: float) -> tuple[float | None, float | None, int]:
    import numpy as np

    if len(right) < 2 or not right.any() or not wrong.any():
        return None, None, 0
    ends = np.zeros(right.shape[1])
    ends[0] += 0.5
    ends[-1] += 0.5
    right, wrong = (np.vstack([part, ends * part.sum() / len(part)]) for part in (right, wrong))
    clusters = len(right)
    rng = np.random.default_rng(seed)
    found = []
    for start in range(0, RESAMPLES, _BATCH):
        weights = rng.multinomial(clusters, [1 / clusters] * clusters, size=min(_BATCH, RESAMPLES - start)).astype(float)
        found.append(_auroc(weights @ right, weights @ wrong))
    drawn = np.concatenate(found)
    drawn = drawn[~np.isnan(drawn)]
    low, high = np.quantile(drawn, [(1 - level) / 2, (1 + level) / 2])
    return float(low), float(high), len(drawn)
