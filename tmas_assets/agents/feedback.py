"""The feedback agent of Self-Refine: what is wrong with one's own solution, and whether it is right as it is."""

from tmas_assets.agents import verdict_reply
from tmas_assets.agents.asking import Ask, Limits
from tmas_assets.agents.material import message, problem_block, request, solution_block
from tmas_assets.agents.prompt import load
from tmas_assets.agents.verification import Checked
from tmas_assets.records import Call, ChatRequest, Problem, Rollout, Sampling

ROLE = "feedback"
PROMPT = load("feedback.txt")
WORDS = ("right", "wrong")


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
    """Score 1 where the solution is called right, 0 where wrong. Without a readable verdict it is called neither;
    feedback in prose is kept all the same."""
    return verdict_reply.read(call, WORDS)
