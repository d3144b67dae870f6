"""What strategies share that revise a solution again and again: a thread's attempts so far, and the next one.

A thread is a candidate number: what it does in one round follows from what it did in earlier ones. Leaves out who
checks an attempt and when a thread stops.
"""

from collections.abc import Sequence

from tmas_assets.agents import revision
from tmas_assets.agents.asking import Limits
from tmas_assets.agents.revision import Attempt
from tmas_assets.records import Rollout, Round, Verification
from tmas_assets.strategies.step import Step


def attempts_of(rounds: Sequence[Round], thread: int) -> tuple[Attempt, ...]:
    """The attempts of `thread`, oldest first, each once with every check of it, in order, in whichever round it was made.

    An attempt without text (no reply, or an empty one) is none: it can be neither checked nor revised. The rollout that a
    round chooses has a number above all threads.
    """
    checks: dict[str, tuple[Verification, ...]] = {}
    for one in rounds:
        for check in one.verifications:
            if check.about is None:
                checks[check.rollout] = (*checks.get(check.rollout, ()), check)
    attempts: list[Attempt] = []
    for one in rounds:
        for rollout in one.rollouts:
            if rollout.candidate != thread or not rollout.text:
                continue
            found = checks.get(rollout.id, ())
            if rollout.branch == "kept":
                last, known = attempts.pop()
                attempts.append((last, (*known, *found)))
            else:
                attempts.append((rollout, found))
    return tuple(attempts)


def is_kept(rounds: Sequence[Round], thread: int) -> bool:
    """Whether the thread's last round repeated an earlier attempt."""
    return any(one.candidate == thread and one.branch == "kept" for one in rounds[-1].rollouts) if rounds else False


async def revise(
    step: Step, candidate: int, attempts: tuple[Attempt, ...], *, proof: bool, limits: Limits, to_go: int = 0
) -> Rollout:
    """Candidate `candidate` as a revision of the last of `attempts`; its parents are those that the prompt has room for."""
    shown = revision.fitting(attempts, limits)
    ask = step.ask(revision.ROLE, f"c{candidate}", to_go=to_go)
    call = await step.team.ask(revision.ask(step.problem, ask, proof=proof, attempts=shown, limits=limits))
    found = revision.read(call, proof=proof)
    parents = [rollout.id for rollout, _ in shown]
    return step.rollout(candidate, "refine", ask, call, text=found.text, answer=found.answer, parents=parents)
