"""One figure over graded answers: what was computed, with which error and method, and from how many samples.

Leaves out how it is computed (`statistics/`) and Pass@1 as the score of record (`grade.py`).
"""

from typing import Literal

from tmas_assets.records.base import Record

Metric = Literal["mean@k", "credit@k", "pass@k", "pass^k", "maj@k", "best-of-k", "oracle@k", "chosen"]
"""`mean@k`: share of k answers that are right. `credit@k`: mean share of what was
asked for, from graders that tell one (concepts used by a text). `pass@k`: chance that k answers hold a right one. `pass^k`: chance that
k answers are all right. `maj@k`: the largest class of equal answers among k is right. `best-of-k`: the one of k that
the verifiers score best is right. `oracle@k`: any of all k that are there is right, a bound and not a result. `chosen`: the one that the strategy itself
chose is right, over k repeats."""


class Figure(Record):
    """A mean over problems. Where it cannot be had, `value` is None and `why` says so: never 0, 1 or NaN instead."""

    iteration: int
    metric: Metric
    k: int
    denominator: Literal["all", "answered"]
    """`all`: undecided and failed answers are not right. `answered`: they are left out (HAZARDS O08)."""
    value: float | None
    standard_error: float | None
    """Of the mean over problems; None for one problem, which says nothing about others."""
    low: float | None
    high: float | None
    level: float
    method: str
    """Of standard error and interval, in words."""
    seed: int | None
    """Of a bootstrap, which repeats it to the bit; None for a closed form."""
    problems: int
    clusters: int
    """Groups of problems that share a source; as many as problems where none does."""
    samples: int
    """Answers the figure is made of, the same number of each problem."""
    missing: int
    """Answers asked for that are not there."""
    left_out: int
    """Answers not used: where problems have different counts, the smaller one holds for all (HAZARDS E07)."""
    truncated: int
    failed: int
    undecided: int
    why: str | None

    @property
    def name(self) -> str:
        """`pass@8`, `best-of-8`, ..."""
        answered = ", answered only" if self.denominator == "answered" else ""
        k = "" if self.metric == "chosen" else str(self.k)
        return self.metric.removesuffix("k") + k + answered
