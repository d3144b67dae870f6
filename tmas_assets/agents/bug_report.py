"""The verifier of a solver, verifier and corrector loop: a report of every error, and the verdict correct or incorrect.

It speaks for the role of verification, in words of its own: what it returns is a verdict and no score.
"""

from tmas_assets.agents import verdict_reply
from tmas_assets.agents.asking import Ask, Limits
from tmas_assets.agents.material import message, problem_block, request, solution_block
from tmas_assets.agents.prompt import load
from tmas_assets.agents.verification import ROLE, Checked
from tmas_assets.records import Call, ChatRequest, Problem, Rollout, Sampling

__all__ = ["PROMPT", "ROLE", "WORDS", "ask", "read", "schemas"]

PROMPT = load("bug_report.txt")
WORDS = ("correct", "incorrect")


def schemas(sampling: Sampling) -> tuple[str, ...]:
    return (verdict_reply.schema(sampling, WORDS),)


def ask(problem: Problem, ask: Ask, *, proof: bool, rollout: Rollout, limits: Limits) -> ChatRequest:
    user = message(
        problem_block(problem),
        solution_block(rollout, limits.rollout_chars),
        PROMPT.render("proof" if proof else "answer"),
        PROMPT.render("json" if ask.structured else "marked"),
    )
    schema = verdict_reply.schema(ask.sampling, WORDS)
    return request(ROLE, problem, ask, user, proof=proof, limits=limits, schema=schema)


def read(call: Call) -> Checked:
    """Score 1 for correct, 0 for incorrect. A reply without a readable verdict is neither a pass nor a failure."""
    return verdict_reply.read(call, WORDS)
