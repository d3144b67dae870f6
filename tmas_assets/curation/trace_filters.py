"""Which traces are kept: the three filters of M500 (arXiv 2504.09772), each judging every trace whatever the others say.

consensus    solver and critics agreed on the chosen solution (`TeamTrace.agreed`)
format       every call of every role, in order, the first breach is told:
             the request failed; the reply was cut off; there is no reply after the thinking; the thinking is not closed exactly once
             (a think tag stands inside it or in the reply); with `required`, there is no thinking in tags (or in the server's own
             field for it, which is the same); the agent's reply could not be read by its parser. Then, with `boxed`, the chosen
             solution has no box with an answer in it, where the grader reads one: not for code and texts of given words.
correctness  the grade of the chosen answer is right; undecided and failed are not
Leaves out how a trace is made.
"""

from collections.abc import Sequence

from tmas_assets.grading.boxes import last_box
from tmas_assets.grading.thinking import split_thinking
from tmas_assets.records import FilteredTrace, Record, TeamTrace, TraceFilter, TraceFilters, TraceTurn

FILTERS: tuple[TraceFilter, ...] = ("consensus", "format", "correctness")
UNBOXED = ("code", "concepts")
"""Graders of whole texts."""


class FilterCount(Record):
    """What one filter does to the traces that were judged."""

    filter: TraceFilter
    on: bool
    """Whether it drops at all, by the settings."""
    judged: int
    failed: int
    """Traces that this filter by itself drops (would drop, where it is off), whatever the others say."""
    only: int
    """Traces that no filter drops but this one; 0 where it is off."""


def filtered(trace: TeamTrace, settings: TraceFilters) -> FilteredTrace:
    fault = format_fault(trace, settings)
    judged = FilteredTrace(
        question=trace.question,
        attempt=trace.attempt,
        consensus=trace.agreed,
        format=fault is None,
        format_fault=fault,
        correctness=trace.outcome == "right",
        kept=False,
    )
    return judged.model_copy(update={"kept": not dropped_by(judged, settings)})


def dropped_by(judged: FilteredTrace, settings: TraceFilters) -> tuple[TraceFilter, ...]:
    """The filters that are on and that a trace does not pass."""
    return tuple(name for name in FILTERS if is_on(name, settings) and not passes(judged, name))


def passes(judged: FilteredTrace, name: TraceFilter) -> bool:
    return {"consensus": judged.consensus, "format": judged.format, "correctness": judged.correctness}[name]


def is_on(name: TraceFilter, settings: TraceFilters) -> bool:
    """The format is always asked for; settings say which."""
    return {"consensus": settings.consensus, "format": True, "correctness": settings.correct}[name]


def filter_counts(judged: Sequence[FilteredTrace], settings: TraceFilters) -> tuple[FilterCount, ...]:
    """By filter, in order."""
    return tuple(
        FilterCount(
            filter=name,
            on=is_on(name, settings),
            judged=len(judged),
            failed=sum(not passes(one, name) for one in judged),
            only=sum(dropped_by(one, settings) == (name,) for one in judged),
        )
        for name in FILTERS
    )


def used(judged: Sequence[FilteredTrace], order: Sequence[str], *, target: int | None = None) -> tuple[FilteredTrace, ...]:
    """The first kept attempt of each question, in the order of the questions, at most `target`.

    `order`: ids of the questions; a kept trace of any other is an error. Raises ValueError.
    """
    first: dict[str, FilteredTrace] = {}
    for one in sorted((one for one in judged if one.kept), key=lambda one: one.attempt):
        first.setdefault(one.question, one)
    if strange := sorted(set(first) - set(order)):
        raise ValueError(f"{len(strange)} kept traces are of questions that were not selected, {strange[0]!r} first; make the traces again")
    return tuple(first[id_] for id_ in dict.fromkeys(order) if id_ in first)[:target]


def format_fault(trace: TeamTrace, settings: TraceFilters) -> str | None:
    """The first breach of form: which call, and what is wrong with it; None where there is none."""
    for turn in trace.turns:
        if (fault := _turn_fault(turn, thinks=settings.thinking == "required")) is not None:
            return f"{turn.role} {turn.agent}: {fault}"
    if settings.boxed and trace.grader not in UNBOXED and not (last_box(trace.solution) or "").strip():
        return "problem_solver: no answer in a box in the chosen solution"
    return None


def _turn_fault(turn: TraceTurn, *, thinks: bool) -> str | None:
    if turn.status == "failed":
        return f"the request failed: {turn.parse_error}"
    if turn.status == "truncated":
        return "the reply was cut off"
    if not turn.reply.strip():
        return "no reply after the thinking" if turn.thinking else "empty reply"
    if any(_tagged(text) for text in (turn.thinking, turn.reply) if text):
        return "the thinking is not closed exactly once"
    if thinks and not (turn.thinking or "").strip():
        return "no thinking in tags"
    if turn.parse != "parsed":
        return f"not readable: {turn.parse_error}"
    return None


def _tagged(text: str) -> bool:
    """Whether a think tag stands in a text that was already cut at its tags."""
    return split_thinking(text)[0] is not None
