"""The synthesis agent: one new solution from several earlier ones, shown as numbered references.

Speaks for the solution role and is read as its other replies are. Leaves out which references, and in which order.
"""

from tmas_assets.agents import solution
from tmas_assets.agents.asking import Ask, Limits
from tmas_assets.agents.material import LEAST, fenced, message, problem_block, request
from tmas_assets.agents.prompt import load
from tmas_assets.records import ChatRequest, Problem, Rollout, Sampling

ROLE = solution.ROLE
PROMPT = load("synthesis.txt")


def schemas(sampling: Sampling) -> tuple[str, ...]:
    return ()


def fitting(references: tuple[Rollout, ...], limits: Limits) -> tuple[Rollout, ...]:
    """Those of `references` that a prompt has room for: the first, at the least one."""
    return references[: max(1, limits.round_chars // LEAST)]


def ask(problem: Problem, ask: Ask, *, references: tuple[Rollout, ...], limits: Limits) -> ChatRequest:
    """The request for a synthesis of `references`, numbered from 1 in this order, each with its share of
    `limits.round_chars` and at most `limits.rollout_chars`; `fitting` says how many there may be. Raises ValueError for none: that is a plain request."""
    if not references:
        raise ValueError(f"{ask.sample}: a synthesis without references; ask for a plain solution instead")
    share = min(limits.rollout_chars, limits.round_chars // len(references))
    statement = problem_block(problem)
    shown = [
        PROMPT.render("reference", number=str(number), fence=fence, text=text)
        for number, rollout in enumerate(references, 1)
        for fence, text in [fenced(rollout.text, share)]
    ]
    task = PROMPT.render("task", problem=statement, goal=solution.goal(problem, proof=False))
    return request(ROLE, problem, ask, message(statement, *shown, task), proof=False, limits=limits)
