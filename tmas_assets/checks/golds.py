r"""Golds hold under their own grader: a reply that is the gold itself is right, or left to a judge, never wrong.

The reply is what a faultless solver would write: the gold in a box, the reference program in a code block. A list of
concepts is no text, so there the promise is the other way round: the bare list is not right.
"""

from collections import Counter
from collections.abc import Callable, Sequence
from concurrent.futures import Future

from tmas_assets.grading.gold_reply import gold_reply
from tmas_assets.records import Problem, Verdict
from tmas_assets.records.finding import Finding, Offence

PROMISE = "golds_hold"
Submit = Callable[[Problem, str], "Future[Verdict]"]
_UNRUNNABLE = "sandbox"
"""Kind of a failure that says nothing of the gold: its code could not be run here."""


def check_golds(problems: Sequence[Problem], submit: Submit) -> Finding:
    """`submit` grades a reply sooner or later, as `engine.graders.Graders.submit` does."""
    asked = [(problem, submit(problem, gold_reply(problem))) for problem in problems]
    counts: Counter[str] = Counter()
    offences, unrunnable, unsandboxed = [], [], 0
    for problem, verdict in ((problem, future.result()) for problem, future in asked):
        counts[verdict.outcome] += 1
        unsandboxed += verdict.unsandboxed
        offence = Offence(id=problem.id, what=_what(problem, verdict))
        if verdict.outcome == "failed" and verdict.failure is not None and verdict.failure.kind == _UNRUNNABLE:
            unrunnable.append(offence)
        elif verdict.outcome == "right" if problem.grader == "concepts" else verdict.outcome in ("wrong", "failed"):
            offences.append(offence)
    outcomes = ", ".join(f"{counts[outcome]} {outcome}" for outcome in ("right", "undecided", "wrong", "failed"))
    lists = all(problem.grader == "concepts" for problem in problems)
    said = f"{len(problems)} {'bare lists of concepts, of which none may be right' if lists else 'golds against themselves'}: {outcomes}"
    if unrunnable:
        said += f"; {len(unrunnable)} references were not run: {unrunnable[0].what}"
    if unsandboxed:
        said += f"; {unsandboxed} ran without a sandbox"
    return Finding(
        promise=PROMISE,
        passed=not offences and not unrunnable,
        severity="warn" if unrunnable and not offences else "error",
        said=said,
        looked_at=len(problems),
        offences=(*offences, *unrunnable),
    )


def _what(problem: Problem, verdict: Verdict) -> str:
    if problem.grader == "concepts":
        return "the bare list of words counts as right"
    if verdict.failure is not None:
        return f"{verdict.failure.kind}: {verdict.failure.detail}"
    gold = " ".join((problem.answer or "").split())
    reason = f" ({verdict.reason})" if verdict.reason else ""
    return f"{verdict.outcome}: gold {gold[:80]!r}, read as {(verdict.extracted or '')[:80]!r}{reason}"
