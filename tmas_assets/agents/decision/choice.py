"""The CEO's decision on a hypothesis: go, no-go, go-if, or that data is missing.

Reads both forms of reply: a JSON object, or lines such as `Decision: go_if`. Leaves out what is granted of it, and who dissents:
both come from the findings.
"""

import re

from pydantic import BaseModel, JsonValue, ValidationError

from tmas_assets.agents import reply_schema
from tmas_assets.agents.asking import Ask, Limits
from tmas_assets.agents.decision.finding_reply import MOST
from tmas_assets.agents.decision.material import (
    DecisionLimits,
    claims_block,
    finding_blocks,
    hypothesis_blocks,
    language_line,
    measured_block,
)
from tmas_assets.agents.decision.order import Standing
from tmas_assets.agents.failure import cut_off, no_reply
from tmas_assets.agents.json_reply import ReplyError
from tmas_assets.agents.json_reply import read as read_json
from tmas_assets.agents.labelled import LabelError, labelled, once, parts
from tmas_assets.agents.material import message, request
from tmas_assets.agents.prompt import load
from tmas_assets.records import (
    CHOICES,
    Call,
    ChatRequest,
    Choice,
    NextExperiment,
    ParseStatus,
    Problem,
    Record,
    Sampling,
)

ROLE = "ceo"
PROMPT = load("decision/choice.txt", marks={
    "task": "", "cut_short": "why", "json": "", "marked": "",
})  # fmt: skip
_SPELLING = re.compile(r"[\s_-]+")


class Chosen(Record):
    choice: Choice | None
    """None unless parsed."""
    reason: str = ""
    conditions: tuple[str, ...] = ()
    agreed: tuple[str, ...] = ()
    next_experiments: tuple[NextExperiment, ...] = ()
    aside: tuple[str, ...] = ()
    parse: ParseStatus
    parse_error: str | None


class _Reply(BaseModel):
    reason: str = ""
    decision: str
    conditions: list[JsonValue] = []
    agreed: list[JsonValue] = []
    next_experiments: list[JsonValue] = []


def schema(sampling: Sampling) -> str:
    text = reply_schema.text(sampling, texts=5)
    many = 1 if reply_schema.is_short(sampling) else MOST
    texts = reply_schema.at_most(many, text)
    experiment = reply_schema.record(text=text, cost=text)
    return reply_schema.spell(
        reply_schema.record(reason=text, decision=reply_schema.one_of(*CHOICES[::-1]), conditions=texts, agreed=texts,
                            next_experiments=reply_schema.at_most(many, experiment))
    )  # fmt: skip


def schemas(sampling: Sampling) -> tuple[str, ...]:
    return (schema(sampling),)


def ask(problem: Problem, ask: Ask, *, standing: Standing, cut_short: str | None, limits: DecisionLimits) -> ChatRequest:
    """`cut_short`: why not all rounds were gone through, None where they were."""
    user = message(
        hypothesis_blocks(problem, limits),
        claims_block(standing.claims),
        finding_blocks(standing.findings, limits),
        measured_block(standing.consensus, standing.contradictions),
        PROMPT.render("cut_short", why=cut_short) if cut_short else "",
        PROMPT.render("task"),
        language_line(problem),
        PROMPT.render("json" if ask.structured else "marked"),
    )
    return request(ROLE, problem, ask, user, proof=False, limits=Limits(), schema=schema(ask.sampling))


def read(call: Call) -> Chosen:
    """A decision that is none of the four, or without a reason, is a parse error, never a decision."""
    if (missing := no_reply(call)) is not None:
        return Chosen(choice=None, parse="failed", parse_error=missing)
    try:
        reply = _reply(call)
        said = _SPELLING.sub("_", reply.decision.strip().strip(".*`\"'").lower())
        choice = next((known for known in CHOICES if known == said), None)
        if choice is None:
            raise ReplyError(f"decision {reply.decision[:40]!r} is none of {', '.join(CHOICES)}")
        if not any(sign.isalnum() for sign in reply.reason):
            raise ReplyError(f"decision {choice} without a reason")
    except (ReplyError, LabelError) as error:
        return Chosen(choice=None, parse="parse_error", parse_error=cut_off(call, str(error)))
    aside: list[str] = []
    return Chosen(
        choice=choice,
        reason=" ".join(reply.reason.split()),
        conditions=_texts(reply.conditions, "condition", aside),
        agreed=_texts(reply.agreed, "agreed", aside),
        next_experiments=_experiments(reply.next_experiments, aside),
        aside=tuple(aside),
        parse="parsed",
        parse_error=None,
    )


def _reply(call: Call) -> _Reply:
    try:
        return read_json(call.answer, _Reply)
    except ReplyError as no_object:
        found = labelled(call.answer, ("reason", "decision", "condition", "agreed", "next"), cut=call.status == "truncated")
        try:
            pairs = [parts(value, 2) for value in found.get("next", ())]
            return _Reply(
                decision=once(found, "decision"),
                reason=" ".join(found.get("reason", ())),
                conditions=list(found.get("condition", ())),
                agreed=list(found.get("agreed", ())),
                next_experiments=[{"text": text, "cost": cost} for text, cost in pairs],
            )
        except LabelError as no_line:
            raise ReplyError(f"{no_line}; {no_object}") from no_object


def _texts(items: list[JsonValue], what: str, aside: list[str]) -> tuple[str, ...]:
    texts = [" ".join(item.split()) for item in items if isinstance(item, str) and any(sign.isalnum() for sign in item)]
    if lost := len(items) - len(texts[:MOST]):
        aside.append(f"{what}: {lost} without words or more than {MOST}")
    return tuple(texts[:MOST])


def _experiments(items: list[JsonValue], aside: list[str]) -> tuple[NextExperiment, ...]:
    made: list[NextExperiment] = []
    for item in items:
        try:
            made.append(NextExperiment.model_validate({"text": item} if isinstance(item, str) else item))
        except ValidationError:
            aside.append(f"experiment {str(item)[:60]!r} cannot be read")
    return tuple(made)
