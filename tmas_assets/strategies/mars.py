"""Mars: a solver, a verifier that reports errors and a corrector in a loop (MarsRL, arXiv 2511.11373, repository
liushulinle/MarsRL; the loop of IMO25, repository lyang36/IMO25).

One iteration of a thread is one verdict. Iteration 0: the solver, then the verifier. Later: after a failure the
corrector (it sees the problem, the solution and the report on it), then the verifier on the correction; after a pass
the verifier once more on the same solution. A thread is accepted after a count of passes in a row, rejected after a
count of failures in all. What the descriptions leave open, or the codes do in a way that is not wanted here:

* A verdict counts only where it is exactly `correct` or `incorrect` (MarsRL's code looks for "correct" anywhere in
  the reply, which "incorrect" contains). One that cannot be read is asked for once more with another seed; if that
  fails too it is neither a pass nor a failure, and the solution is verified again in the next iteration.
* Passes are counted from 0, so that 4 are 4 verdicts. MarsRL's counter starts at 1: `passes_at_start: 1`, which holds
  until the first failure.
* The solver is asked again, up to `tries` calls, while its reply was cut off or empty; the last reply is taken. The
  others are kept as turns `Try`. The corrector has one call; a correction without text is no solution and gets no
  verdict: the one before it is corrected again.
* An accepted or rejected thread keeps its solution and asks nothing; when all have ended the problem is done. Which of
  both it was, and why, is kept as a turn `Ended`.
* `answer`: by `most_verified` the solution with most passes among all attempts of all threads is chosen (of equals
  the newest, then the thread with the lower number); figures over the population are over the current solution of each
  thread. By `last` nothing is chosen: the current solution of each thread is its answer.
"""

from collections.abc import Sequence
from typing import Literal

from pydantic import Field, ValidationInfo, field_validator

from tmas_assets.agents import bug_report, prompt_digests, revision, solution
from tmas_assets.agents.asking import Limits
from tmas_assets.agents.revision import Attempt
from tmas_assets.records import Problem, Record, Rollout, Round, Turn, Verification
from tmas_assets.strategies import Here, Strategy, Team
from tmas_assets.strategies.revising import attempts_of, revise
from tmas_assets.strategies.step import Step, together

ENDED = "thread"
_CUT_OFF = ("truncated", "empty")


class Settings(Record):
    threads: int = Field(default=1, ge=1)
    """Independent runs of the loop side by side."""
    tries: int = Field(default=3, ge=1)
    """Most calls of the solver for a reply that ends normally."""
    passes: int = Field(default=4, ge=1)
    """Passes in a row that accept a solution (IMO25: 5)."""
    passes_at_start: int = Field(default=0, ge=0)
    """Passes that a first solution has before any verdict (MarsRL: 1)."""
    failures: int = Field(default=10, ge=1)
    """Failures in all that reject a thread."""
    iterations: int = Field(default=10, ge=1)
    """Most iterations (IMO25: 30)."""
    answer: Literal["most_verified", "last"] = "most_verified"
    """What is scored: the solution with most passes, one a problem, or the last one of every thread."""
    proof: bool = False
    """Ask for proofs instead of short answers."""
    limits: Limits = Limits()

    @field_validator("passes_at_start")
    @classmethod
    def _leaves_a_verdict(cls, at_start: int, info: ValidationInfo) -> int:
        if at_start >= info.data.get("passes", at_start + 1):
            raise ValueError("accepts a solution before any verdict; say fewer than `passes`")
        return at_start


class Try(Record):
    """A reply of the solver that was passed over: kept as a turn with its text."""

    candidate: int
    number: int
    status: str
    """`truncated` or `empty`."""


class Standing(Record):
    """Where a thread stands after its verdicts."""

    passes: int
    """In a row, of its current solution."""
    failures: int
    """Of all its solutions."""


class Ended(Record):
    """Why a thread asks no more: kept as a turn of the round in which it ended."""

    thread: int
    why: Literal["accepted", "rejected"]
    passes: int
    failures: int


class _Made(Record):
    """What a thread did in one round."""

    rollout: Rollout
    verdicts: tuple[Verification, ...] = ()
    tries: tuple[Turn, ...] = ()


def standing(attempts: Sequence[Attempt], settings: Settings) -> Standing:
    """The counts after all verdicts on `attempts`, oldest first."""
    passes, failures = settings.passes_at_start, 0
    for _, verdicts in attempts:
        for verdict in verdicts:
            if verdict.score == 1:
                passes += 1
            elif verdict.score == 0:
                passes, failures = 0, failures + 1
    return Standing(passes=passes, failures=failures)


def ended(thread: int, attempts: Sequence[Attempt], settings: Settings) -> Ended | None:
    """Whether the thread has ended, and how."""
    now = standing(attempts, settings)
    if now.passes >= settings.passes:
        return Ended(thread=thread, why="accepted", passes=now.passes, failures=now.failures)
    if now.failures >= settings.failures:
        return Ended(thread=thread, why="rejected", passes=now.passes, failures=now.failures)
    return None


