"""Self-Refine: independent threads, each gives feedback on its own last solution and revises it (Madaan et al.,
arXiv 2303.17651; threads in parallel as in TMAS's tables).

Iteration 0 is plain. Later each thread makes two calls, feedback and revision. What the descriptions leave open:

* Feedback and revision are two calls and not one, so that each is parsed, counted and sampled by itself.
* A thread stops where its feedback says in so many words that the solution is right; it keeps that solution, and
  when all threads have stopped the problem is done. Feedback without a readable verdict stops nothing; what it says
  in prose is shown to the revision all the same.
* The answer of a thread is its last revision. A revision that brings no text is that round's answer, and a wrong one;
  the next round goes on from the thread's last attempt that has some, and solves anew where there is none.
"""

from typing import Literal

from pydantic import Field

from tmas_assets.agents import feedback, prompt_digests, revision, solution
from tmas_assets.agents.asking import Limits
from tmas_assets.records import Problem, Record, Rollout, Round, Verification
from tmas_assets.strategies import Here, Strategy, Team
from tmas_assets.strategies.revising import attempts_of, is_kept, revise
from tmas_assets.strategies.step import Step, together


class Settings(Record):
    threads: int = Field(default=8, ge=1)
    """N, independent threads; each is an answer of its own, none is chosen."""
    shows: Literal["last", "all"] = "last"
    """What a revision sees besides the problem: the thread's `last` attempt with its feedback, or `all` of its attempts,
    oldest first, each with its feedback. The newest that fit `limits` are shown (one for every 400 of `round_chars`)."""
    stop_when_right: bool = True
    """A thread whose feedback calls its solution right keeps it. False: it goes on revising to the last iteration."""
    proof: bool = False
    """Ask for proofs instead of short answers."""
    limits: Limits = Limits()


async def iterate(problem: Problem, past: tuple[Round, ...], here: Here, team: Team, settings: Settings) -> Round:
    step = Step(problem, past, here, team)
    threads = await together(_thread(step, number, settings) for number in range(settings.threads))
    rollouts = [rollout for rollout, _ in threads]
    done = all(rollout.branch == "kept" for rollout in rollouts)
    return step.round(
        rollouts,
        verifications=[check for _, check in threads if check is not None],
        stopped="the feedback of every thread calls its solution right" if done else None,
    )


async def _thread(step: Step, number: int, settings: Settings) -> tuple[Rollout, Verification | None]:
    """The thread's next attempt and the feedback before it."""
    attempts = attempts_of(step.past, number)
    if not attempts:
        return await step.solve(number, proof=settings.proof, limits=settings.limits), None
    last, earlier = attempts[-1]
    if is_kept(step.past, number):
        return step.repeated(last, number, "kept"), None
    said = await _feedback(step, last, len(earlier), settings)
    if settings.stop_when_right and said.score == 1:
        return step.repeated(last, number, "kept"), said
    known = (*attempts[:-1], (last, (*earlier, said)))
    shown = tuple((attempt, tuple(check for check in checks if check.critique)[-1:]) for attempt, checks in known)
    shown = shown if settings.shows == "all" else shown[-1:]
    return await revise(step, number, shown, proof=settings.proof, limits=settings.limits), said


async def _feedback(step: Step, rollout: Rollout, check: int, settings: Settings) -> Verification:
    """Of a solution of an earlier round, by the thread that wrote it."""
    ask = step.ask(feedback.ROLE, f"c{rollout.candidate}", to_go=1)
    call = await step.team.ask(
        feedback.ask(step.problem, ask, proof=settings.proof, rollout=rollout, limits=settings.limits)
    )
    return step.check(rollout, check, call, **dict(feedback.read(call)))


STRATEGY = Strategy(
    name="self_refine",
    title="Self-Refine",
    source="arXiv 2303.17651",
    roles=lambda settings: (solution.ROLE, feedback.ROLE),
    Settings=Settings,
    prompts=lambda: prompt_digests((solution, feedback, revision)),
    population=lambda settings, iteration: settings.threads,
    looks_back=None,
    iterate=iterate,
)
