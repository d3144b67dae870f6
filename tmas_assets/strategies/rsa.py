"""RSA, recursive self-aggregation: a population in which every child is a synthesis of a few parents (arXiv 2509.26626).

Loop 0 are plain samples. In every later loop each child sees the problem and `parents` answers of the loop before, drawn
for it without replacement. The paper's settings are the defaults, with 10 loops: say `iterations: 10`, loop 0 included.
No answer is chosen: the figures are over the population, majority included.

Left open there and set here: parents stand in the order they were drawn; empty answers are no parents, so a child sees
fewer where fewer are there, and none where no parent is left: then it is asked the plain problem.
"""

import random

from pydantic import Field

from tmas_assets.agents import prompt_digests, solution, synthesis
from tmas_assets.agents.asking import Limits
from tmas_assets.records import Problem, Record, Rollout, Round
from tmas_assets.strategies import Here, Strategy, Team
from tmas_assets.strategies.aggregation import answered, synthesise
from tmas_assets.strategies.step import Step, together


class Settings(Record):
    population: int = Field(default=16, ge=1)
    """N, answers of every loop."""
    parents: int = Field(default=4, ge=1)
    """K, answers of the loop before that a child sees."""
    limits: Limits = Limits()


def parents(step: Step, number: int, count: int) -> tuple[Rollout, ...]:
    """What child `number` is shown. Its draw stands alone: it is the same however many children there are."""
    found = answered(step)
    draw = random.Random(step.seed("parents", number))
    return tuple(draw.sample(found, min(count, len(found))))


async def iterate(problem: Problem, past: tuple[Round, ...], here: Here, team: Team, settings: Settings) -> Round:
    step = Step(problem, past, here, team)
    return step.round(
        await together(
            synthesise(step, number, parents(step, number, settings.parents), settings.limits)
            for number in range(settings.population)
        )
    )


STRATEGY = Strategy(
    name="rsa",
    title="RSA",
    source="arXiv 2509.26626",
    roles=lambda settings: (solution.ROLE,),
    Settings=Settings,
    prompts=lambda: prompt_digests((solution, synthesis)),
    population=lambda settings, iteration: settings.population,
    iterate=iterate,
)
