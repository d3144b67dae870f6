"""The CEO's order between two rounds of a decision: continue with a gap, recruit, or stop.

Reads both forms of reply: a JSON object, or lines such as `Action: stop`. Leaves out what of an order is granted.
"""

from collections.abc import Sequence
from typing import Literal

from pydantic import BaseModel, JsonValue

from tmas_assets.agents import reply_schema
from tmas_assets.agents.asking import Ask, Limits
from tmas_assets.agents.decision.finding_reply import FindingError, number
from tmas_assets.agents.decision.material import (
    DecisionLimits,
    claims_block,
    finding_blocks,
    hypothesis_blocks,
    language_line,
    measured_block,
)
from tmas_assets.agents.failure import cut_off, no_reply
from tmas_assets.agents.json_reply import ReplyError
from tmas_assets.agents.json_reply import read as read_json
from tmas_assets.agents.labelled import LabelError, labelled, once, parts
from tmas_assets.agents.material import message, request
from tmas_assets.agents.prompt import load
from tmas_assets.records import (
    Call,
    ChatRequest,
    Claim,
    Consensus,
    Contradiction,
    Finding,
    ParseStatus,
    Problem,
    Record,
    Sampling,
)

ROLE = "ceo"
PROMPT = load("decision/order.txt", marks={
    "spent": "calls left rounds tokens", "task": "recruit", "recruit": "count", "tokens": "choices",
    "json": "actions recruit tokens", "json_recruit": "", "json_tokens": "", "marked": "actions",
    "marked_recruit": "", "marked_tokens": "",
})  # fmt: skip
Action = Literal["continue", "recruit", "stop"]
_ACTIONS: tuple[Action, ...] = ("continue", "recruit", "stop")


class Standing(Record):
    """What the CEO is told of the work so far."""

    claims: tuple[Claim, ...]
    findings: tuple[Finding, ...]
    consensus: Consensus
    contradictions: tuple[Contradiction, ...]


class Means(Record):
    """What is spent, and what the CEO may still do."""

    calls: int
    tokens: int
    left: tuple[str, ...] = ()
    """What the caps leave, in words; empty without a cap."""
    rounds_left: int
    recruits: int = 0
    token_limits: tuple[int, ...] = ()


class Asked(Record):
    action: Action | None
    """None unless parsed."""
    reason: str = ""
    gap: str = ""
    name: str = ""
    remit: str = ""
    tokens: int | None = None
    parse: ParseStatus
    parse_error: str | None


class _Reply(BaseModel):
    reason: str = ""
    action: str
    gap: str = ""
    name: str = ""
    remit: str = ""
    tokens: JsonValue = None


def schema(sampling: Sampling, *, recruits: bool, token_limits: Sequence[int]) -> str:
    text = reply_schema.text(sampling, texts=4)
    fields = {"reason": text, "action": reply_schema.one_of(*_actions(recruits)), "gap": text}
    if recruits:
        fields |= {"name": {"type": "string", "pattern": "^[a-z][a-z_]{1,29}$"}, "remit": text}
    if token_limits:
        fields["tokens"] = reply_schema.one_of(*token_limits)
    return reply_schema.spell(reply_schema.record(**fields))


def schemas(sampling: Sampling) -> tuple[str, ...]:
    return tuple(schema(sampling, recruits=recruits, token_limits=limits) for recruits in (False, True) for limits in ((), (256,)))


def _actions(recruits: bool) -> tuple[Action, ...]:
    return _ACTIONS if recruits else ("continue", "stop")


def ask(problem: Problem, ask: Ask, *, standing: Standing, means: Means, limits: DecisionLimits) -> ChatRequest:
    recruits = means.recruits > 0
    user = message(
        hypothesis_blocks(problem, limits),
        claims_block(standing.claims),
        finding_blocks(standing.findings, limits),
        measured_block(standing.consensus, standing.contradictions),
        PROMPT.render("spent", calls=str(means.calls), tokens=str(means.tokens), left=", ".join(means.left) or "no cap", rounds=str(means.rounds_left)),
        PROMPT.render("task", recruit=PROMPT.render("recruit", count=str(means.recruits)) if recruits else ""),
        PROMPT.render("tokens", choices=", ".join(map(str, means.token_limits))) if means.token_limits else "",
        language_line(problem),
        _form(ask, recruits=recruits, tokens=bool(means.token_limits)),
    )
    form = schema(ask.sampling, recruits=recruits, token_limits=means.token_limits)
    return request(ROLE, problem, ask, user, proof=False, limits=Limits(), schema=form)


def _form(ask: Ask, *, recruits: bool, tokens: bool) -> str:
    actions = ", ".join(_actions(recruits))
    if ask.structured:
        return PROMPT.render("json", actions=actions, recruit=PROMPT.render("json_recruit") if recruits else "",
                             tokens=PROMPT.render("json_tokens") if tokens else "")  # fmt: skip
    more = [name for name, wanted in (("marked_recruit", recruits), ("marked_tokens", tokens)) if wanted]
    return "\n".join([PROMPT.render("marked", actions=actions), *(PROMPT.render(name) for name in more)])


def read(call: Call) -> Asked:
    """An order whose action is none of the three is a parse error, never a guess."""
    if (missing := no_reply(call)) is not None:
        return Asked(action=None, parse="failed", parse_error=missing)
    try:
        reply = _reply(call)
        said = reply.action.strip().strip(".*`\"'").lower()
        action = next((known for known in _ACTIONS if known == said), None)
        if action is None:
            raise ReplyError(f"action {reply.action[:40]!r} is none of {', '.join(_ACTIONS)}")
        tokens = None if reply.tokens in (None, "") else int(number(reply.tokens))
    except (ReplyError, LabelError, FindingError) as error:
        return Asked(action=None, parse="parse_error", parse_error=cut_off(call, str(error)))
    return Asked(action=action, reason=_flat(reply.reason), gap=_flat(reply.gap), name=_flat(reply.name), remit=_flat(reply.remit),
                 tokens=tokens, parse="parsed", parse_error=None)  # fmt: skip


def _reply(call: Call) -> _Reply:
    try:
        return read_json(call.answer, _Reply)
    except ReplyError as no_object:
        found = labelled(call.answer, ("reason", "action", "gap", "recruit", "tokens"), cut=call.status == "truncated")
        try:
            name, remit = parts(once(found, "recruit"), 2) if found.get("recruit") else ("", "")
            return _Reply(action=once(found, "action"), reason=" ".join(found.get("reason", ())), gap=" ".join(found.get("gap", ())),
                          name=name, remit=remit, tokens=once(found, "tokens") if found.get("tokens") else None)  # fmt: skip
        except LabelError as no_line:
            raise ReplyError(f"{no_line}; {no_object}") from no_object


def _flat(text: str) -> str:
    return " ".join(text.split())
