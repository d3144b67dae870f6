"""One answer made from several of the round before: what the strategies that aggregate have in common.

Leaves out which answers are shown and in which order: there they differ.
"""

from tmas_assets.agents import solution, synthesis
from tmas_assets.agents.asking import Limits
from tmas_assets.records import Rollout
from tmas_assets.strategies.step import Step


def answered(step: Step) -> list[Rollout]:
    """The rollouts of the previous round, and of no earlier one, that have a text, in order of candidate."""
    return [rollout for rollout in step.last.rollouts if rollout.text.strip()] if step.last else []


async def synthesise(step: Step, number: int, shown: tuple[Rollout, ...], limits: Limits) -> Rollout:
    """Candidate `number` from those of the answers `shown` that a prompt has room for; the plain request where there are none."""
    shown = synthesis.fitting(shown, limits)
    if not shown:
        return await step.solve(number, limits=limits)
    ask = step.ask(solution.ROLE, f"c{number}")
    call = await step.team.ask(synthesis.ask(step.problem, ask, references=shown, limits=limits))
    found = solution.read(call, proof=False)
    parents = [rollout.id for rollout in shown]
    return step.rollout(number, "refine", ask, call, text=found.text, answer=found.answer, parents=parents)
