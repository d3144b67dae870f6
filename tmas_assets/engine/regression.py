"""Is the newest score of an experiment significantly lower than the last one that passed? By the paired interval over the problems
both answered.

Both are compared in the last iteration that is whole in both, whatever settings, models and graders have changed in between; what has is said.
A score that was found lower stays out of the comparisons that follow, so a regression that persists is found again, until it is mended
or a person accepts it. Leaves out where summaries are kept: `history.py`.
"""

from tmas_assets.engine.history import ScoredSummary, Verdict
from tmas_assets.records.seeds import seed_of
from tmas_assets.statistics import PairedComparison, compare

_SHOWN = 12


def verdict(now: ScoredSummary, before: ScoredSummary | None, *, level: float, accept: bool = False) -> Verdict:
    """`accept`: `now` passes, whatever it scored, and the next one is compared with it."""
    if before is None:
        return _without(level, f"no other summary passed before {now.summary[:_SHOWN]}: nothing to compare it with")
    seed = seed_of("regression", now.summary, before.summary)
    (found,) = compare(now.side(), before.side(), seed=seed, bases=("iterations",), level=level)
    place = f"summary {now.summary[:_SHOWN]} against {before.summary[:_SHOWN]}, the last that passed"
    if found.difference is None or found.a is None:
        return _without(level, f"{place}: {found.why}, so nothing was compared", before.summary)
    difference = found.difference
    lower = difference.high < 0
    said = (
        f"Pass@1 of t{found.a.iteration:02d} is {difference.mean_a:.1%}, it was {difference.mean_b:.1%}: "
        f"{difference.value:+.1%} [{difference.low:+.1%}, {difference.high:+.1%}] at {level:.0%} over the {difference.problems} problems "
        f"that both answered ({place})"
    )
    if lower:
        said += (
            ". Accepted by hand: the next one is compared with this one"
            if accept
            else ". Significantly lower. Find out what changed; where the lower score is as it should be, launch the campaign once with "
            "`accept: true` in the config of its last step"
        )
    return Verdict(
        passed=accept or not lower, accepted=accept, said=". ".join([said, *_changes(now, before, found)]), level=level, before=before.summary,
        iteration=found.a.iteration, problems=difference.problems, mean_now=difference.mean_a, mean_before=difference.mean_b,
        difference=difference.value, low=difference.low, high=difference.high,
    )  # fmt: skip


def _changes(now: ScoredSummary, before: ScoredSummary, found: PairedComparison) -> list[str]:
    """What else than chance may be behind the difference, a sentence each."""
    said = []
    if now.models != before.models:
        said.append("The models are others than before")
    elif now.variant != before.variant:
        said.append(f"The settings are others than before ({now.variant}, before {before.variant})")
    if found.a is not None and found.b is not None:
        if found.a.grader != found.b.grader:
            said.append(f"Graded by {found.a.grader}, before by {found.b.grader}: part of the difference may be the grader's")
        if found.a.missing or found.b.missing:
            said.append(f"Answers are missing: {found.a.missing} now, {found.b.missing} before")
    if found.only_a or found.only_b:
        said.append(f"Left out: {len(found.only_a)} problems that only the new summary answered and {len(found.only_b)} that only the former did")
    return said


def _without(level: float, said: str, before: str | None = None) -> Verdict:
    return Verdict(
        passed=True, accepted=False, said=said, level=level, before=before, iteration=None, problems=0, mean_now=None, mean_before=None,
        difference=None, low=None, high=None,
    )  # fmt: skip
