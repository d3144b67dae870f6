"""The parts of a decision as assets see them: what each is called, which rounds it takes, its version and what the UI shows.

Pure: read off a `Course`. Leaves out running (`decision_assets.py`) and the report (`decision_reports.py`).
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import dagster as dg

from tmas_assets.assets.events import Metadata
from tmas_assets.assets.metadata import text_table
from tmas_assets.engine.decisions import Course
from tmas_assets.engine.reviews import review_digest
from tmas_assets.records import RED_TEAM, Experiment, Finding, Order, Round, Turn, digest
from tmas_assets.strategies import settings_of
from tmas_assets.strategies.team_decision.settings import Settings, rounds
from tmas_assets.strategies.team_decision.state import decision_of, seat_of, state_of

PLAN, CROSS, DECISION, REPORT = ("plan",), ("cross_examination",), ("decision",), ("report",)
FINDINGS = "findings"
Part = tuple[str, ...]
"""The asset key after the experiment's name."""


def settings_for(experiment: Experiment) -> Settings:
    found = settings_of(experiment.strategy)
    assert isinstance(found, Settings)
    return found


def seats(experiment: Experiment) -> tuple[str, ...]:
    """Who has an asset of its own: those whom the file names, and the red team. Whom the CEO recruits is known later."""
    settings = settings_for(experiment)
    return (*(seat.name for seat in settings.roster), *((RED_TEAM,) if settings.red_team else ()))


def key(experiment: Experiment, part: Part) -> dg.AssetKey:
    return dg.AssetKey([experiment.name, *part])


def parts(experiment: Experiment) -> Mapping[Part, tuple[Part, ...]]:
    """Every part, each after what it is made from."""
    found = [(FINDINGS, seat) for seat in seats(experiment)]
    first: dict[Part, tuple[Part, ...]] = {PLAN: (), **{one: (PLAN,) for one in found}}
    told = tuple(found) or (PLAN,)
    if settings_for(experiment).debate_rounds:
        first[CROSS] = told
        told = (CROSS,)
    return {**first, DECISION: told, REPORT: (DECISION,)}


def rounds_of(experiment: Experiment, part: Part) -> range:
    """The iterations that have to be there for a part."""
    last = rounds(settings_for(experiment))
    if part == PLAN:
        return range(1)
    if part[0] == FINDINGS:
        return range(2)
    return range(last - 1) if part == CROSS else range(last)


@dataclass(frozen=True)
class Made:
    """A part that is there."""

    version: str
    metadata: Metadata


def made(experiment: Experiment, part: Part, course: Course) -> Made | None:
    """The part as it stands in the store; None where a round that it takes is missing."""
    ended = course.whole
    if course.length < len(rounds_of(experiment, part)) and not (ended and part[0] != FINDINGS):
        return None
    if part == PLAN:
        return Made(digest([review_digest(past[0]) for past in course.rounds.values()]), _plan(course))
    if part[0] == FINDINGS:
        return _finding(course, part[1])
    if part == CROSS:
        return Made(_told(course, rounds_of(experiment, part)), _debate(course))
    return Made(_told(course, range(course.length)), _decision(course))


def seat_turns(course: Course, seat: str) -> tuple[Turn, ...]:
    """Of the independent findings, by repeat."""
    return tuple(
        turn
        for past in course.rounds.values()
        for turn in (past[1].memory.turns if len(past) > 1 else ())
        if turn.kind == "Finding" and seat_of(turn) == seat
    )


def _told(course: Course, iterations: range) -> str:
    return digest([files.memory_bank.digest for files in course.files[: iterations.stop]])


def _cost(turns: Iterable[Turn]) -> Metadata:
    traces = {turn.trace.call: turn.trace for turn in turns if turn.trace is not None}.values()
    return {
        "calls": dg.MetadataValue.int(len(traces)),
        "prompt_tokens": dg.MetadataValue.int(sum(trace.prompt_tokens or 0 for trace in traces)),
        "completion_tokens": dg.MetadataValue.int(sum(trace.completion_tokens or 0 for trace in traces)),
        "usage_unknown": dg.MetadataValue.int(sum(trace.completion_tokens is None for trace in traces)),
        "replies_unreadable": dg.MetadataValue.int(sum(turn.parse != "parsed" for turn in turns if turn.trace is not None)),
    }


def _turns(past: Sequence[Round]) -> list[Turn]:
    return [turn for one in past for turn in one.memory.turns]


def _plan(course: Course) -> Metadata:
    plans = [(repeat, state_of(past[:1]).plan) for repeat, past in course.rounds.items()]
    faults = [f"r{repeat}: {plan.fault}" for repeat, plan in plans if plan.fault]
    return {
        "claims": text_table(
            ("claim", "text", "experts"),
            [(f"r{repeat} {claim.id}", claim.text, ", ".join(claim.experts)) for repeat, plan in plans for claim in plan.claims],
        ),
        "experts": text_table(
            ("expert", "remit", ""),
            [(f"r{repeat} {seat.name}", seat.remit, "recruited" if seat.recruited else "") for repeat, plan in plans for seat in plan.experts],
        ),
        **({"warning": dg.MetadataValue.text("not the CEO's plan: " + "; ".join(faults))} if faults else {}),
        **_cost([turn for past in course.rounds.values() for turn in _turns(past[:1])]),
    }


def _finding(course: Course, seat: str) -> Made | None:
    turns = seat_turns(course, seat)
    if not turns:
        return None
    return Made(
        digest([[turn.id, turn.data, turn.trace.call if turn.trace else None] for turn in turns]),
        {"findings": _verdicts([(1, turn) for turn in turns]), **_cost(turns)},
    )


def _verdicts(turns: Sequence[tuple[int, Turn]]) -> dg.TableMetadataValue:
    return text_table(
        ("reply", "verdict", "score", "confidence", "reason", "by"),
        [(turn.id, *_read(turn), turn.model or "") for _, turn in turns],
    )


def _read(turn: Turn) -> tuple[str, str, str, str]:
    if turn.data is None:
        return ("not readable", "", "", turn.parse_error or "")
    found = Finding.model_validate_json(turn.data)
    return (found.verdict, f"{found.score:g}", f"{found.confidence:g}", found.reason)


def _debate(course: Course) -> Metadata:
    later = [(one.iteration, turn) for past in course.rounds.values() for one in past[2:] for turn in one.memory.turns]
    orders = [(turn.id, Order.model_validate_json(turn.data)) for _, turn in later if turn.kind == "Order" and turn.data]
    return {
        "findings": _verdicts([one for one in later if one[1].kind == "Finding"]),
        "orders": text_table(
            ("order", "granted", "reason", "not granted"), [(id_, one.granted, one.reason, one.clamped or "") for id_, one in orders]
        ),
        **_cost([turn for _, turn in later if turn.kind != "Decision"]),
    }


def _decision(course: Course) -> Metadata:
    decisions = [(repeat, decision_of(past)) for repeat, past in course.rounds.items()]
    rows = [
        (
            f"r{repeat}",
            one.decision if one.made else f"{one.decision} (nobody decided)",
            one.reason,
            "none" if one.consensus.share is None else f"{one.consensus.within_one_step} of {one.consensus.asked}",
            "none" if one.consensus.spread is None else f"{one.consensus.spread:g}",
            ", ".join(each.expert for each in one.dissent),
            one.partial or one.clamped or "",
        )
        for repeat, one in decisions
        if one is not None
    ]
    turns = [turn for past in course.rounds.values() for turn in _turns(past)]
    return {"decisions": text_table(("repeat", "decision", "reason", "within one step", "spread", "dissent", "note"), rows), **_cost(turns)}
