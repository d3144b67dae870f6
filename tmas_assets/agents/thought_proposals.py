"""The proposal agent: several next steps of a solution in one reply (tree of thoughts).

Reads both forms of reply, whichever was asked for: a JSON object, or steps numbered from 1 at the beginnings of lines.
"""

import re

from pydantic import BaseModel

from tmas_assets.agents import reply_schema
from tmas_assets.agents.asking import Ask, Limits
from tmas_assets.agents.failure import cut_off, no_reply
from tmas_assets.agents.json_reply import ReplyError
from tmas_assets.agents.json_reply import read as read_json
from tmas_assets.agents.material import message, problem_block, request
from tmas_assets.agents.prompt import load
from tmas_assets.agents.thought_sample import ending, so_far
from tmas_assets.records import Call, ChatRequest, ParseStatus, Problem, Record, Sampling

ROLE = "proposal"
PROMPT = load("thought_proposals.txt")
_NUMBERED = re.compile(r"^[ \t>*_#-]*(?:step[ \t]*)?(\d{1,3})[*_]*[ \t]*[:.)][*_]*(?=\s)", re.IGNORECASE | re.MULTILINE)


class Proposals(Record):
    """The next steps that were proposed, in order: the data of the turn `proposal`."""

    steps: tuple[str, ...]


class ProposalReply(Record):
    proposals: Proposals | None
    """At least one step; None unless parsed."""
    parse: ParseStatus
    parse_error: str | None
    """With `parsed`: what of the reply was left aside and why, None for nothing."""


class _Reply(BaseModel):
    steps: list[str]


def schema(sampling: Sampling, count: int) -> str:
    step = reply_schema.text(sampling, texts=count)
    return reply_schema.spell(reply_schema.record(steps=reply_schema.at_most(count, step, at_least=1)))


def schemas(sampling: Sampling) -> tuple[str, ...]:
    return (schema(sampling, 2),)


def ask(problem: Problem, ask: Ask, *, text: str, count: int, limits: Limits) -> ChatRequest:
    """The request for `count` next steps of the state `text`, empty at the root."""
    form = {"count": str(count)} if ask.structured else {}
    user = message(
        problem_block(problem),
        so_far(text, limits.rollout_chars),
        PROMPT.render("task", count=str(count), ending=ending(problem)),
        PROMPT.render("json" if ask.structured else "marked", **form),
    )
    return request(ROLE, problem, ask, user, proof=False, limits=limits, schema=schema(ask.sampling, count))


def read(call: Call, *, count: int) -> ProposalReply:
    """At most `count` steps. Further ones and those without words are left aside and named."""
    if (missing := no_reply(call)) is not None:
        return ProposalReply(proposals=None, parse="failed", parse_error=missing)
    try:
        found = read_json(call.answer, _Reply).steps
    except ReplyError as no_object:
        found = _numbered(call.answer)
        if not found:
            error = cut_off(call, f"no steps numbered from 1 in the reply; {no_object}")
            return ProposalReply(proposals=None, parse="parse_error", parse_error=error)
    steps = [step.strip() for step in found if any(sign.isalnum() for sign in step)]
    if not steps:
        return ProposalReply(proposals=None, parse="parse_error", parse_error=cut_off(call, "no step with words"))
    aside = len(found) - min(len(steps), count)
    return ProposalReply(
        proposals=Proposals(steps=tuple(steps[:count])),
        parse="parsed",
        parse_error=f"left aside: {aside} of {len(found)} steps, empty or over {count}" if aside else None,
    )


def _numbered(text: str) -> list[str]:
    """The texts behind the numbers 1, 2, ... in this order; a number out of order belongs to the step before it."""
    marks: list[re.Match[str]] = []
    for mark in _NUMBERED.finditer(text):
        if int(mark[1]) == len(marks) + 1:
            marks.append(mark)
    ends = [*(mark.start() for mark in marks), len(text)][1:]
    return [text[mark.end() : end].strip() for mark, end in zip(marks, ends, strict=True)]
