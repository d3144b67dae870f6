"""How the banks of a repeat grew: live lines by iteration, and every line ever written by the iterations it went through.

New: the bank agent's reading of a round named a line that repeats none of the bank, so an entry was born. Again: it named a line
that repeats an older entry (the bank's own similarity and threshold decide), whose support rose. Which rollout followed which line
nobody records: an agent reads a round as a whole. Pure; leaves out markup.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from tmas_assets.records import Bank, MemoryEntry, Record
from tmas_assets.reports.site.links import Sources, grouped, spans
from tmas_assets.reports.site.solved import Shown, SolvedRound

BANKS: tuple[Bank, Bank] = ("guideline", "experience")
Sign = Literal["none", "new", "again", "refuted", "evicted", "live"]


@dataclass(frozen=True)
class BankRound:
    """What an iteration of a repeat did to its banks."""

    repeat: int
    iteration: int
    entries: tuple[MemoryEntry, ...]
    """After it."""
    shown: tuple[Shown, ...]
    """To its rollouts, of the banks before it."""


class Stretch(Record):
    """Iterations in a row in which the same is to be seen of an entry."""

    sign: Sign
    shown: bool
    """Whether prompts of these iterations held the line."""
    span: int


class EntryLine(Record):
    entry: MemoryEntry
    sources: tuple[Sources, ...]
    stretches: tuple[Stretch, ...]
    shown_in: str
    """`t01–t04, t06`; empty where no prompt held it."""


class BankMap(Record):
    """One bank over the iterations that are there."""

    bank: Bank
    iterations: tuple[int, ...]
    live: tuple[int, ...]
    """Live lines after each iteration."""
    new: tuple[int, ...]
    again: tuple[int, ...]
    seen_by: tuple[str, ...]
    """Candidates whose prompts held lines of it, by iteration: `c0–c3`; empty for none."""
    lines: tuple[EntryLine, ...]
    """Oldest first."""


class RepeatMemory(Record):
    repeat: int
    maps: tuple[BankMap, ...]
    """Of the banks that were ever written."""


def bank_round(one: SolvedRound) -> BankRound:
    return BankRound(one.round.repeat, one.round.iteration, one.round.memory.entries, one.shown)


def repeat_memories(rounds: Sequence[BankRound]) -> tuple[RepeatMemory, ...]:
    """Of every repeat that ever wrote a line. `rounds` in any order."""
    made = []
    for repeat in sorted({one.repeat for one in rounds}):
        own = sorted((one for one in rounds if one.repeat == repeat), key=lambda one: one.iteration)
        maps = tuple(_map(bank, own) for bank in BANKS if any(entry.bank == bank for entry in own[-1].entries))
        if maps:
            made.append(RepeatMemory(repeat=repeat, maps=maps))
    return tuple(made)


def _map(bank: Bank, rounds: Sequence[BankRound]) -> BankMap:
    iterations = [one.iteration for one in rounds]
    then = [{entry.id: entry for entry in one.entries if entry.bank == bank} for one in rounds]
    held = [next((shown for shown in one.shown if shown.bank == bank), None) for one in rounds]
    shown = [frozenset(one.entries) if one else frozenset() for one in held]
    signs = {
        id_: [_sign(found.get(id_), iteration) for found, iteration in zip(then, iterations, strict=True)] for id_ in then[-1]
    }
    lines = [
        EntryLine(
            entry=entry,
            sources=grouped(entry.sources),
            stretches=_stretches(signs[id_], [id_ in seen for seen in shown]),
            shown_in=_spans([t for t, seen in zip(iterations, shown, strict=True) if id_ in seen]),
        )
        for id_, entry in sorted(then[-1].items(), key=lambda item: (item[1].born, item[0]))
    ]
    return BankMap(
        bank=bank,
        iterations=tuple(iterations),
        live=tuple(sum(entry.state == "live" for entry in found.values()) for found in then),
        new=tuple(sum(entry.born == t for entry in found.values()) for found, t in zip(then, iterations, strict=True)),
        again=tuple(sum(_again(entry, t) for entry in found.values()) for found, t in zip(then, iterations, strict=True)),
        seen_by=tuple(", ".join(group.candidates for group in grouped(one.rollouts)) if one else "" for one in held),
        lines=tuple(lines),
    )


def _again(entry: MemoryEntry, iteration: int) -> bool:
    return entry.born < iteration == entry.last_seen


def _sign(entry: MemoryEntry | None, iteration: int) -> Sign:
    """Of an entry as it was after `iteration`. A refuted one may be written again and stays refuted."""
    if entry is None:
        return "none"
    if entry.born == iteration:
        return "new"
    if entry.ended == iteration and entry.state != "live":
        return entry.state
    if _again(entry, iteration):
        return "again"
    return "live" if entry.state == "live" else "none"


def _stretches(signs: Sequence[Sign], shown: Sequence[bool]) -> tuple[Stretch, ...]:
    """Only plain life and absence are joined: events keep a cell each."""
    made: list[Stretch] = []
    for sign, seen in zip(signs, shown, strict=True):
        last = made[-1] if made else None
        if last and (last.sign, last.shown) == (sign, seen) and sign in ("none", "live"):
            made[-1] = last.model_copy(update={"span": last.span + 1})
        else:
            made.append(Stretch(sign=sign, shown=seen, span=1))
    return tuple(made)


def _spans(iterations: Sequence[int]) -> str:
    return spans([f"t{t:02d}" for t in iterations], iterations)
