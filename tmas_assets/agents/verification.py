"""The verification agent: one independent check of one rollout, a critique and a score of 0, 0.5 or 1.

Reads both forms of reply, whichever was asked for: a JSON object, or text that ends with `Score: \\boxed{...}`.
"""

from pydantic import BaseModel, JsonValue

from tmas_assets.agents import reply_schema, score
from tmas_assets.agents.asking import Ask, Limits
from tmas_assets.agents.failure import cut_off, no_reply
from tmas_assets.agents.json_reply import ReplyError
from tmas_assets.agents.json_reply import last as last_json
from tmas_assets.agents.material import message, problem_block, request, solution_block
from tmas_assets.agents.prompt import load
from tmas_assets.records import Call, ChatRequest, ParseStatus, Problem, Record, Rollout, Sampling

ROLE = "verification"
PROMPT = load("verification.txt")


class Checked(Record):
    score: float | None
    """0, 0.5 or 1; None unless parsed."""
    critique: str
    parse: ParseStatus
    parse_error: str | None


class _Reply(BaseModel):
    critique: str
    score: JsonValue


def schema(sampling: Sampling) -> str:
    critique = reply_schema.text(sampling, texts=1)
    return reply_schema.spell(reply_schema.record(critique=critique, score=reply_schema.one_of(0, 0.5, 1)))


def schemas(sampling: Sampling) -> tuple[str, ...]:
    return (schema(sampling),)


def ask(problem: Problem, ask: Ask, *, proof: bool, rollout: Rollout, limits: Limits) -> ChatRequest:
    user = message(
        problem_block(problem),
        solution_block(rollout, limits.rollout_chars),
        PROMPT.render("proof" if proof else "answer"),
        PROMPT.render("json" if ask.structured else "marked"),
    )
    return request(ROLE, problem, ask, user, proof=proof, limits=limits, schema=schema(ask.sampling))


def read(call: Call) -> Checked:
    """A reply without a readable score is a parse error, never a score."""
    if (missing := no_reply(call)) is not None:
        return Checked(score=None, critique="", parse="failed", parse_error=missing)
    try:
        value, critique = score_in(call.answer, cut=call.status == "truncated")
    except score.ScoreError as error:
        return Checked(score=None, critique="", parse="parse_error", parse_error=cut_off(call, str(error)))
    return Checked(score=value, critique=critique, parse="parsed", parse_error=None)


def score_in(answer: str, *, cut: bool = False) -> tuple[float, str]:
    """Score and critique of either form of reply. Raises ScoreError."""
    try:
        reply, behind = last_json(answer, _Reply)
    except ReplyError as no_object:
        try:
            return score.marked(answer, cut=cut)
        except score.ScoreError as no_mark:
            raise score.ScoreError(f"{no_mark}; {no_object}") from no_object
    return score.of_json(reply.score, behind=behind, cut=cut), reply.critique.strip()
