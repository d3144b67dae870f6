"""The revision agent: one solution made better from earlier attempts and what was said against each of them.

It speaks for the role of solution; Self-Refine, verify and refine, and the corrector of a verifier loop ask it alike.
What comes back is read as every solution is. Leaves out which attempts and checks are shown.
"""

from tmas_assets.agents.asking import Ask, Limits
from tmas_assets.agents.material import check_blocks, message, problem_block, request, solution_block
from tmas_assets.agents.prompt import load
from tmas_assets.agents.solution import ROLE, goal
from tmas_assets.agents.solution import read as read
from tmas_assets.records import ChatRequest, Problem, Rollout, Sampling, Verification

__all__ = ["PROMPT", "ROLE", "Attempt", "ask", "fitting", "read", "schemas"]

PROMPT = load("revision.txt")
Attempt = tuple[Rollout, tuple[Verification, ...]]
"""A solution and the checks of it that are shown with it, in order."""
LEAST = 400
"""Characters of a solution below which one attempt more helps nobody."""


def schemas(sampling: Sampling) -> tuple[str, ...]:
    return ()


def fitting(attempts: tuple[Attempt, ...], limits: Limits) -> tuple[Attempt, ...]:
    """Those of `attempts` (oldest first) that a prompt has room for: the newest, at the least one."""
    return attempts[-max(1, limits.round_chars // LEAST) :]


def ask(
    problem: Problem, ask: Ask, *, proof: bool, attempts: tuple[Attempt, ...], limits: Limits
) -> ChatRequest:
    """The request for a revision of the last of `attempts`, one or more, oldest first; all of them are shown.

    A single one is cut as verification cuts it, so that both share a prefix.
    """
    solution_chars = min(limits.rollout_chars, limits.round_chars // len(attempts))
    share = limits.model_copy(update={"checks_chars": limits.checks_chars // len(attempts)})
    blocks = [
        part
        for rollout, checks in attempts
        for part in (solution_block(rollout, solution_chars), check_blocks(checks, share))
    ]
    statement = problem_block(problem)
    which = "one" if len(attempts) == 1 else "several"
    task = PROMPT.render(which, problem=statement, goal=goal(problem, proof=proof))
    return request(ROLE, problem, ask, message(statement, *blocks, task), proof=proof, limits=limits)
