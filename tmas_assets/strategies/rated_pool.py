"""The pool of verify and refine as a value: rated solutions, which are better, and what is said against them.

Pure. Leaves out asking: `verify_refine.py`.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from tmas_assets.records import REPEATED, Rollout, Round, Verification


@dataclass(frozen=True)
class Rated:
    """A solution with its ratings."""

    rollout: Rollout
    ratings: tuple[Verification, ...]
    """Those that count, by number: with a readable score, and not called groundless (0) by a meta-verification."""
    unread: int
    """How many verifications brought no score."""

    @property
    def mean(self) -> float | None:
        scores = [rating.score for rating in self.ratings if rating.score is not None]
        return sum(scores) / len(scores) if scores else None

    @property
    def passed(self) -> bool:
        """Every verification could be read, and all that count, one at the least, are 1."""
        return not self.unread and self.mean == 1


def pool(rollouts: Iterable[Rollout], checks: Sequence[Verification]) -> tuple[Rated, ...]:
    """Every solution once, in the order given; without text there is nothing to rate or refine."""
    groundless = {check.about for check in checks if check.about is not None and check.score == 0}
    given: dict[str, list[Verification]] = {}
    for check in checks:
        if check.about is None:
            given.setdefault(check.rollout, []).append(check)
    rated = []
    for rollout in rollouts:
        if not rollout.text or rollout.branch in REPEATED:
            continue
        own = given.get(rollout.id, [])
        counted = tuple(check for check in own if check.score is not None and check.id not in groundless)
        rated.append(Rated(rollout, counted, unread=sum(check.score is None for check in own)))
    return tuple(rated)


def pool_of(rounds: Iterable[Round]) -> tuple[Rated, ...]:
    """The solutions of all rounds."""
    made = tuple(rounds)
    checks = [check for one in made for check in one.verifications]
    return pool((rollout for one in made for rollout in one.rollouts), checks)


def best_first(rated: Iterable[Rated]) -> list[Rated]:
    """What passed, then by mean, by how many ratings it rests on, the newer, the lower number. Without a mean: last."""
    return sorted(
        rated,
        key=lambda one: (
            not one.passed,
            one.mean is None,
            -(one.mean or 0.0),
            -len(one.ratings),
            -one.rollout.iteration,
            one.rollout.candidate,
        ),
    )


def critiques(rated: Rated, *, most: int, per_score: int) -> tuple[Verification, ...]:
    """At most `most` ratings, the lowest score first and of one score by number; at most `per_score` of each score,
    unless there is only one score."""
    ordered = sorted(rated.ratings, key=lambda rating: (rating.score or 0.0, rating.check))
    if len({rating.score for rating in ordered}) > 1:
        seen: Counter[float | None] = Counter()
        kept = []
        for rating in ordered:
            seen[rating.score] += 1
            if seen[rating.score] <= per_score:
                kept.append(rating)
        ordered = kept
    return tuple(ordered[:most])
