"""The meta-verification agent: rates one check of a solution 0, 0.5 or 1, so that errors that are none can be left aside."""

from tmas_assets.agents import verification
from tmas_assets.agents.asking import Ask, Limits
from tmas_assets.agents.material import check_blocks, message, problem_block, request, solution_block
from tmas_assets.agents.prompt import load
from tmas_assets.agents.verification import Checked
from tmas_assets.records import Call, ChatRequest, Problem, Rollout, Sampling, Verification

ROLE = "meta_verification"
PROMPT = load("meta_verification.txt")


def schemas(sampling: Sampling) -> tuple[str, ...]:
    return verification.schemas(sampling)


def ask(
    problem: Problem, ask: Ask, *, proof: bool, rollout: Rollout, check: Verification, limits: Limits
) -> ChatRequest:
    """The request for a rating of `check`, which was parsed."""
    user = message(
        problem_block(problem),
        solution_block(rollout, limits.rollout_chars),
        check_blocks((check,), limits),
        PROMPT.render("proof" if proof else "answer"),
        PROMPT.render("json" if ask.structured else "marked"),
    )
    return request(ROLE, problem, ask, user, proof=proof, limits=limits, schema=verification.schema(ask.sampling))


def read(call: Call) -> Checked:
    """A reply without a readable score is a parse error, never a score."""
    return verification.read(call)
