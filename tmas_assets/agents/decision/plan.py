"""The CEO's plan of a decision: splits the hypothesis into testable claims and gives each to experts.

Reads both forms of reply: a JSON object, or lines `Claim: experts | text`. Leaves out what holds where no plan can be read.
"""

from collections.abc import Sequence

from pydantic import BaseModel, JsonValue, ValidationError

from tmas_assets.agents import reply_schema
from tmas_assets.agents.asking import Ask, Limits
from tmas_assets.agents.decision.material import DecisionLimits, hypothesis_blocks, language_line
from tmas_assets.agents.failure import cut_off, no_reply
from tmas_assets.agents.json_reply import ReplyError
from tmas_assets.agents.json_reply import read as read_json
from tmas_assets.agents.labelled import labelled, parts
from tmas_assets.agents.material import message, request
from tmas_assets.agents.prompt import load
from tmas_assets.records import (
    Call,
    ChatRequest,
    Claim,
    Expert,
    ParseStatus,
    Plan,
    Problem,
    Record,
    Sampling,
    expert_name,
)

ROLE = "ceo"
PROMPT = load("decision/plan.txt", marks={
    "experts": "lines", "expert": "name remit", "task": "claims", "recruit": "count", "json": "recruit",
    "json_recruit": "", "marked": "", "marked_recruit": "",
})  # fmt: skip
REMIT_CHARS = 300


class Planned(Record):
    plan: Plan | None
    """None unless parsed."""
    parse: ParseStatus
    parse_error: str | None


class _Recruit(BaseModel):
    name: str
    remit: str


class _Claim(BaseModel):
    text: str
    experts: list[str] = []


class _Reply(BaseModel):
    reason: str = ""
    recruit: list[JsonValue] = []
    experts: list[JsonValue] = []
    """Only in a plan that a person edited: the seats, of which the recruited ones are taken."""
    claims: list[JsonValue]


def schema(sampling: Sampling, experts: Sequence[str], *, claims: int, recruits: int) -> str:
    """Names are open where others may be recruited."""
    most = min(claims, 2) if reply_schema.is_short(sampling) else claims
    text = reply_schema.text(sampling, texts=1 + most + recruits)
    name = reply_schema.one_of(*experts) if experts and not recruits else {"type": "string", "pattern": "^[a-z][a-z_]{1,29}$"}
    claim = reply_schema.record(text=text, experts=reply_schema.at_most(max(1, len(experts) + recruits), name, at_least=1))
    recruit = reply_schema.at_most(recruits, reply_schema.record(name=name, remit=text))
    more = {"recruit": recruit} if recruits else {}
    return reply_schema.spell(
        reply_schema.record(reason=text, **more, claims=reply_schema.at_most(most, claim, at_least=1))
    )


def schemas(sampling: Sampling) -> tuple[str, ...]:
    return tuple(schema(sampling, ("risk",), claims=6, recruits=recruits) for recruits in (0, 1))


def ask(
    problem: Problem, ask: Ask, *, experts: Sequence[Expert], claims: int, recruits: int, limits: DecisionLimits
) -> ChatRequest:
    """`claims`, `recruits`: the most there may be."""
    lines = "\n".join(PROMPT.render("expert", name=expert.name, remit=expert.remit) for expert in experts)
    form = (
        PROMPT.render("json", recruit=PROMPT.render("json_recruit") if recruits else "")
        if ask.structured
        else "\n".join([PROMPT.render("marked"), *([PROMPT.render("marked_recruit")] if recruits else [])])
    )
    user = message(
        hypothesis_blocks(problem, limits),
        PROMPT.render("experts", lines=lines) if experts else "",
        PROMPT.render("task", claims=str(claims)),
        PROMPT.render("recruit", count=str(recruits)) if recruits else "",
        language_line(problem),
        form,
    )
    form_ = schema(ask.sampling, [expert.name for expert in experts], claims=claims, recruits=recruits)
    return request(ROLE, problem, ask, user, proof=False, limits=Limits(), schema=form_)


