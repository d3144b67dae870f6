"""Self-consistency: k samples and a vote among them (Wang et al., arXiv 2203.11171; MV@64 of TMAS's tables).

Votes count by class of equal answers, as the problem's grader tells them equal; answers that it cannot compare
(programs) are equal where their texts are. Silent samples abstain. Of classes with as many votes the one whose first
sample has the lowest number wins.
"""

from collections import Counter
from collections.abc import Sequence

from pydantic import Field

from tmas_assets.agents import prompt_digests, solution
from tmas_assets.agents.asking import Limits
from tmas_assets.records import Problem, Record, Rollout, Round
from tmas_assets.strategies import Here, Strategy, Team
from tmas_assets.strategies.step import Step, together

VOTE = "vote"


class Settings(Record):
    samples: int = Field(default=64, ge=1)
    """k, independent answers to each problem; all of them vote."""
    limits: Limits = Limits()


class Vote(Record):
    """What was voted for and how: kept as the turn `vote`."""

    by: str
    """`value` or `text`: what two answers that count as one have in common."""
    classes: tuple[int | None, ...]
    """Of each sample, by number; None abstains."""
    winner: int | None
    """Number of the sample that stands for the winning class; None where all abstain."""
    votes: int
    tied: int
    """How many classes have as many votes as the winner, itself included."""


async def vote(step: Step, rollouts: Sequence[Rollout]) -> Vote:
    """The winner among `rollouts`, in order of candidate."""
    found = await step.team.classes(step.problem, [rollout.answer for rollout in rollouts])
    by = "value"
    if found is None:
        texts = [" ".join(rollout.text.split()) for rollout in rollouts]
        found, by = tuple(texts.index(text) if text else None for text in texts), "text"
    sizes = Counter(of for of in found if of is not None)
    most = max(sizes.values(), default=0)
    best = [of for of, size in sizes.items() if size == most]
    winner = min((found.index(of) for of in best), default=None)
    return Vote(by=by, classes=found, winner=winner, votes=most, tied=len(best))


async def iterate(problem: Problem, past: tuple[Round, ...], here: Here, team: Team, settings: Settings) -> Round:
    step = Step(problem, past, here, team)
    samples = await together(step.solve(number, limits=settings.limits) for number in range(settings.samples))
    found = await vote(step, samples)
    chosen = step.repeated(samples[found.winner or 0], len(samples), "chosen")
    turn = step.turn(VOTE, "", kind="Vote", data=found, call=None, about=[rollout.id for rollout in samples])
    return step.round([*samples, chosen], turns=[turn])


STRATEGY = Strategy(
    name="self_consistency",
    title="Self-consistency",
    source="arXiv 2203.11171",
    roles=lambda settings: (solution.ROLE,),
    Settings=Settings,
    prompts=lambda: prompt_digests([solution]),
    population=lambda settings, iteration: settings.samples,
    chooses=lambda settings: True,
    rounds=lambda settings: 1,
    iterate=iterate,
)
