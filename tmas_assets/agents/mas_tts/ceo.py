"""The lead (CEO): reads where the team stands and what it has spent, and orders the next round, or its end.

Reads both forms of reply, whichever was asked for: a JSON object, or labelled lines. An order that cannot be read whole is
a parse error, never a part of an order. Leaves out what of an order is granted (`strategies/mas_tts/orders.py`).
"""

from collections.abc import Sequence
from typing import Literal

from pydantic import BaseModel, JsonValue

from tmas_assets.agents import reply_schema
from tmas_assets.agents.asking import Ask, Limits
from tmas_assets.agents.failure import cut_off, no_reply
from tmas_assets.agents.json_reply import ReplyError
from tmas_assets.agents.json_reply import last as last_json
from tmas_assets.agents.mas_tts.briefing import Briefing, briefing_blocks
from tmas_assets.agents.mas_tts.fields import FieldError, fields, number, word
from tmas_assets.agents.material import message, problem_block, request, solution_block
from tmas_assets.agents.prompt import load
from tmas_assets.agents.verdict import worded
from tmas_assets.records import Call, ChatRequest, ParseStatus, Problem, Record, Rollout, Sampling

ROLE = "ceo"
PROMPT = load("mas_tts/ceo.txt", marks={
    "spent": "round calls tokens", "left": "left budget", "no_budget": "", "team": "experts", "tokens": "tokens",
    "critics": "asked cast agreed", "consensus": "", "no_consensus": "", "accepted": "", "rejected": "", "unjudged": "",
    "first": "most choices", "later": "most choices", "json": "", "marked": "",
})  # fmt: skip
TEXTS = 2
_ACTIONS = {"continue": "continue", "do not stop": "continue", "stop": "stop", "do not continue": "stop"}
_LABELS = {
    "action": r"action|decision",
    "reason": r"reason(?:ing)?",
    "experts": r"(?:number[ ]of[ ])?experts",
    "direction": r"direction",
    "max_tokens": r"(?:max(?:imum)?[ _.]{0,2})?tokens|token[ ]limit",
}


class Order(Record):
    """What the lead wants next."""

    action: Literal["continue", "stop"]
    reason: str = ""
    experts: int | None = None
    """Solver and critics together; None only where no number is needed or known."""
    direction: str = ""
    max_tokens: int | None = None
    """Most tokens of one reply of solver and critics; None leaves their own limit."""


class Standing(Record):
    """Where the team stands, as the lead is told."""

    round: int
    """Of the round to be ordered, from 1."""
    calls: int
    tokens: int
    budget: int | None
    experts: int | None = None
    """Of the round before; None before the first."""
    max_tokens: int | None = None
    critics: int = 0
    """Critics asked about the solution, votes cast, votes that agree."""
    cast: int = 0
    agreed: int = 0
    consensus: bool | None = None
    """None where nobody reviewed it."""
    accepted: bool | None = None
    """By the evaluator; None where it did not judge, or could not be read."""


class OrderRead(Record):
    order: Order | None
    """None unless parsed."""
    parse: ParseStatus
    parse_error: str | None


class _Reply(BaseModel):
    action: JsonValue
    reason: str = ""
    experts: JsonValue = None
    direction: str = ""
    max_tokens: JsonValue = None


def schema(sampling: Sampling, experts: int, choices: Sequence[int]) -> str:
    text = reply_schema.text(sampling, texts=TEXTS)
    return reply_schema.spell(reply_schema.record(
        reason=text,
        action=reply_schema.one_of("continue", "stop"),
        experts=reply_schema.one_of(*range(1, experts + 1)),
        direction=text,
        max_tokens=reply_schema.one_of(*choices),
    ))  # fmt: skip


def schemas(sampling: Sampling) -> tuple[str, ...]:
    return (schema(sampling, 2, (1, 2)),)