def read(call: Call, *, experts: Sequence[Expert], claims: int, recruits: int) -> Planned:
    """The plan. An expert that is not there is left aside; a claim left without one is for all, and an expert left without
    a claim is given all of them. Each such change is named."""
    if (missing := no_reply(call)) is not None:
        return Planned(plan=None, parse="failed", parse_error=missing)
    try:
        reply = _reply(call)
        return Planned(plan=_plan(reply, experts, claims, recruits), parse="parsed", parse_error=None)
    except (ReplyError, ValidationError) as error:
        return Planned(plan=None, parse="parse_error", parse_error=cut_off(call, str(error)))


def _reply(call: Call) -> _Reply:
    try:
        return read_json(call.answer, _Reply)
    except ReplyError as no_object:
        found = labelled(call.answer, ("reason", "claim", "recruit"), cut=call.status == "truncated")
        if not found.get("claim"):
            raise ReplyError(f"no line `Claim: experts | text` in the reply; {no_object}") from no_object
        claims = [parts(value, 2) for value in found["claim"]]
        recruits = [parts(value, 2) for value in found.get("recruit", ())]
        return _Reply(
            reason=" ".join(found.get("reason", ())),
            claims=[{"experts": names.split(","), "text": text} for names, text in claims],
            recruit=[{"name": name, "remit": remit} for name, remit in recruits],
        )


def _plan(reply: _Reply, experts: Sequence[Expert], claims: int, recruits: int) -> Plan:
    aside: list[str] = []
    kept = [seat for seat in reply.experts if isinstance(seat, dict) and seat.get("recruited") is True]
    seats = [*experts, *_recruited([*reply.recruit, *kept], experts, recruits, aside)]
    names = [seat.name for seat in seats]
    found: list[Claim] = []
    for item in reply.claims:
        try:
            asked = _Claim.model_validate(item)
        except ValidationError:
            aside.append(f"claim {str(item)[:60]!r} cannot be read")
            continue
        text = " ".join(asked.text.split())
        if not any(sign.isalnum() for sign in text):
            aside.append("a claim without words")
        elif len(found) == claims:
            aside.append(f"claim {text[:60]!r} is one more than {claims}")
        else:
            found.append(_claim(f"c{len(found) + 1}", text, asked.experts, names, aside))
    if not found:
        raise ReplyError("no claim can be read: " + "; ".join(aside))
    idle = [name for name in names if not any(name in claim.experts for claim in found)]
    if idle:
        aside.append(f"no claim was given to {', '.join(idle)}: all are theirs")
        found = [claim.model_copy(update={"experts": tuple(n for n in names if n in (*claim.experts, *idle))}) for claim in found]
    return Plan(claims=tuple(found), experts=tuple(seats), reason=reply.reason.strip(), aside=tuple(aside))


def _claim(id_: str, text: str, asked: Sequence[str], names: Sequence[str], aside: list[str]) -> Claim:
    spelled = [expert_name(name) for name in asked]
    if unknown := sorted({name for name in spelled if name not in names}):
        aside.append(f"{id_}: no expert {', '.join(name[:40] or '(no name)' for name in unknown)}")
    given = tuple(name for name in names if name in spelled)
    if not given:
        aside.append(f"{id_}: for no expert that is there, so for all")
    return Claim(id=id_, text=text, experts=given or tuple(names))


def _recruited(asked: Sequence[JsonValue], experts: Sequence[Expert], most: int, aside: list[str]) -> list[Expert]:
    found: list[Expert] = []
    for item in asked:
        try:
            one = _Recruit.model_validate(item)
        except ValidationError:
            aside.append(f"recruit {str(item)[:60]!r} cannot be read")
            continue
        if len(found) == most:
            aside.append(f"recruit {one.name[:40]!r} is one more than {most}")
        elif isinstance(joined := recruited(one.name, one.remit, [*experts, *found]), Expert):
            found.append(joined)
        else:
            aside.append(joined)
    return found


def recruited(name: str, remit: str, there: Sequence[Expert]) -> Expert | str:
    """The expert that joins, or why nobody does."""
    spelled, remit = expert_name(name), " ".join(remit.split())[:REMIT_CHARS]
    if not spelled or spelled in RESERVED or spelled in {expert.name for expert in there}:
        return f"recruit {name[:40]!r}: the name is empty or taken"
    if not any(sign.isalnum() for sign in remit):
        return f"recruit {name[:40]!r} has no remit"
    return Expert(name=spelled, remit=remit, recruited=True)


RESERVED = ("ceo", "red_team", "order", "decision", "plan")
"""Names that no expert may have, since places in the records are called so."""
