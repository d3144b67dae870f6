"""An expert's finding on a hypothesis: alone at first, then with the findings of the others before it; and the red team's.

Leaves out how a reply is read (`finding_reply.py`) and the computing of its calculations.
"""

from collections.abc import Sequence

from tmas_assets.agents import reply_schema
from tmas_assets.agents.asking import Ask, Limits
from tmas_assets.agents.decision.finding_reply import MOST, MOST_INPUTS, FindingError, finding_in
from tmas_assets.agents.decision.material import (
    DecisionLimits,
    claims_block,
    finding_blocks,
    hypothesis_blocks,
    language_line,
    noted,
    visible,
)
from tmas_assets.agents.failure import cut_off, no_reply
from tmas_assets.agents.material import fenced, message, request
from tmas_assets.agents.prompt import load
from tmas_assets.records import (
    ASSUMPTION,
    RED_TEAM,
    STANCES,
    Call,
    ChatRequest,
    Claim,
    Expert,
    Finding,
    ParseStatus,
    Problem,
    Record,
    Sampling,
    Side,
    Stance,
    hypothesis_of,
)

ROLE = "expert"
"""Its requests go out under the role of the seat, which is this one where the roster names no other."""
PROMPT = load("decision/finding.txt", marks={
    "seat": "name remit", "recruited": "fence name remit", "questions": "questions", "assigned": "claims",
    "red_team": "side", "first": "", "again": "", "again_red_team": "", "json": "more revised verdicts",
    "json_more": "calculations", "json_calculations": "", "json_revised": "", "marked": "verdicts",
    "marked_calculations": "", "marked_revised": "",
})  # fmt: skip
_LEVELS = ("low", "medium", "high")
_SCORES = tuple(range(11))
_CONFIDENCES = tuple(tenth / 10 for tenth in range(11))


class Found(Record):
    finding: Finding | None
    """None unless parsed."""
    parse: ParseStatus
    parse_error: str | None


def schema(
    sampling: Sampling, *, claims: Sequence[str], sources: Sequence[str], verdicts: Sequence[Stance], calculations: bool, again: bool
) -> str:
    """On a short budget only what a finding cannot do without is asked for."""
    short = reply_schema.is_short(sampling)
    text = reply_schema.text(sampling, texts=5)
    many = 1 if short else MOST
    texts = reply_schema.at_most(many, text)
    level = reply_schema.one_of(*_LEVELS)
    fields = {
        "reason": text,
        "verdict": reply_schema.one_of(*verdicts),
        "score": reply_schema.one_of(*_SCORES),
        "confidence": reply_schema.one_of(*_CONFIDENCES),
        "claims": reply_schema.at_most(len(claims), reply_schema.one_of(*claims)),
        "assumptions": texts,
        "risks": reply_schema.at_most(many, reply_schema.record(text=text, likelihood=level, impact=level)),
        "would_change": text,
    }
    if not short:
        source = reply_schema.one_of(*sources, ASSUMPTION)
        fields |= {
            "conditions": texts,
            "evidence": reply_schema.at_most(many, reply_schema.record(text=text, source=source)),
            "open_questions": texts,
        }
        if calculations:
            value = reply_schema.record(name=text, value={"type": "number"}, source=source)
            inputs = reply_schema.at_most(MOST_INPUTS, value)
            fields["calculations"] = reply_schema.at_most(
                MOST, reply_schema.record(name=text, formula=text, inputs=inputs, claimed={"type": "number"})
            )
        if again:
            fields["revised"] = text
    return reply_schema.spell(reply_schema.record(**fields))


def schemas(sampling: Sampling) -> tuple[str, ...]:
    return tuple(
        schema(sampling, claims=("c1",), sources=("e1",), verdicts=STANCES, calculations=calculations, again=again)
        for calculations in (False, True)
        for again in (False, True)
    )


def ask(
    problem: Problem,
    ask: Ask,
    *,
    seat: Expert,
    claims: Sequence[Claim],
    argues: Side | None,
    own: Finding | None,
    others: Sequence[Finding],
    gap: str,
    calculations: bool,
    limits: DecisionLimits,
) -> ChatRequest:
    """The request for a finding. `own` and `others` are what the expert sees; both empty for a first answer, which sees
    nobody. `argues`: the red team's side, None for an expert. `calculations`: whether these are asked for."""
    short, again = reply_schema.is_short(ask.sampling), bool(others) or own is not None
    verdicts = _verdicts(argues)
    fence, remit = fenced(seat.remit, len(seat.remit) + 1)
    user = message(
        hypothesis_blocks(problem, limits, seen=seat.evidence),
        claims_block(claims),
        finding_blocks(others, limits, own=own),
        noted("gap", gap),
        _seat(seat, claims, argues, fence, remit),
        PROMPT.render("first" if not again else "again_red_team" if argues else "again"),
        language_line(problem),
        _form(ask, verdicts, calculations=calculations and not short, again=again and not short, short=short),
    )
    sources = [piece.id for piece in visible(hypothesis_of(problem), seat.evidence)]
    form = schema(ask.sampling, claims=[claim.id for claim in claims], sources=sources, verdicts=verdicts,
                  calculations=calculations, again=again)  # fmt: skip
    return request(seat.role, problem, ask, user, proof=False, limits=Limits(), schema=form)


def _verdicts(argues: Side | None) -> tuple[Stance, ...]:
    return STANCES[::-1] if argues is None else ("support",) if argues == "for" else ("oppose",)


def _seat(seat: Expert, claims: Sequence[Claim], argues: Side | None, fence: str, remit: str) -> str:
    if argues is not None:
        return PROMPT.render("red_team", side=argues)
    own = ", ".join(claim.id for claim in claims if seat.name in claim.experts)
    words = {"name": seat.name, "remit": remit} | ({"fence": fence} if seat.recruited else {})
    lines = [PROMPT.render("recruited" if seat.recruited else "seat", **words)]
    if seat.questions:
        lines.append(PROMPT.render("questions", questions=" ".join(seat.questions)))
    if own:
        lines.append(PROMPT.render("assigned", claims=own))
    return "\n".join(lines)


def _form(ask: Ask, verdicts: Sequence[Stance], *, calculations: bool, again: bool, short: bool) -> str:
    said = ", ".join(verdicts)
    if not ask.structured:
        more = [name for name, wanted in (("marked_calculations", calculations), ("marked_revised", again)) if wanted]
        return "\n".join([PROMPT.render("marked", verdicts=said), *(PROMPT.render(name) for name in more)])
    extra = "" if short else PROMPT.render("json_more", calculations=PROMPT.render("json_calculations") if calculations else "")
    return PROMPT.render("json", verdicts=said, more=extra, revised=PROMPT.render("json_revised") if again else "")


def read(call: Call, problem: Problem, *, seat: Expert, claims: Sequence[Claim], argues: Side | None) -> Found:
    """The finding of a reply, or of a person's text in its place: a failed or unreadable one is missing and no verdict."""
    if (missing := no_reply(call)) is not None:
        return Found(finding=None, parse="failed", parse_error=missing)
    sources = [piece.id for piece in visible(hypothesis_of(problem), seat.evidence)]
    try:
        finding = finding_in(call.answer, expert=seat.name, claims=[claim.id for claim in claims], evidence=sources, argues=argues,
                             cut=call.status == "truncated")  # fmt: skip
    except FindingError as error:
        return Found(finding=None, parse="parse_error", parse_error=cut_off(call, str(error)))
    return Found(finding=finding, parse="parsed", parse_error=None)


RED_TEAM_SEAT = Expert(name=RED_TEAM, remit="the opposite", role=RED_TEAM)
