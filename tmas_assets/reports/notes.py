"""Sentences that go with an experiment's tables in the terminal: what bears on how far its figures can be trusted."""

from collections.abc import Callable, Sequence

from tmas_assets.records import Score
from tmas_assets.reports import notation
from tmas_assets.statistics import Agreement


def agreement_note(both: Agreement | None) -> str:
    """How often judge and rules agree; empty where no answer was put to both."""
    if both is None:
        return ""
    unreadable = f"; {both.unreadable} judgements could not be read" if both.unreadable else ""
    if both.share is None:
        return f"Rules and judge: no answer that both decided{unreadable}."
    agreed = both.both_right + both.both_wrong
    kappa = f", kappa {both.kappa:.2f}" if both.kappa is not None else ""
    share = f"{notation.percent(both.share, 1)} % [{notation.bounds(both)}]"
    return f"Rules and judge agree on {agreed} of {both.answers} answers that both decided ({share}{kappa}){unreadable}."


def older_graders_note(scores: Sequence[Score], version_now: Callable[[str], str]) -> str:
    """Which graders have changed since these scores were graded; empty where none has."""
    older = set()
    for score in scores:
        names = score.grader.split("+") if score.grader else []
        now = "+".join(version_now(name) for name in names)
        if now != score.grader_version:
            older.add((score.experiment, score.grader_version, now))
    return "\n".join(
        f"Graded by {then}; the grader is now {now}. `tmas regrade {experiment}` grades again without asking a model."
        for experiment, then, now in sorted(older)
    )


def regraded_note(before: Sequence[Score], after: Sequence[Score]) -> str:
    """What grading again changed, over all iterations."""
    parts = []
    for outcome in ("right", "wrong", "undecided", "failed"):
        was, now = (sum(getattr(score, outcome) for score in scores) for scores in (before, after))
        parts.append(f"{outcome} {was} → {now}" if was != now else f"{outcome} {now}")
    return "Graded again: " + ", ".join(parts) + "."
