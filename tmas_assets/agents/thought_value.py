"""The value agent: how promising an unfinished solution is, sure 1, likely 0.5 or impossible 0 (tree of thoughts).

Reads both forms of reply, whichever was asked for: a JSON object, or text that ends with `Verdict: word`.
"""

from tmas_assets.agents import verdict, verdict_reply
from tmas_assets.agents.asking import Ask, Limits
from tmas_assets.agents.failure import cut_off, no_reply
from tmas_assets.agents.material import message, problem_block, request
from tmas_assets.agents.prompt import load
from tmas_assets.agents.thought_sample import so_far
from tmas_assets.agents.verification import Checked
from tmas_assets.records import Call, ChatRequest, Problem, Sampling

ROLE = "value"
PROMPT = load("thought_value.txt")
SCORES = {"sure": 1.0, "likely": 0.5, "impossible": 0.0}


def schemas(sampling: Sampling) -> tuple[str, ...]:
    return (verdict_reply.schema(sampling, tuple(SCORES)),)


def ask(problem: Problem, ask: Ask, *, text: str, limits: Limits) -> ChatRequest:
    user = message(
        problem_block(problem),
        so_far(text, limits.rollout_chars),
        PROMPT.render("task"),
        PROMPT.render("json" if ask.structured else "marked"),
    )
    return request(ROLE, problem, ask, user, proof=False, limits=limits, schema=schemas(ask.sampling)[0])


def read(call: Call) -> Checked:
    """A reply without one of the three words as its verdict is a parse error, never a value."""
    if (missing := no_reply(call)) is not None:
        return Checked(score=None, critique="", parse="failed", parse_error=missing)
    try:
        word, reason = verdict_reply.word_in(call, tuple(SCORES))
    except verdict.VerdictError as error:
        return Checked(score=None, critique="", parse="parse_error", parse_error=cut_off(call, str(error)))
    return Checked(score=SCORES[word], critique=reason, parse="parsed", parse_error=None)
