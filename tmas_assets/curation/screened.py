"""What a screening step gives: the problems it lets through, in their order, and every other one with the reason."""

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from tmas_assets.records import Dropped, SourceProblem, StepCount


class Screened(NamedTuple):
    kept: tuple[SourceProblem, ...]
    dropped: tuple[Dropped, ...]


def dropped(candidate: SourceProblem, reason: str, detail: str) -> Dropped:
    return Dropped(
        problem=candidate.problem.id,
        problem_digest=candidate.problem.digest,
        source=candidate.source,
        reason=reason,
        detail=detail,
        statement=candidate.problem.statement,
    )


def counted(step: str, kept: int, dropped: Sequence[Dropped]) -> tuple[StepCount, ...]:
    """A line of the whole step, then one a reason, the most frequent first."""
    reasons = Counter(one.reason for one in dropped)
    came = kept + len(dropped)
    whole = StepCount(step=step, came=came, kept=kept, reason=None, dropped=len(dropped))
    return (whole, *(
        StepCount(step=step, came=came, kept=kept, reason=reason, dropped=count)
        for reason, count in sorted(reasons.items(), key=lambda item: (-item[1], item[0]))
    ))  # fmt: skip
