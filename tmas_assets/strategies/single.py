"""Single: one call a rollout, the plain baseline. Leaves out everything that happens after a reply."""

from pydantic import Field

from tmas_assets.agents import prompt_digests, solution
from tmas_assets.agents.asking import Limits
from tmas_assets.records import Problem, Record, Round
from tmas_assets.strategies import Here, Strategy, Team
from tmas_assets.strategies.step import Step, together


class Settings(Record):
    samples: int = Field(default=1, ge=1)
    """Independent answers to each problem."""
    proof: bool = False
    """Ask for proofs instead of short answers."""
    limits: Limits = Limits()


async def iterate(problem: Problem, past: tuple[Round, ...], here: Here, team: Team, settings: Settings) -> Round:
    step = Step(problem, past, here, team)
    return step.round(
        await together(
            step.solve(number, proof=settings.proof, limits=settings.limits) for number in range(settings.samples)
        )
    )


STRATEGY = Strategy(
    name="single",
    title="Single call",
    source="the plain model",
    roles=lambda settings: (solution.ROLE,),
    Settings=Settings,
    prompts=lambda: prompt_digests([solution]),
    population=lambda settings, iteration: settings.samples,
    rounds=lambda settings: 1,
    iterate=iterate,
)
