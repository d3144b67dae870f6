"""The trace of a team (strategy `mas_tts`) on one question: every call of every role, from the stored rounds and the call log.

Order of generation, from the records' structure alone, so that it is the same whoever replied first. In a round:
    the order, the roster, then for each version of the solution: the speeches that led to it, the version, the votes on it in
    order of critic; then speeches that no version followed, tests that were written, the evaluator
A prompt shows nothing but replies that stand before it. Critics who vote side by side stand in order of their numbers. What
no model said (a standing order, a roster of the settings, code that ran) is no turn.

`agreed` is the consensus on the chosen solution as the last conclusion tells it: all cast votes agree and half of the critics
voted. A round of one expert, or without critic iterations, has no critics: nobody agreed. Pure: leaves out where rounds and calls come from (`engine/building/traces.py`).
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from tmas_assets.agents import solution
from tmas_assets.agents.failure import no_reply
from tmas_assets.agents.mas_tts import ceo, critic, evaluator, executor, recruiter
from tmas_assets.records import (
    REPEATED,
    Call,
    Grade,
    ParseStatus,
    Question,
    Rollout,
    Round,
    TeamTrace,
    Trace,
    TraceTurn,
    Turn,
    Verification,
)
from tmas_assets.strategies.mas_tts.account import traces_in
from tmas_assets.strategies.mas_tts.work import Conclusion, found

ROLES: Mapping[str, str] = {
    ceo.ROLE: "ceo", recruiter.ROLE: "expert_recruiter", solution.ROLE: "problem_solver", critic.ROLE: "critic",
    executor.ROLE: "executor", evaluator.ROLE: "evaluator",
}  # fmt: skip
"""Names of the published columns by the names that the strategy asks under."""
_PASS = re.compile(r"r\d+t\d+p(\d+)s(\d+)/")
_OPENING = ("Ordered", "Roster")
_CLOSING = ("Execution",)
_SPEECH = "Speech"


class TraceFault(RuntimeError):
    """Rounds that no trace can be made of; the text names the question, the record and what to do."""


class LastCell(NamedTuple):
    """Digests of the files of the last iteration."""

    rollouts: str
    memory: str
    grades: str


class Source(NamedTuple):
    """A record that a call was made into."""

    agent: str
    trace: Trace
    parse: ParseStatus | None
    """None for a solution, which any words are."""
    parse_error: str | None


def team_trace(
    question: Question,
    attempt: int,
    rounds: Sequence[Round],
    calls: Mapping[str, Call],
    grades: Sequence[Grade],
    *,
    files: LastCell,
) -> TeamTrace:
    """`rounds`: all of one repeat, in order; `calls`: at least theirs, by key, failed ones too; `grades`: of the last round.

    Raises TraceFault where a call, the choice or its grade is missing, or a record has no place in the order.
    """
    name = question.candidate.problem.id
    if not rounds:
        raise TraceFault(f"{name}, attempt {attempt}: no round is stored; run the attempt first")
    chosen = _chosen(name, rounds[-1])
    conclusion = next((last for made in reversed(rounds) if (last := found(made, Conclusion)) is not None), None)
    if conclusion is None:
        raise TraceFault(f"{name}, attempt {attempt}: no round has a conclusion; these are not rounds of mas_tts")
    outcomes = [grade.outcome for grade in grades if grade.rollout == chosen.id]
    if len(outcomes) != 1:
        raise TraceFault(
            f"{name}, attempt {attempt}: {len(outcomes)} grades of the chosen rollout {chosen.id}; grade the cell again"
        )
    places = [(made.iteration, source) for made in rounds for source in in_order(made)]
    turns = tuple(_turn(name, order, iteration, source, calls) for order, (iteration, source) in enumerate(places))
    return TeamTrace(
        question=name,
        problem_digest=question.candidate.problem.digest,
        grader=question.candidate.problem.grader,
        attempt=attempt,
        licence=question.candidate.licence,
        domain=question.domain,
        turns=turns,
        solution=chosen.text,
        answer=chosen.answer,
        agreed=_agreed(chosen, conclusion),
        outcome=outcomes[0],
        accepted=conclusion.accepted,
        rollouts_digest=files.rollouts,
        memory_digest=files.memory,
        grades_digest=files.grades,
    )


def keys_of(rounds: Sequence[Round]) -> tuple[str, ...]:
    """Keys of the calls that the records of the rounds were made from, each once."""
    return tuple(dict.fromkeys(trace.call for made in rounds for trace in traces_in(made)))


def in_order(made: Round) -> tuple[Source, ...]:
    """Records of the round that a call was made into, in order of generation. Raises TraceFault where one has no place."""
    ordered = tuple(_ordered(made))
    placed, there = [one.trace.call for one in ordered], [trace.call for trace in traces_in(made)]
    if sorted(placed) != sorted(there):
        lost = sorted(set(there) - set(placed)) or sorted(set(placed))
        raise TraceFault(
            f"{made.problem}, round {made.iteration}: {len(there)} calls were made and {len(placed)} have a place in the order, "
            f"{lost[0]} has none; a kind of record of mas_tts that traces do not know yet?"
        )
    return ordered


def _ordered(made: Round) -> Iterator[Source]:
    turns = [turn for turn in made.memory.turns if turn.trace is not None]
    drafts = sorted((one for one in made.rollouts if one.branch not in REPEATED), key=lambda one: one.candidate)
    speeches = sorted((turn for turn in turns if turn.kind == _SPEECH), key=_spoken)
    yield from (_of_turn(turn) for kind in _OPENING for turn in turns if turn.kind == kind)
    for number, draft in enumerate(drafts):
        yield from (_of_turn(turn) for turn in speeches if _spoken(turn)[0] == number)
        yield Source(draft.id, draft.trace, None, None)
        yield from (_of_check(check) for check in _checks(made, critic.ROLE) if check.rollout == draft.id)
    yield from (_of_turn(turn) for turn in speeches if _spoken(turn)[0] >= len(drafts))
    yield from (_of_turn(turn) for kind in _CLOSING for turn in turns if turn.kind == kind)
    yield from (_of_check(check) for check in _checks(made, evaluator.ROLE))


def _spoken(turn: Turn) -> tuple[int, int]:
    """Pass and critic of a speech: pass n leads to version n."""
    match = _PASS.match(turn.id)
    if match is None:
        raise TraceFault(f"{turn.id}: the id of a speech names no pass and critic (r0t00p0s0/critic)")
    return int(match[1]), int(match[2])


def _checks(made: Round, role: str) -> list[Verification]:
    return sorted((check for check in made.verifications if check.trace.role == role), key=lambda check: check.check)


def _of_turn(turn: Turn) -> Source:
    assert turn.trace is not None
    return Source(turn.id, turn.trace, turn.parse, turn.parse_error)


def _of_check(check: Verification) -> Source:
    return Source(check.id, check.trace, check.parse, check.parse_error)


def _turn(name: str, order: int, iteration: int, source: Source, calls: Mapping[str, Call]) -> TraceTurn:
    call = calls.get(source.trace.call)
    if call is None:
        raise TraceFault(
            f"{name}: {source.agent} was made from call {source.trace.call}, which is not in the call log; give the log that the "
            "attempt was run with, or delete the question's cells and run it again"
        )
    missing = no_reply(call) if source.parse is None else None
    return TraceTurn(
        order=order,
        iteration=iteration,
        role=ROLES[source.trace.role],
        agent=source.agent,
        messages=call.request.messages,
        thinking=call.thinking,
        reply=call.answer,
        status=call.status,
        parse=source.parse or ("parsed" if missing is None else "failed"),
        parse_error=source.parse_error or missing,
        prompt_tokens=call.usage.prompt_tokens,
        completion_tokens=call.usage.completion_tokens,
        model=call.model,
        call=call.key,
    )


def _chosen(name: str, last: Round) -> Rollout:
    chosen = [rollout for rollout in last.rollouts if rollout.branch == "chosen"]
    if not chosen:
        raise TraceFault(f"{name}: round {last.iteration} has no chosen rollout; these are not rounds of mas_tts")
    return chosen[-1]


def _agreed(chosen: Rollout, conclusion: Conclusion) -> bool:
    return bool(chosen.text.strip()) and conclusion.consensus is True
