"""Conversations of all five TMAS roles to imitate, from simulated rounds whose final answer is right.

A round's final answer is its plurality vote: the class of equal answers that most rollouts gave, more than any other class.
Answers that no grader decided vote too, so a vote that nobody could judge is not right, and neither is a tie. Pure: calls and the comparison
of answers are given. Leaves out the loss on them.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import Literal

from tmas_assets.records import Call, Conversation, Message, Outcome, Problem, Trace
from tmas_assets.training.seen_round import SeenRound
from tmas_assets.training.spoken import spoken

Classes = Callable[[Problem, Sequence[str | None]], tuple[int | None, ...] | None]
"""The class of equal answers that each belongs to, None for a silent one, and None altogether where answers to the problem cannot
be told equal; `engine.voting.Voting.classes`."""
FinalAnswer = Literal["right", "not right", "tied", "none"]


class MissingCall(ValueError):
    """A call behind a round that the call log does not have."""


def final_answer(seen: SeenRound, classes: Classes) -> FinalAnswer:
    """Of the round's vote: `right` where every answer of the winning class is, `tied` where several classes won.

    Where answers cannot be told equal (programs) no class is larger than one: there the vote is `right` where more than half of
    the answers given are.
    """
    said = {grade.rollout: grade.extracted for grade in seen.grades}
    outcomes = seen.outcomes
    voters = [rollout for rollout in outcomes if said.get(rollout)]
    found = classes(seen.candidate.problem, [said[rollout] for rollout in voters])
    if found is None:
        gave = [outcomes[rollout.id] for rollout in seen.round.rollouts if rollout.text]
        return "none" if not gave else "right" if 2 * gave.count("right") > len(gave) else "not right"
    votes = Counter(place for place in found if place is not None)
    most = max(votes.values(), default=0)
    won = [place for place, count in votes.items() if count == most]
    if len(won) != 1:
        return "tied" if won else "none"
    right = all(outcomes[rollout] == "right" for rollout, place in zip(voters, found, strict=True) if place == won[0])
    return "right" if right else "not right"


def conversations(seen: SeenRound, calls: Callable[[str], Call | None], classes: Classes) -> tuple[Conversation, ...]:
    """Of a round whose final answer is right, else none: the solutions graded right, verifications of any solution whose score
    is its grade (1 right, 0 wrong), summaries whose scores lean to the grade, and what both bank agents wrote. Only replies
    that are complete, not repetitive, and were read.

    `calls`: a call by its key. Order: stage after stage as the agents wait for each other, inside a stage by candidate and
    check; when a reply came plays no part. Raises MissingCall.
    """
    if final_answer(seen, classes) != "right":
        return ()
    made: list[Conversation] = []
    for trace, about in _used(seen):
        call = calls(trace.call)
        if call is None:
            raise MissingCall(
                f"{seen}: call {trace.call} ({trace.role}) behind {', '.join(about) or 'a bank'} is not in the call log; "
                "read the log that the teacher's run wrote"
            )
        made.append(_conversation(seen, call, about, len(made)))
    return tuple(made)


def reply(call: Call) -> Message:
    """The turn to imitate: the thinking in think tags, where there was any, then the answer."""
    return Message(role="assistant", content=spoken((call.thinking or "").strip() or None, call.answer))


def _used(seen: SeenRound) -> Iterator[tuple[Trace, tuple[str, ...]]]:
    """Traces of the usable replies with the ids of the records made from them, in the order of generation."""
    round_, outcomes = seen.round, seen.outcomes
    ids = [one.id for one in sorted(round_.rollouts, key=lambda one: one.candidate) if one.text]
    traces = {one.id: one.trace for one in round_.rollouts}
    for id_ in ids:
        if outcomes[id_] == "right" and _whole(traces[id_]):
            yield traces[id_], (id_,)
    checks = [one for one in round_.verifications if one.parse == "parsed" and _whole(one.trace)]
    for check in sorted(checks, key=lambda one: (ids.index(one.rollout), one.check)):
        if _true(check.score, outcomes[check.rollout]):
            yield check.trace, (check.id,)
    summaries = [one for one in round_.summaries if one.parse == "parsed" and _whole(one.trace)]
    for summed in sorted(summaries, key=lambda one: ids.index(one.rollout)):
        if _leans(summed.mean_score, outcomes[summed.rollout]):
            yield summed.trace, (summed.id,)
    for write in round_.memory.writes:
        if write.parse == "parsed" and _whole(write.trace):
            written = [e.id for e in round_.memory.entries if e.bank == write.bank and e.last_seen == round_.iteration]
            yield write.trace, tuple(written)


def _true(score: float | None, outcome: Outcome) -> bool:
    """A verdict that the grade bears out. Both kinds are wanted: who only sees passes learns to pass everything."""
    return (score, outcome) in ((1.0, "right"), (0.0, "wrong"))


def _leans(mean: float | None, outcome: Outcome) -> bool:
    """Whether the verdicts that a summary sums up lean to the grade's side."""
    return mean is not None and ((outcome == "right" and mean > 0.5) or (outcome == "wrong" and mean < 0.5))


def _whole(trace: Trace) -> bool:
    return trace.status == "complete" and not trace.repetitive


def _conversation(seen: SeenRound, call: Call, about: tuple[str, ...], order: int) -> Conversation:
    return Conversation(
        messages=(*call.request.messages, reply(call)),
        role=call.request.role,
        problem=seen.candidate.problem.id,
        problem_digest=seen.candidate.problem.digest,
        group=f"{seen.candidate.problem.id}/{seen.teacher}/{seen.place}",
        order=order,
        about=about,
        call=call.key,
        teacher=seen.teacher,
        teacher_model=call.model,
        licence=seen.candidate.licence,
        prompt_tokens=call.usage.prompt_tokens,
        completion_tokens=call.usage.completion_tokens,
    )
