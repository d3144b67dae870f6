"""The experience agent: reads a round and writes low-level notes, reliable conclusions and pitfalls."""

from pydantic import BaseModel

from tmas_assets.agents import bank_reply, reply_schema
from tmas_assets.agents.asking import Ask, Limits
from tmas_assets.agents.bank_reply import LINES, BankReply, Refuted
from tmas_assets.agents.failure import no_reply
from tmas_assets.agents.json_reply import ReplyError
from tmas_assets.agents.json_reply import read as read_json
from tmas_assets.agents.material import bank_block, bank_selection, message, problem_block, request, rollout_blocks
from tmas_assets.agents.prompt import load
from tmas_assets.records import Call, ChatRequest, MemoryEntry, Polarity, Problem, Rollout, Sampling, Summary

ROLE = "experience"
PROMPT = load("experience.txt")
TEXTS = 3 * LINES


class _Reply(BaseModel):
    conclusions: list[str]
    pitfalls: list[str]
    refuted: list[Refuted] = []


def schema(sampling: Sampling, bank: tuple[MemoryEntry, ...]) -> str:
    """On a short budget one conclusion is asked for: small models leave every list empty that may be."""
    note = reply_schema.text(sampling, texts=TEXTS)
    conclusions = reply_schema.at_most(LINES, note, at_least=int(reply_schema.is_short(sampling)))
    pitfalls = reply_schema.at_most(LINES, note)
    strikes = bank_reply.strikes(bank, sampling, texts=TEXTS)
    return reply_schema.spell(reply_schema.record(conclusions=conclusions, pitfalls=pitfalls, **strikes))


def schemas(sampling: Sampling) -> tuple[str, ...]:
    return (schema(sampling, ()),)


def ask(
    problem: Problem,
    ask: Ask,
    *,
    proof: bool,
    round_: tuple[tuple[Rollout, Summary | None], ...],
    bank: tuple[MemoryEntry, ...],
    limits: Limits,
) -> ChatRequest:
    """The request for an update of the experience bank, whose live entries are `bank`."""
    user = message(
        problem_block(problem),
        rollout_blocks(round_, limits),
        bank_block(bank, "experience", limits),
        PROMPT.render("task", strike=PROMPT.render("strike") if bank else ""),
    )
    return request(ROLE, problem, ask, user, proof=proof, limits=limits, schema=schema(ask.sampling, bank_selection(bank, limits).shown))


def read(call: Call, *, bank: tuple[MemoryEntry, ...]) -> BankReply:
    """The update asked for. A refutation of an id that is not in `bank` is left aside and does not cost the rest."""
    if (missing := no_reply(call)) is not None:
        return bank_reply.failed(missing)
    try:
        reply = read_json(call.answer, _Reply)
    except ReplyError as error:
        return bank_reply.broken(call, error)
    lines: list[tuple[Polarity, str]] = [("conclusion", text) for text in reply.conclusions]
    return bank_reply.accept(lines + [("pitfall", text) for text in reply.pitfalls], reply.refuted, bank=bank)
