"""What both bank agents share: the list of old lines to strike out, and the checks on what they wrote.

Leaves out the banks themselves (`tmas_assets.memory`): an update is only asked for here.
"""

from typing import Any

from pydantic import BaseModel

from tmas_assets.agents import reply_schema
from tmas_assets.agents.failure import cut_off
from tmas_assets.records import BankUpdate, Call, MemoryEntry, ParseStatus, Polarity, Record, Sampling

LINES = 2
"""Most lines of a kind, and most refutations, that are asked for at a time. A reply with more is read all the same."""
MOST = 20
"""Most lines of a reply that are read; the rest is left aside, so that no reply floods a bank."""
TOLD = 10
"""Things left aside that are named one by one."""


class BankReply(Record):
    update: BankUpdate | None
    """None unless parsed."""
    parse: ParseStatus
    parse_error: str | None
    """With `parsed`: what of the reply was left aside and why, None for nothing."""


class Refuted(BaseModel):
    id: str
    reason: str = ""


def strikes(bank: tuple[MemoryEntry, ...], sampling: Sampling, *, texts: int) -> dict[str, dict[str, Any]]:
    """The schema's field for refutations: only ids of the bank, no field while the bank is empty."""
    if not bank:
        return {}
    reason = reply_schema.text(sampling, texts=texts)
    struck = reply_schema.record(id=reply_schema.one_of(*(entry.id for entry in bank)), reason=reason)
    return {"refuted": reply_schema.at_most(LINES, struck)}


def failed(reason: str) -> BankReply:
    return BankReply(update=None, parse="failed", parse_error=reason)


def broken(call: Call, error: ValueError) -> BankReply:
    return BankReply(update=None, parse="parse_error", parse_error=cut_off(call, str(error)))


def accept(
    lines: list[tuple[Polarity, str]], refuted: list[Refuted], *, bank: tuple[MemoryEntry, ...], most: int = MOST
) -> BankReply:
    """The update with each line on one line, `most` lines of it. What cannot be used is left aside by itself and named."""
    aside: list[str] = []
    added: list[tuple[Polarity, str]] = []
    if len(lines) > most:
        aside.append(f"{len(lines) - most} lines over {most}")
    for polarity, text in lines[:most]:
        text = " ".join(text.split())
        if any(sign.isalnum() for sign in text):
            added.append((polarity, text))
        else:
            aside.append(f"{polarity} without words {text[:40]!r}")
    ids = {entry.id for entry in bank}
    struck: list[tuple[str, str]] = []
    for id_, reason in ((r.id.strip(), " ".join(r.reason.split())) for r in refuted):
        if id_ in ids:
            struck.append((id_, reason or "no reason given"))
        else:
            aside.append(f"refutation of {id_[:40]!r}, which is not in the bank")
    return BankReply(
        update=BankUpdate(added=tuple(added), refuted=tuple(struck)),
        parse="parsed",
        parse_error=_told(aside),
    )


def _told(aside: list[str]) -> str | None:
    more = f"; and {len(aside) - TOLD} more" if len(aside) > TOLD else ""
    return f"left aside: {'; '.join(aside[:TOLD])}{more}" if aside else None
