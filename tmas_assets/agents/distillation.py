"""The distillation agent: one solution's propositions and pitfalls, without a judgement on its answer."""

from pydantic import BaseModel

from tmas_assets.agents import bank_reply, reply_schema
from tmas_assets.agents.asking import Ask, Limits
from tmas_assets.agents.bank_reply import LINES, MOST, BankReply
from tmas_assets.agents.failure import no_reply
from tmas_assets.agents.json_reply import ReplyError
from tmas_assets.agents.json_reply import read as read_json
from tmas_assets.agents.material import message, problem_block, request, solution_block
from tmas_assets.agents.prompt import load
from tmas_assets.records import Call, ChatRequest, Polarity, Problem, Rollout, Sampling

ROLE = "distillation"
PROMPT = load("distillation.txt")


class _Reply(BaseModel):
    propositions: list[str]
    pitfalls: list[str]


def lines(sampling: Sampling, findings: int) -> int:
    """How many lines of each kind are asked for: on a short budget no more than fit."""
    return min(findings, LINES) if reply_schema.is_short(sampling) else findings


def schema(sampling: Sampling, findings: int) -> str:
    """On a short budget one proposition is asked for: small models leave every list empty that may be."""
    count = lines(sampling, findings)
    line = reply_schema.text(sampling, texts=2 * count)
    propositions = reply_schema.at_most(count, line, at_least=int(reply_schema.is_short(sampling)))
    pitfalls = reply_schema.at_most(count, line)
    return reply_schema.spell(reply_schema.record(propositions=propositions, pitfalls=pitfalls))


def schemas(sampling: Sampling) -> tuple[str, ...]:
    return (schema(sampling, LINES),)


def ask(problem: Problem, ask: Ask, *, rollout: Rollout, findings: int, limits: Limits) -> ChatRequest:
    """The request for at most `findings` lines of each kind. A reply with more is read all the same."""
    user = message(
        problem_block(problem),
        solution_block(rollout, limits.rollout_chars),
        PROMPT.render("task", count=str(lines(ask.sampling, findings))),
    )
    return request(ROLE, problem, ask, user, proof=False, limits=limits, schema=schema(ask.sampling, findings))


def read(call: Call, *, findings: int = LINES) -> BankReply:
    """Propositions as conclusions, and pitfalls. `findings`: how many of each were asked for. A line without words is left aside and does not cost the rest."""
    if (missing := no_reply(call)) is not None:
        return bank_reply.failed(missing)
    try:
        reply = read_json(call.answer, _Reply)
    except ReplyError as error:
        return bank_reply.broken(call, error)
    lines: list[tuple[Polarity, str]] = [("conclusion", text) for text in reply.propositions]
    return bank_reply.accept(lines + [("pitfall", text) for text in reply.pitfalls], [], bank=(), most=max(MOST, 2 * findings))