def most_verified(threads: Sequence[Sequence[Attempt]]) -> Rollout | None:
    """The solution with most passes; of equals the newest, then the thread with the lower number."""
    every = [(sum(v.score == 1 for v in verdicts), rollout) for one in threads for rollout, verdicts in one]
    best = min(every, key=lambda one: (-one[0], -one[1].iteration, one[1].candidate), default=None)
    return best[1] if best else None


async def iterate(problem: Problem, past: tuple[Round, ...], here: Here, team: Team, settings: Settings) -> Round:
    step = Step(problem, past, here, team)
    made = await together(_thread(step, number, settings) for number in range(settings.threads))
    rollouts = [one.rollout for one in made]
    verdicts = [verdict for one in made for verdict in one.verdicts]
    rounds = (*past, step.round(rollouts, verifications=verdicts))
    threads = [attempts_of(rounds, number) for number in range(settings.threads)]
    ends = [ended(number, attempts, settings) for number, attempts in enumerate(threads)]
    turns = [turn for one in made for turn in one.tries]
    for end, one in zip(ends, made, strict=True):
        if end is not None and one.verdicts:
            turns.append(step.turn(ENDED, f"c{end.thread}", kind="Ended", data=end, call=None, about=[one.rollout.id]))
    chosen = []
    if settings.answer == "most_verified":
        chosen = [step.repeated(most_verified(threads) or rollouts[0], len(rollouts), "chosen")]
    over = [end for end in ends if end is not None]
    return step.round(
        [*rollouts, *chosen],
        verifications=verdicts,
        turns=turns,
        stopped="; ".join(_said(end) for end in over) if len(over) == len(ends) else None,
    )


def _said(end: Ended) -> str:
    return f"thread {end.thread} {end.why}: {end.passes} passes in a row, {end.failures} failures"


async def _thread(step: Step, number: int, settings: Settings) -> _Made:
    attempts = attempts_of(step.past, number)
    tries: tuple[Turn, ...] = ()
    if not attempts:
        rollout, tries = await _solve(step, number, settings)
    elif ended(number, attempts, settings) is not None:
        return _Made(rollout=step.repeated(attempts[-1][0], number, "kept"))
    else:
        last, verdicts = attempts[-1]
        report = next((verdict for verdict in verdicts if verdict.score == 0), None)
        if report is None:
            rollout = step.repeated(last, number, "kept")
        else:
            shown = ((last, (report,)),)
            rollout = await revise(step, number, shown, proof=settings.proof, limits=settings.limits, to_go=1)
    verdicts = await _verdicts(step, rollout, settings) if rollout.text else ()
    return _Made(rollout=rollout, verdicts=verdicts, tries=tries)


async def _solve(step: Step, number: int, settings: Settings) -> tuple[Rollout, tuple[Turn, ...]]:
    """The first reply that ends normally, else the last one; and what was passed over."""
    rollout = await step.solve(number, proof=settings.proof, limits=settings.limits, to_go=1)
    passed_over: list[Turn] = []
    for again in range(1, settings.tries):
        if rollout.trace.status not in _CUT_OFF:
            break
        lost = Try(candidate=number, number=again - 1, status=rollout.trace.status)
        turn = step.turn(solution.ROLE, f"c{number}try{again - 1}", kind="Try", data=lost, call=None, text=rollout.text)
        passed_over.append(turn.model_copy(update={"model": rollout.model, "trace": rollout.trace}))
        ask = step.ask(solution.ROLE, f"c{number}try{again}", to_go=1)
        call = await step.team.ask(
            solution.ask(
                step.problem, ask, proof=settings.proof, branch="plain", shown=(), memory=(), limits=settings.limits
            )
        )
        found = solution.read(call, proof=settings.proof)
        rollout = step.rollout(number, "plain", ask, call, text=found.text, answer=found.answer)
    return rollout, tuple(passed_over)


async def _verdicts(step: Step, rollout: Rollout, settings: Settings) -> tuple[Verification, ...]:
    """One verdict, and a second one where the first cannot be read."""
    verdicts: list[Verification] = []
    for number in range(2):
        ask = step.ask(bug_report.ROLE, f"c{rollout.candidate}v{number}")
        call = await step.team.ask(
            bug_report.ask(step.problem, ask, proof=settings.proof, rollout=rollout, limits=settings.limits)
        )
        verdicts.append(step.check(rollout, number, call, **dict(bug_report.read(call))))
        if verdicts[-1].parse == "parsed":
            break
    return tuple(verdicts)


STRATEGY = Strategy(
    name="mars",
    title="Solver, verifier and corrector (MarsRL)",
    source="arXiv 2511.11373",
    roles=lambda settings: (solution.ROLE, bug_report.ROLE),
    Settings=Settings,
    prompts=lambda: prompt_digests((solution, bug_report, revision)),
    population=lambda settings, iteration: settings.threads,
    chooses=lambda settings: settings.answer == "most_verified",
    rounds=lambda settings: settings.iterations,
    looks_back=None,
    iterate=iterate,
)
