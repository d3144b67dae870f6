"""Verify and refine: candidates, many verifications of each, and refinements of the best (DeepSeekMath-V2, repository
deepseek-ai/DeepSeek-Math-V2; the same at other sizes in Nemotron-Cascade 2, arXiv 2603.19220, and in MathArena).

Iteration 0 is plain. Every candidate is verified M times; all candidates of all iterations stay in one pool. Later
the best of the pool are refined, each from itself and critiques of it. The answer is the best of the pool, and the
problem is done when a candidate passes all its verifications. What the descriptions leave open, or we do otherwise:

* Candidates write no self-evaluation, so that plain ones share their calls with the other strategies. The second key
  after the mean score is therefore the number of ratings that it rests on; then the newer, then the lower number.
* Refinements of one candidate see the same critiques and differ by seed. Of critiques with one score, those of lower
  number are shown. A candidate without one readable rating comes last, and is refined without critiques.
* A verification that cannot be read is no rating and no pass: it stands in no mean, and a candidate that has one does
  not end the search.
* A rating whose meta-verification scores 0 is dropped: from the mean, from the critiques, and from those that have to
  pass. A meta-verification that cannot be read drops nothing.
* Where fewer than n_best have text, those there are get the refinements of the others in turn; where none has, all
  candidates are plain once more.
* `per_thread` is the reading for tables with a row for every thread (sequential refinement without selection): thread
  i refines its own last candidate that has text, with critiques of that one only; nothing is chosen. A thread that
  passed keeps its candidate.
"""

from collections.abc import Mapping

from pydantic import Field, ValidationInfo, field_validator

from tmas_assets.agents import meta_verification, prompt_digests, revision, solution, verification
from tmas_assets.agents.asking import Limits
from tmas_assets.records import Problem, Record, Rollout, Round, Verification
from tmas_assets.strategies import Here, Strategy, Team
from tmas_assets.strategies.rated_pool import Rated, best_first, critiques, pool, pool_of
from tmas_assets.strategies.revising import revise
from tmas_assets.strategies.step import Step, together

USUAL = 4
"""Refinements of each, as published with 8 candidates."""


class Settings(Record):
    candidates: int = Field(default=8, ge=1)
    """N, new solutions an iteration."""
    verifications: int = Field(default=8, ge=1)
    """M, independent checks of each new solution."""
    per_thread: bool = False
    """Each thread refines its own predecessor only, and all of them are answers: no pool, no choice."""
    n_best: int | None = Field(default=None, ge=1)
    """How many of the pool are refined; None for candidates / refinements. Not used with `per_thread`."""
    refinements: int | None = Field(default=None, ge=1, validate_default=True)
    """New solutions from each of them. Unstated: candidates / n_best, or without that the largest of 4, 2 and 1 that divides
    candidates, so 4 of 8. Stated: n_best x refinements has to be candidates. Not used with `per_thread`."""
    critiques: int = Field(default=8, ge=0)
    """Most critiques that a refinement is shown, those with the lowest score first."""
    critiques_per_score: int = Field(default=4, ge=1)
    """Most critiques with the same score among them, unless all have the same."""
    meta_verification: bool = False
    """Have low ratings rated in turn; one that is scored 0 is dropped."""
    meta_threshold: float = Field(default=0.75, ge=0, le=1)
    """Ratings up to this score are rated in turn."""
    stop_when_passed: bool = True
    """A solution that passes all its verifications ends the search (with `per_thread`: its thread)."""
    proof: bool = False
    """Ask for proofs instead of short answers."""
    limits: Limits = Limits()

    @field_validator("n_best")
    @classmethod
    def _divides(cls, n_best: int | None, info: ValidationInfo) -> int | None:
        candidates: int = info.data.get("candidates", 0)
        if n_best is not None and candidates % n_best and not info.data.get("per_thread"):
            raise ValueError(f"does not divide candidates ({candidates}); say a divisor of it, or leave it out")
        return n_best

    @field_validator("refinements")
    @classmethod
    def _fills_the_round(cls, refinements: int | None, info: ValidationInfo) -> int | None:
        given: Mapping[str, int | None] = info.data
        if "candidates" not in given or "n_best" not in given or given.get("per_thread"):
            return USUAL if refinements is None else refinements
        candidates, n_best = given["candidates"] or 0, given["n_best"]
        if refinements is None:
            return candidates // n_best if n_best else next(one for one in (USUAL, 2, 1) if candidates % one == 0)
        if n_best is None and candidates % refinements:
            raise ValueError(f"does not divide candidates ({candidates}); leave it out to have it fit, or say a divisor")
        if n_best is not None and n_best * refinements != candidates:
            raise ValueError(f"n_best ({n_best}) x refinements is not candidates ({candidates}); leave one out to have it fit")
        return refinements

    @property
    def of_each(self) -> int:
        """`refinements` as validated: there is always a number."""
        return self.refinements or USUAL

    @property
    def refined(self) -> int:
        """How many of the pool are refined."""
        return self.n_best or self.candidates // self.of_each


