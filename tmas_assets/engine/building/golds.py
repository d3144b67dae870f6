"""Golds that a reward can be paid by: each parses, equals itself under its own grader by rules alone, and is not given away.

An unusable gold pays every answer or none (open-r1 issues 86, 215, 293). Leaves out grading (`engine/graders.py`).
"""

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future

from tmas_assets.curation import Screened, dropped
from tmas_assets.grading.gold_reply import gold_reply
from tmas_assets.grading.leak import leak
from tmas_assets.records import Dropped, Problem, SourceProblem, Verdict

Submit = Callable[[Problem, str], "Future[Verdict]"]
_WINDOW = 256
"""Grades on their way at once: workers are kept busy, and a large source does not lie in their queue whole."""
_DATA_KINDS = ("bad_grading_data", "bad_options")
_BROKEN_KINDS = ("sandbox", "crash")
"""Failures that say nothing of the gold: code could not be run here, a worker was killed again and again."""
_SHOWN = 200


class GoldFault(RuntimeError):
    """A grader does not work here, so nothing is known of the golds."""


def sound(candidates: Sequence[SourceProblem], submit: Submit) -> Screened:
    """`submit` grades a reply sooner or later, as `engine.graders.Graders.submit` does.

    Reasons: `no gold`, `leaked gold`, `unparseable gold`, `bad grading data`, `not equal to itself`, and `undecided`, also for
    a comparison that takes too long. Raises GoldFault where a grader breaks, and whatever `submit` raises.
    """
    kept: list[SourceProblem] = []
    lost: list[Dropped] = []
    for candidate, drop in _decided(candidates, submit):
        if drop is None:
            kept.append(candidate)
        else:
            lost.append(drop)
    return Screened(tuple(kept), tuple(lost))


def _decided(candidates: Sequence[SourceProblem], submit: Submit) -> Iterator[tuple[SourceProblem, Dropped | None]]:
    """In the order of the candidates, whatever order grades come in."""
    waiting: deque[tuple[SourceProblem, Future[Verdict] | Dropped]] = deque()
    for candidate in candidates:
        waiting.append((candidate, _at_sight(candidate) or submit(candidate.problem, gold_reply(candidate.problem))))
        if len(waiting) >= _WINDOW:
            yield _settled(*waiting.popleft())
    while waiting:
        yield _settled(*waiting.popleft())


def _at_sight(candidate: SourceProblem) -> Dropped | None:
    if candidate.problem.answer is None or not candidate.problem.answer.strip():
        return dropped(candidate, "no gold", f"nothing at {candidate.problem.source}")
    given_away = leak(candidate.problem)
    return dropped(candidate, "leaked gold", f"the statement {given_away}") if given_away is not None else None


def _settled(candidate: SourceProblem, found: "Future[Verdict] | Dropped") -> tuple[SourceProblem, Dropped | None]:
    return candidate, found if isinstance(found, Dropped) else _graded(candidate, found.result())


def _graded(candidate: SourceProblem, verdict: Verdict) -> Dropped | None:
    gold = " ".join((candidate.problem.answer or "").split())[:_SHOWN]
    if verdict.outcome == "right":
        return None
    if verdict.outcome != "failed" or verdict.failure is None:
        reason = "undecided" if verdict.outcome == "undecided" else "not equal to itself"
        read = f"gold {gold!r}, read as {(verdict.extracted or '')[:_SHOWN]!r}"
        return dropped(candidate, reason, f"{read}: {verdict.reason}" if verdict.reason else read)
    kind, detail = verdict.failure.kind, verdict.failure.detail
    if kind in _BROKEN_KINDS:
        raise GoldFault(
            f"gold of {candidate.problem.id} ({candidate.problem.source}): grader {candidate.problem.grader} does not work here, {kind}: "
            f"{detail}. No gold was judged by it; mend that and build again, or take the problem out of its source")
    if kind == "unparseable_gold":
        return dropped(candidate, "unparseable gold", detail)
    if kind in _DATA_KINDS:
        return dropped(candidate, "bad grading data", detail)
    return dropped(candidate, "undecided", f"gold {gold!r}, {kind}: {detail}")