def ask(
    problem: Problem, ask: Ask, *, solution: Rollout | None, standing: Standing, briefing: Briefing, most_experts: int,
    choices: Sequence[int], limits: Limits,
) -> ChatRequest:  # fmt: skip
    """`solution`: the one so far; `briefing`: objections to it and the evaluator's advice; `choices`: token limits to choose from."""
    task = PROMPT.render(
        "first" if solution is None else "later", most=str(most_experts), choices=", ".join(map(str, choices))
    )
    user = message(
        problem_block(problem),
        solution_block(solution, limits.rollout_chars) if solution else "",
        briefing_blocks(briefing, limits),
        _facts(standing),
        task,
        PROMPT.render("json" if ask.structured else "marked"),
    )
    schema_ = schema(ask.sampling, most_experts, choices)
    return request(ROLE, problem, ask, user, proof=False, limits=limits, schema=schema_)


def _facts(now: Standing) -> str:
    said = [PROMPT.render("spent", round=str(now.round), calls=str(now.calls), tokens=str(now.tokens))]
    if now.budget is None:
        said.append(PROMPT.render("no_budget"))
    else:
        said.append(PROMPT.render("left", left=str(max(0, now.budget - now.tokens)), budget=str(now.budget)))
    if now.experts is not None:
        said.append(PROMPT.render("team", experts=str(now.experts)))
        if now.max_tokens is not None:
            said.append(PROMPT.render("tokens", tokens=str(now.max_tokens)))
        if now.consensus is not None:
            said.append(PROMPT.render("critics", asked=str(now.critics), cast=str(now.cast), agreed=str(now.agreed)))
            said.append(PROMPT.render("consensus" if now.consensus else "no_consensus"))
        said.append(PROMPT.render({True: "accepted", False: "rejected", None: "unjudged"}[now.accepted]))
    return "\n".join(said)


def read(call: Call) -> OrderRead:
    """To continue needs both numbers; to stop needs none."""
    if (missing := no_reply(call)) is not None:
        return OrderRead(order=None, parse="failed", parse_error=missing)
    try:
        return OrderRead(order=order_in(call.answer, cut=call.status == "truncated"), parse="parsed", parse_error=None)
    except FieldError as error:
        return OrderRead(order=None, parse="parse_error", parse_error=cut_off(call, str(error)))


def order_in(answer: str, *, cut: bool = False) -> Order:
    """Raises FieldError that names the field."""
    try:
        reply, behind = last_json(answer, _Reply)
    except ReplyError as no_object:
        found, behind = fields(answer, _LABELS, cut=cut), ""
        if "action" not in found:
            raise FieldError(f"no line `Action: ...` in the reply; {no_object}") from no_object
        reply = _Reply(
            action=found["action"], reason=found.get("reason", ""), experts=found.get("experts"),
            direction=found.get("direction", ""), max_tokens=found.get("max_tokens"),
        )  # fmt: skip
    if not isinstance(reply.action, str):
        raise FieldError(f"action: {str(reply.action)[:40]} is not text")
    action: Literal["continue", "stop"] = "stop" if _named("action", reply.action) == "stop" else "continue"
    if cut and worded(behind):
        raise FieldError("the object with the order may be a quotation: the reply goes on and was cut off")
    if (said := fields(behind, _LABELS, cut=False).get("action")) is not None and _named("action", said) != action:
        raise FieldError(f"action stands twice: {action!r} and {said[:40]!r}")
    numbers = {name: _number(name, getattr(reply, name), needed=action == "continue") for name in ("experts", "max_tokens")}
    return Order(action=action, reason=reply.reason.strip(), direction=reply.direction.strip(), **numbers)


def _named(name: str, text: str) -> str:
    try:
        return word(text, _ACTIONS)
    except FieldError as error:
        raise FieldError(f"{name}: {error}") from error


def _number(name: str, value: JsonValue, *, needed: bool) -> int | None:
    if value is None and not needed:
        return None
    try:
        return number(value)
    except FieldError as error:
        if needed:
            raise FieldError(f"{name}: {error}") from error
        return None
