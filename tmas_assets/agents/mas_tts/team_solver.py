"""The team's solver: proposes, revises what critics object to, concludes from what they said. It speaks for the role of solution.

With nothing to show and no part of its own it asks exactly what a plain solution is asked. What comes back is read as every
solution is. Leaves out critics.
"""

from tmas_assets.agents import solution as plain
from tmas_assets.agents.asking import Ask, Limits
from tmas_assets.agents.mas_tts.briefing import Briefing, briefing_blocks, part_block
from tmas_assets.agents.material import message, problem_block, request, solution_block
from tmas_assets.agents.prompt import load
from tmas_assets.agents.solution import ROLE, goal
from tmas_assets.agents.solution import read as read
from tmas_assets.records import ChatRequest, Problem, Rollout, Sampling

__all__ = ["PROMPT", "ROLE", "ask", "read", "schemas"]

PROMPT = load("mas_tts/team_solver.txt", marks={
    "propose": "goal", "conclude": "problem goal", "revise": "problem goal",
})  # fmt: skip


def schemas(sampling: Sampling) -> tuple[str, ...]:
    return ()


def ask(
    problem: Problem, ask: Ask, *, part: str, solution: Rollout | None, briefing: Briefing, limits: Limits
) -> ChatRequest:
    """`solution`: the one to be revised; `briefing`: objections or contributions, advice and direction, all that are there."""
    statement, own = problem_block(problem), part_block(part)
    shown = solution_block(solution, limits.rollout_chars) if solution else ""
    heard = briefing_blocks(briefing, limits)
    wanted = goal(problem, proof=False)
    if solution is not None:
        task = PROMPT.render("revise", problem=statement, goal=wanted)
    elif briefing.said:
        task = PROMPT.render("conclude", problem=statement, goal=wanted)
    elif heard or own:
        task = PROMPT.render("propose", goal=wanted)
    else:
        task = plain.PROMPT.render("plain", goal=wanted)
    return request(ROLE, problem, ask, message(statement, shown, heard, own, task), proof=False, limits=limits)
