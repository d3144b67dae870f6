"""The guideline agent: reads a round and names the high-level strategies it tried, for explorers to stay away from."""

from pydantic import BaseModel

from tmas_assets.agents import bank_reply, reply_schema
from tmas_assets.agents.asking import Ask, Limits
from tmas_assets.agents.bank_reply import LINES, BankReply, Refuted
from tmas_assets.agents.failure import no_reply
from tmas_assets.agents.json_reply import ReplyError
from tmas_assets.agents.json_reply import read as read_json
from tmas_assets.agents.material import bank_block, bank_selection, message, problem_block, request, rollout_blocks
from tmas_assets.agents.prompt import load
from tmas_assets.records import Call, ChatRequest, MemoryEntry, Problem, Rollout, Sampling, Summary

ROLE = "guideline"
PROMPT = load("guideline.txt")
TEXTS = 2 * LINES


class _Reply(BaseModel):
    strategies: list[str]
    refuted: list[Refuted] = []


def schema(sampling: Sampling, bank: tuple[MemoryEntry, ...]) -> str:
    """At least one strategy: a round has tried some, and one that the bank has already gains support there."""
    strategies = reply_schema.at_most(LINES, reply_schema.text(sampling, texts=TEXTS), at_least=1)
    strikes = bank_reply.strikes(bank, sampling, texts=TEXTS)
    return reply_schema.spell(reply_schema.record(strategies=strategies, **strikes))


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
    """The request for an update of the guideline bank, whose live entries are `bank`."""
    user = message(
        problem_block(problem),
        rollout_blocks(round_, limits),
        bank_block(bank, "guideline", limits),
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
    return bank_reply.accept([("strategy", text) for text in reply.strategies], reply.refuted, bank=bank)