Checked = tuple[Rollout, tuple[Verification, ...]]


async def iterate(problem: Problem, past: tuple[Round, ...], here: Here, team: Team, settings: Settings) -> Round:
    turn = _Turn(Step(problem, past, here, team), settings)
    return await (turn.threads() if settings.per_thread else turn.pool())


class _Turn:
    """One iteration on one problem under these settings."""

    def __init__(self, step: Step, settings: Settings) -> None:
        self.step, self.settings = step, settings

    async def pool(self) -> Round:
        step, settings = self.step, self.settings
        known = pool_of(step.past)
        best = best_first(known)[: settings.refined]
        origins = [
            best[number // settings.of_each % len(best)] if best else None for number in range(settings.candidates)
        ]
        made = await together(self._candidate(number, origin) for number, origin in enumerate(origins))
        rollouts, checks = [rollout for rollout, _ in made], [check for _, own in made for check in own]
        found = best_first([*known, *pool(rollouts, checks)])
        chosen = step.repeated(found[0].rollout if found else rollouts[0], len(rollouts), "chosen")
        passed = found and found[0].passed and settings.stop_when_passed
        why = f"{found[0].rollout.id} passes its {settings.verifications} verifications" if passed else None
        return step.round([*rollouts, chosen], verifications=checks, stopped=why)

    async def threads(self) -> Round:
        step, settings = self.step, self.settings
        known = pool_of(step.past)
        made = await together(self._thread(number, known) for number in range(settings.candidates))
        rollouts, checks = [rollout for rollout, _ in made], [check for _, own in made for check in own]
        passed = {one.rollout.id for one in pool(rollouts, checks) if one.passed}
        done = settings.stop_when_passed and all(one.branch == "kept" or one.id in passed for one in rollouts)
        return step.round(rollouts, verifications=checks, stopped="every thread passes its verifications" if done else None)

    async def _thread(self, number: int, known: tuple[Rated, ...]) -> Checked:
        last = next((one for one in reversed(known) if one.rollout.candidate == number), None)
        if last and last.passed and self.settings.stop_when_passed:
            return self.step.repeated(last.rollout, number, "kept"), ()
        return await self._candidate(number, last)

    async def _candidate(self, number: int, origin: Rated | None) -> Checked:
        """Solve or refine, then verify: a chain that waits for no other candidate."""
        settings, waiting = self.settings, 2 if self.settings.meta_verification else 1
        if origin is None:
            rollout = await self.step.solve(number, proof=settings.proof, limits=settings.limits, to_go=waiting)
        else:
            shown = critiques(origin, most=settings.critiques, per_score=settings.critiques_per_score)
            attempts = ((origin.rollout, shown),)
            rollout = await revise(
                self.step, number, attempts, proof=settings.proof, limits=settings.limits, to_go=waiting
            )
        if not rollout.text:
            return rollout, ()
        checks = await together(self._verify(rollout, check) for check in range(settings.verifications))
        return rollout, tuple(check for own in checks for check in own)

    async def _verify(self, rollout: Rollout, number: int) -> tuple[Verification, ...]:
        """One verification, asked as TMAS asks it, and its own rating where there is one."""
        step, settings = self.step, self.settings
        ask = step.ask(verification.ROLE, f"c{rollout.candidate}v{number}", to_go=int(settings.meta_verification))
        call = await step.team.ask(
            verification.ask(step.problem, ask, proof=settings.proof, rollout=rollout, limits=settings.limits)
        )
        check = step.check(rollout, number, call, **dict(verification.read(call)))
        if not settings.meta_verification or check.score is None or check.score > settings.meta_threshold:
            return (check,)
        ask = step.ask(meta_verification.ROLE, f"c{rollout.candidate}v{number}")
        call = await step.team.ask(
            meta_verification.ask(
                step.problem, ask, proof=settings.proof, rollout=rollout, check=check, limits=settings.limits
            )
        )
        read = dict(meta_verification.read(call))
        return check, step.check(rollout, settings.verifications + number, call, about=check.id, **read)


STRATEGY = Strategy(
    name="verify_refine",
    title="Verify and refine",
    source="deepseek-ai/DeepSeek-Math-V2",
    roles=lambda settings: (
        (solution.ROLE, verification.ROLE, meta_verification.ROLE)
        if settings.meta_verification
        else (solution.ROLE, verification.ROLE)
    ),
    Settings=Settings,
    prompts=lambda: prompt_digests((solution, revision, verification, meta_verification)),
    population=lambda settings, iteration: settings.candidates,
    chooses=lambda settings: not settings.per_thread,
    looks_back=None,
    iterate=iterate,
)
