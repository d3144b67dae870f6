"""The summary agent: the checks of one solution in a few sentences of free text."""

from tmas_assets.agents.asking import Ask, Limits
from tmas_assets.agents.failure import no_reply
from tmas_assets.agents.material import check_blocks, message, problem_block, request, solution_block
from tmas_assets.agents.prompt import load
from tmas_assets.records import Call, ChatRequest, ParseStatus, Problem, Record, Rollout, Sampling, Verification

ROLE = "summary"
PROMPT = load("summary.txt")


class Summarised(Record):
    text: str
    parse: ParseStatus
    parse_error: str | None


def schemas(sampling: Sampling) -> tuple[str, ...]:
    return ()


def ask(
    problem: Problem, ask: Ask, *, proof: bool, rollout: Rollout, checks: tuple[Verification, ...], limits: Limits
) -> ChatRequest:
    """The request for a summary of `checks`; those that could not be read are left out of it."""
    user = message(
        problem_block(problem),
        solution_block(rollout, limits.rollout_chars),
        check_blocks(tuple(check for check in checks if check.parse == "parsed"), limits),
        PROMPT.render("proof" if proof else "answer"),
    )
    return request(ROLE, problem, ask, user, proof=proof, limits=limits)


def read(call: Call) -> Summarised:
    """Any words are a summary. A reply without one letter or digit is a parse error."""
    if (missing := no_reply(call)) is not None:
        return Summarised(text="", parse="failed", parse_error=missing)
    text = call.answer.strip()
    if not any(sign.isalnum() for sign in text):
        return Summarised(text="", parse="parse_error", parse_error=f"no words in the reply: {text[:40]!r}")
    return Summarised(text=text, parse="parsed", parse_error=None)
