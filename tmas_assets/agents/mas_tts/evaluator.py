"""The evaluator: accepts the team's solution or says what to change, and whom to recruit for that.

Reads both forms of reply: a JSON object, or labelled lines. A reply without a readable verdict accepts nothing and rejects
nothing. Leaves out what follows from the verdict.
"""

from pydantic import BaseModel, JsonValue

from tmas_assets.agents import reply_schema
from tmas_assets.agents.asking import Ask, Limits
from tmas_assets.agents.failure import cut_off, no_reply
from tmas_assets.agents.json_reply import ReplyError
from tmas_assets.agents.json_reply import last as last_json
from tmas_assets.agents.mas_tts.fields import FieldError, fields, word
from tmas_assets.agents.mas_tts.trial import Execution
from tmas_assets.agents.material import fenced, message, problem_block, request, solution_block
from tmas_assets.agents.prompt import load
from tmas_assets.agents.verdict import worded
from tmas_assets.records import Call, ChatRequest, ParseStatus, Problem, Record, Rollout, Sampling

ROLE = "evaluator"
PROMPT = load("mas_tts/evaluator.txt", marks={
    "team": "fence text", "execution": "fence text", "task": "", "json": "", "marked": "",
})  # fmt: skip
TEXTS = 2
_VERDICTS = {"accept": "accept", "accepted": "accept", "1": "accept", "reject": "reject", "rejected": "reject", "0": "reject"}
_LABELS = {"verdict": r"verdict|correctness|score", "advice": r"advice", "experts": r"experts"}


class Evaluated(Record):
    score: float | None
    """1 accepts, 0 rejects; None unless parsed."""
    advice: str
    experts: str
    """Whom it would recruit."""
    parse: ParseStatus
    parse_error: str | None


class _Reply(BaseModel):
    advice: str = ""
    experts: str = ""
    verdict: JsonValue


def schema(sampling: Sampling) -> str:
    text = reply_schema.text(sampling, texts=TEXTS)
    return reply_schema.spell(
        reply_schema.record(advice=text, experts=text, verdict=reply_schema.one_of("accept", "reject"))
    )


def schemas(sampling: Sampling) -> tuple[str, ...]:
    return (schema(sampling),)


def ask(
    problem: Problem, ask: Ask, *, solution: Rollout, parts: tuple[str, ...], execution: Execution | None, limits: Limits
) -> ChatRequest:
    """`parts`: what the experts of this round are, the solver first; `execution`: what came of running the solution."""
    shown = []
    if execution is not None:
        fence, text = fenced(execution.told(), limits.checks_chars)
        shown.append(PROMPT.render("execution", fence=fence, text=text))
    listed = "\n".join(f"{number}. {part}" for number, part in enumerate(parts, 1) if part.strip())
    if listed:
        fence, text = fenced(listed, limits.summary_chars)
        shown.append(PROMPT.render("team", fence=fence, text=text))
    user = message(
        problem_block(problem),
        solution_block(solution, limits.rollout_chars),
        *shown,
        PROMPT.render("task"),
        PROMPT.render("json" if ask.structured else "marked"),
    )
    return request(ROLE, problem, ask, user, proof=False, limits=limits, schema=schema(ask.sampling))


def read(call: Call) -> Evaluated:
    if (missing := no_reply(call)) is not None:
        return Evaluated(score=None, advice="", experts="", parse="failed", parse_error=missing)
    try:
        accepted, advice, experts = _reply_in(call)
    except FieldError as error:
        return Evaluated(score=None, advice="", experts="", parse="parse_error", parse_error=cut_off(call, str(error)))
    return Evaluated(score=float(accepted), advice=advice.strip(), experts=experts.strip(), parse="parsed", parse_error=None)


def _reply_in(call: Call) -> tuple[bool, str, str]:
    """Whether it accepts, advice and experts. A verdict in a line behind the object that says otherwise leaves none."""
    cut = call.status == "truncated"
    try:
        reply, behind = last_json(call.answer, _Reply)
    except ReplyError as no_object:
        found = fields(call.answer, _LABELS, cut=cut)
        if "verdict" not in found:
            raise FieldError(f"no line `Verdict: ...` in the reply; {no_object}") from no_object
        return _verdict(found["verdict"]) == "accept", found.get("advice", ""), found.get("experts", "")
    accepted = _verdict(reply.verdict)
    if cut and worded(behind):
        raise FieldError("the object with the verdict may be a quotation: the reply goes on and was cut off")
    if (said := fields(behind, _LABELS, cut=False).get("verdict")) is not None and _verdict(said) != accepted:
        raise FieldError(f"verdict stands twice: {accepted!r} and {said[:40]!r}")
    return accepted == "accept", reply.advice, reply.experts


def _verdict(value: JsonValue) -> str:
    if isinstance(value, bool) or not isinstance(value, str | int):
        raise FieldError(f"verdict: {str(value)[:40]} is none of accept, reject")
    try:
        return word(str(value), _VERDICTS)
    except FieldError as error:
        raise FieldError(f"verdict: {error}") from error
