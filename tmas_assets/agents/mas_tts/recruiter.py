"""The recruiter: names the experts of a round, one line each. The first is the solver's part, the others are critics'.

Reads a JSON object or a numbered list (`1.`, `1)`, `(1)`, bullets). Leaves out who is asked.
"""

import re
from collections.abc import Sequence

from pydantic import BaseModel

from tmas_assets.agents import reply_schema
from tmas_assets.agents.asking import Ask, Limits
from tmas_assets.agents.failure import cut_off, no_reply
from tmas_assets.agents.json_reply import ReplyError
from tmas_assets.agents.json_reply import read as read_json
from tmas_assets.agents.mas_tts.briefing import PART_CHARS, Briefing, briefing_blocks
from tmas_assets.agents.material import clip, message, problem_block, request
from tmas_assets.agents.prompt import load
from tmas_assets.records import Call, ChatRequest, ParseStatus, Problem, Record, Sampling

ROLE = "recruiter"
PROMPT = load("mas_tts/recruiter.txt", marks={"task": "count", "json": "count", "marked": "count"})
_LINE = re.compile(r"^[ \t>#]*[*_]*(?:\(?\d{1,3}[.):][*_]*[ \t]+|[-*•][ \t]+)(?P<text>.+)$", re.MULTILINE)


class Recruited(Record):
    parts: tuple[str, ...]
    """Distinct, in the order named, as many as were asked for at the most."""
    parse: ParseStatus
    parse_error: str | None
    """With `parsed`: what of the reply was left aside."""


class Roster(Record):
    """Who takes part in a round: kept as the turn `Roster`."""

    parts: tuple[str, ...]
    """The solver's first."""
    filled: tuple[int, ...] = ()
    """Which of them (from 0) come from the roster of the settings."""


class _Reply(BaseModel):
    experts: list[str]


def schema(sampling: Sampling, count: int) -> str:
    part = reply_schema.text(sampling, texts=count)
    return reply_schema.spell(reply_schema.record(experts=reply_schema.at_most(count, part, at_least=count)))


def schemas(sampling: Sampling) -> tuple[str, ...]:
    return (schema(sampling, 2),)


def ask(problem: Problem, ask: Ask, *, count: int, briefing: Briefing, limits: Limits) -> ChatRequest:
    """`briefing`: the evaluator's advice with whom it would recruit, and the lead's direction."""
    user = message(
        problem_block(problem),
        briefing_blocks(briefing, limits),
        PROMPT.render("task", count=str(count)),
        PROMPT.render("json" if ask.structured else "marked", count=str(count)),
    )
    return request(ROLE, problem, ask, user, proof=False, limits=limits, schema=schema(ask.sampling, count))


def read(call: Call, *, count: int) -> Recruited:
    """A reply that names nobody is a parse error; one that names too few is read as far as it goes."""
    if (missing := no_reply(call)) is not None:
        return Recruited(parts=(), parse="failed", parse_error=missing)
    try:
        named: Sequence[str] = read_json(call.answer, _Reply).experts
    except ReplyError as no_object:
        named = [match["text"] for match in _LINE.finditer(call.answer)]
        if not named:
            error = cut_off(call, f"no numbered list of experts in the reply; {no_object}")
            return Recruited(parts=(), parse="parse_error", parse_error=error)
    texts = [clip(" ".join(text.replace("**", "").split()), PART_CHARS) for text in named]
    worded = [text for text in texts if any(sign.isalpha() for sign in text)]
    distinct: dict[str, str] = {}
    for text in worded:
        distinct.setdefault(text.casefold(), text)
    parts = list(distinct.values())[:count]
    if not parts:
        error = cut_off(call, f"none of the {len(named)} experts named has a word")
        return Recruited(parts=(), parse="parse_error", parse_error=error)
    aside = len(named) - len(parts)
    note = f"left aside: {aside} of {len(named)} named (without words, named twice, or beyond {count})" if aside else None
    return Recruited(parts=tuple(parts), parse="parsed", parse_error=note)


def staffed(named: Sequence[str], count: int, roster: Sequence[str]) -> Roster:
    """`count` parts: those named, then of the roster those that are not among them, then the roster's again, numbered."""
    parts = list(named[:count])
    known = {part.casefold() for part in parts}
    spare = [part for part in roster if part.casefold() not in known]
    turn = 2
    while len(parts) + len(spare) < count:
        spare += [f"{part} ({turn})" if part else "" for part in roster]
        turn += 1
    return Roster(parts=(*parts, *spare[: count - len(parts)]), filled=tuple(range(len(parts), count)))
