"""The vote agent: which of several unfinished solutions is the most promising (tree of thoughts).

Reads both forms of reply, whichever was asked for: a JSON object, or text that ends with `Verdict: number`.
"""

from collections.abc import Sequence

from pydantic import BaseModel, JsonValue

from tmas_assets.agents import reply_schema, verdict
from tmas_assets.agents.asking import Ask, Limits
from tmas_assets.agents.failure import cut_off, no_reply
from tmas_assets.agents.json_reply import ReplyError
from tmas_assets.agents.json_reply import last as last_json
from tmas_assets.agents.material import fenced, message, problem_block, request
from tmas_assets.agents.prompt import load
from tmas_assets.records import Call, ChatRequest, ParseStatus, Problem, Record, Sampling

ROLE = "vote"
PROMPT = load("thought_vote.txt")


class Ballot(Record):
    """One vote: the data of the turn `vote`."""

    number: int
    """Of the state voted for, from 1, in the order they were shown."""
    reason: str


class VoteReply(Record):
    ballot: Ballot | None
    """None unless parsed."""
    parse: ParseStatus
    parse_error: str | None


class _Reply(BaseModel):
    reason: str = ""
    verdict: JsonValue


def schema(sampling: Sampling, count: int) -> str:
    reason = reply_schema.text(sampling, texts=1)
    return reply_schema.spell(
        reply_schema.record(reason=reason, verdict=reply_schema.one_of(*range(1, count + 1)))
    )


def schemas(sampling: Sampling) -> tuple[str, ...]:
    return (schema(sampling, 2),)


def ask(problem: Problem, ask: Ask, *, texts: Sequence[str], limits: Limits) -> ChatRequest:
    """The request for one vote among `texts`, numbered from 1, each with its share of `limits.round_chars`."""
    share = min(limits.rollout_chars, limits.round_chars // len(texts))
    states = [
        PROMPT.render("state", number=str(number), fence=fence, text=shown)
        for number, text in enumerate(texts, 1)
        for fence, shown in [fenced(text, share)]
    ]
    user = message(
        problem_block(problem),
        *states,
        PROMPT.render("task", count=str(len(texts))),
        PROMPT.render("json" if ask.structured else "marked"),
    )
    return request(ROLE, problem, ask, user, proof=False, limits=limits, schema=schema(ask.sampling, len(texts)))


def read(call: Call, *, count: int) -> VoteReply:
    """A reply without a number from 1 to `count` as its verdict is a parse error, never a vote."""
    if (missing := no_reply(call)) is not None:
        return VoteReply(ballot=None, parse="failed", parse_error=missing)
    try:
        number, reason = _vote_in(call, [str(number) for number in range(1, count + 1)])
    except verdict.VerdictError as error:
        return VoteReply(ballot=None, parse="parse_error", parse_error=cut_off(call, str(error)))
    return VoteReply(ballot=Ballot(number=int(number), reason=reason), parse="parsed", parse_error=None)


def _vote_in(call: Call, numbers: Sequence[str]) -> tuple[str, str]:
    cut = call.status == "truncated"
    try:
        reply, behind = last_json(call.answer, _Reply)
    except ReplyError as no_object:
        try:
            return verdict.marked(call.answer, numbers, cut=cut)
        except verdict.VerdictError as no_mark:
            raise verdict.VerdictError(f"{no_mark}; {no_object}") from no_object
    number = reply.verdict
    text = str(number) if isinstance(number, int) and not isinstance(number, bool) else number
    return verdict.of_json(text, numbers, behind=behind, cut=cut), reply.reason.strip()
