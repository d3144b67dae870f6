"""The question reviewer: how hard a question is, and which disciplines it needs, the main one first.

Disciplines come from a closed list, so that they can be counted. Reads both forms of reply: a JSON object, or labelled lines.
Exact: a reply with one value that is none of the list, or no difficulty from 1 to 5, is a parse error as a whole. It is shown
the statement and no gold. Leaves out which questions are kept (`curation/questions.py`).
"""

import re
from collections.abc import Sequence
from typing import Literal, get_args

from pydantic import BaseModel, JsonValue

from tmas_assets.agents import reply_schema
from tmas_assets.agents.asking import Ask, Limits
from tmas_assets.agents.failure import cut_off, no_reply
from tmas_assets.agents.json_reply import ReplyError
from tmas_assets.agents.json_reply import last as last_json
from tmas_assets.agents.mas_tts.fields import FieldError, fields, number
from tmas_assets.agents.material import message, problem_block, request
from tmas_assets.agents.prompt import load
from tmas_assets.agents.verdict import worded
from tmas_assets.records import Call, ChatRequest, ParseStatus, Problem, QuestionReview, Sampling

ROLE = "question_review"
PROMPT = load("question_review.txt", marks={"task": "disciplines", "json": "most", "marked": ""})
Discipline = Literal[
    "mathematics", "physics", "chemistry", "biology", "astronomy", "geography", "computer science", "other"
]
DISCIPLINES: tuple[Discipline, ...] = get_args(Discipline)
"""The seven of M500's pool and what is none of them."""
MOST = 3
"""Disciplines that are asked for. A reply with more of the list is read all the same."""
EASIEST, HARDEST = 1, 5
_SPELLINGS: dict[str, Discipline] = {one: one for one in DISCIPLINES} | {
    "math": "mathematics", "maths": "mathematics", "cs": "computer science",
}  # fmt: skip
_LABELS = {"disciplines": r"disciplines?", "difficulty": r"difficulty"}
_OF_FIVE = re.compile(r"[\s*_`]*(\d)[\s*_`]*(?:/|out of)[\s*_`]*5[\s*_`.]*")
_BETWEEN = re.compile(r"[,;\n]|\band\b")
_DECORATION = " \t*_`\"'.[]()-•"


class _Reply(BaseModel):
    disciplines: list[str]
    difficulty: JsonValue


def schema() -> str:
    """Without any text: a small model closes it on every budget."""
    return reply_schema.spell(reply_schema.record(
        disciplines=reply_schema.at_most(MOST, reply_schema.one_of(*DISCIPLINES), at_least=1),
        difficulty=reply_schema.one_of(*range(EASIEST, HARDEST + 1)),
    ))  # fmt: skip


def schemas(sampling: Sampling) -> tuple[str, ...]:
    return (schema(),)


def ask(problem: Problem, ask: Ask, *, limits: Limits) -> ChatRequest:
    """The request for a review of the statement alone."""
    user = message(
        problem_block(problem),
        PROMPT.render("task", disciplines=", ".join(DISCIPLINES)),
        PROMPT.render("json", most=str(MOST)) if ask.structured else PROMPT.render("marked"),
    )
    # The system message names a problem's subject by its grader, and a formula to grade makes no question mathematics.
    anything = problem.model_copy(update={"grader": "choice"})
    return request(ROLE, anything, ask, user, proof=False, limits=limits, schema=schema())


def read(call: Call) -> QuestionReview:
    """A discipline named twice counts once. What cannot be read has no difficulty and no disciplines, and says why."""
    if (missing := no_reply(call)) is not None:
        return _unread(call, "failed", missing)
    try:
        disciplines, difficulty = _reply_in(call)
    except FieldError as error:
        return _unread(call, "parse_error", cut_off(call, str(error)))
    return QuestionReview(
        difficulty=difficulty, disciplines=disciplines, parse="parsed", parse_error=None, model=call.model, call=call.key
    )


def _unread(call: Call, parse: ParseStatus, error: str) -> QuestionReview:
    return QuestionReview(
        difficulty=None, disciplines=(), parse=parse, parse_error=error, model=call.model, call=call.key
    )


def _reply_in(call: Call) -> tuple[tuple[Discipline, ...], int]:
    """Raises FieldError. Lines behind the object that say otherwise leave neither."""
    cut = call.status == "truncated"
    try:
        reply, behind = last_json(call.answer, _Reply)
    except ReplyError as no_object:
        found = fields(call.answer, _LABELS, cut=cut)
        if missing := [label for label in _LABELS if label not in found]:
            raise FieldError(f"no line `{missing[0].capitalize()}: ...` in the reply; {no_object}") from no_object
        return _disciplines(_BETWEEN.split(found["disciplines"])), _difficulty(found["difficulty"])
    disciplines, difficulty = _disciplines(reply.disciplines), _difficulty(reply.difficulty)
    if cut and worded(behind):
        raise FieldError("the object with the review may be a quotation: the reply goes on and was cut off")
    again = fields(behind, _LABELS, cut=False)
    if "difficulty" in again and _difficulty(again["difficulty"]) != difficulty:
        raise FieldError(f"difficulty stands twice: {difficulty} and {again['difficulty'][:40]!r}")
    if "disciplines" in again and _disciplines(_BETWEEN.split(again["disciplines"])) != disciplines:
        raise FieldError(f"disciplines stand twice: {', '.join(disciplines)} and {again['disciplines'][:40]!r}")
    return disciplines, difficulty


def _disciplines(said: Sequence[str]) -> tuple[Discipline, ...]:
    plain = [" ".join(text.lower().split()).strip(_DECORATION) for text in said]
    named = [text for text in plain if text]
    if not named:
        raise FieldError("disciplines: none is named")
    for text in named:
        if text not in _SPELLINGS:
            raise FieldError(f"disciplines: {text[:40]!r} is none of {', '.join(DISCIPLINES)}")
    return tuple(dict.fromkeys(_SPELLINGS[text] for text in named))


def _difficulty(said: JsonValue) -> int:
    of_five = _OF_FIVE.fullmatch(said) if isinstance(said, str) else None
    try:
        value = int(of_five[1]) if of_five else number(said)
    except FieldError as error:
        raise FieldError(f"difficulty: {error}") from error
    if not EASIEST <= value <= HARDEST:
        raise FieldError(f"difficulty: {value} is not from {EASIEST} to {HARDEST}")
    return value
