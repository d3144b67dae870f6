"""A statement does not hand out its own gold. Leaves out how that is found (`grading/leak.py`)."""

from collections.abc import Sequence

from tmas_assets.grading.leak import leak
from tmas_assets.records import Problem
from tmas_assets.records.finding import Finding, Offence

PROMISE = "gold_not_in_statement"


def check_leaked_golds(problems: Sequence[Problem]) -> Finding:
    offences = [Offence(id=problem.id, what=what) for problem in problems if (what := leak(problem)) is not None]
    said = f"{len(offences)} of {len(problems)} statements hold their own gold in a box, announced or as their last value"
    return Finding(
        promise=PROMISE, passed=not offences, said=said, looked_at=len(problems), offences=tuple(offences))
