"""PaCoRe: rounds of parallel answers, each round a synthesis of the one before, narrowing to one (arXiv 2601.05593).

Round 0 are plain samples. What goes on of each is the text after its thinking; empty texts are removed. Every request of
a later round shows the problem and the same references, those of the previous round only: ordered by length,
then shuffled with a fixed seed. The last round has width 1 and its answer is the result. The paper's settings are
`widths` [4] (low), [16] (medium) and [32, 4] (high); the final 1 is added here, so they take 2, 2 and 3 iterations.

Left open there and set here: of texts of one length the lower candidate number comes first; the seed of the shuffle derives
from the experiment's, so that repeats differ; a round without a single reference asks the plain problem again.
"""

import random
from typing import Annotated

from pydantic import Field

from tmas_assets.agents import prompt_digests, solution, synthesis
from tmas_assets.agents.asking import Limits
from tmas_assets.records import Problem, Record, Rollout, Round
from tmas_assets.strategies import Here, Strategy, Team
from tmas_assets.strategies.aggregation import answered, synthesise
from tmas_assets.strategies.step import Step, together


class Settings(Record):
    widths: tuple[Annotated[int, Field(ge=1)], ...] = Field(default=(16,), min_length=1)
    """Answers of each round but the last, which has one: [4] low, [16] medium, [32, 4] high."""
    limits: Limits = Limits()
    """All references of a request together fit `round_chars`: raise it with the width where the model's window allows."""


def width(settings: Settings, iteration: int) -> int:
    """Answers of round `iteration`."""
    return (*settings.widths, 1)[iteration]


def references(step: Step) -> tuple[Rollout, ...]:
    """What the round is shown: the previous round's texts, by length, then shuffled."""
    found = sorted(answered(step), key=lambda rollout: (len(rollout.text), rollout.candidate))
    random.Random(step.seed("references")).shuffle(found)
    return tuple(found)


async def iterate(problem: Problem, past: tuple[Round, ...], here: Here, team: Team, settings: Settings) -> Round:
    step = Step(problem, past, here, team)
    shown = references(step)
    numbers = range(width(settings, here.iteration))
    return step.round(await together(synthesise(step, number, shown, settings.limits) for number in numbers))


STRATEGY = Strategy(
    name="pacore",
    title="PaCoRe",
    source="arXiv 2601.05593",
    roles=lambda settings: (solution.ROLE,),
    Settings=Settings,
    prompts=lambda: prompt_digests((solution, synthesis)),
    population=width,
    rounds=lambda settings: len(settings.widths) + 1,
    iterate=iterate,
)
