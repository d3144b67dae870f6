"""Writes one agent's update into a bank: refute, merge near-duplicates, add, cap, each with its trace.

No entry is ever removed from the snapshot: refuted and evicted ones stay, with the iteration and the reason, and
only live ones are shown to agents. Leaves out the choice of what fits a prompt (`selection.py`).
"""

import re
from typing import NamedTuple

from pydantic import Field

from tmas_assets.memory.similarity import Similarity, jaccard, same_formulas
from tmas_assets.memory.size import tokens
from tmas_assets.records import Bank, BankUpdate, MemoryEntry, Polarity, Record

_ID = re.compile(r"[eg](\d+)\Z")


class BankSettings(Record):
    similarity_threshold: float = Field(default=0.8, gt=0, le=1)
    """Lines at least this alike are near-duplicates."""
    keep_formulas_apart: bool = True
    """Lines with other formulas or other negations are never near-duplicates, however alike they read."""
    cap_tokens: int = Field(default=2000, ge=1)
    """Cap on the live entries of one bank together, by `memory.tokens`."""


class Merged(Record):
    """The entries after an update, and what became of it. Every line of the update is in exactly one of the counts."""

    entries: tuple[MemoryEntry, ...]
    added: int
    merged: int
    """Lines that went into an older entry, live or refuted, or repeated another line of the same update."""
    refuted: int
    evicted: int
    ignored: tuple[str, ...] = ()
    """Ids the update refutes that are no live entry of this bank."""


def number(entry: MemoryEntry) -> int:
    """Its running number. Raises ValueError for an id of another form."""
    found = _ID.match(entry.id)
    if found is None:
        raise ValueError(f"memory entry id {entry.id!r}: expected a bank letter and a number, such as e003")
    return int(found[1])


def live(entries: tuple[MemoryEntry, ...], bank: Bank) -> tuple[MemoryEntry, ...]:
    """The live entries of one bank, oldest first."""
    return tuple(sorted((e for e in entries if e.bank == bank and e.state == "live"), key=number))


class _Turn(NamedTuple):
    """Who writes: constant over one merge."""

    bank: Bank
    iteration: int
    sources: tuple[str, ...]
    settings: BankSettings
    similarity: Similarity


def merge(
    entries: tuple[MemoryEntry, ...],
    update: BankUpdate,
    *,
    bank: Bank,
    iteration: int,
    sources: tuple[str, ...],
    settings: BankSettings,
    similarity: Similarity = jaccard,
) -> Merged:
    """`entries` (of both banks) after `update` to `bank`, written in `iteration` from the rollouts `sources`.

    1. Refuted ids are struck out with iteration and reason; the first reason counts.
    2. A line that is a near-duplicate (same polarity, similarity >= threshold, same formulas) goes into the most
       similar older entry: support + 1 once per update, last_seen, sources united. A line that repeats a *refuted*
       entry goes into that entry too and leaves it refuted: `last_seen > ended` shows that it was written again.
       Only a rewording in the very update that refutes the old wording replaces it, as an entry of its own.
       Evicted entries take no part: such a line was not wrong, so it may come back, under a new id.
    3. Other lines become entries with running ids. A line that alone exceeds the cap is evicted at once.
    4. While the live entries of the bank exceed the cap, the one of lowest support, then oldest last_seen, then
       oldest id is evicted; entries of this update go only when no other is left, latest first.
    """
    turn = _Turn(bank, iteration, tuple(sorted(set(sources))), settings, similarity)
    own = {e.id: e for e in sorted((e for e in entries if e.bank == bank), key=number)}
    refuted, ignored = _refute(own, update.refuted, turn)
    added, merged = _add(own, update.added, turn)
    evicted = _cap(own, added, turn)
    old = tuple(own.pop(e.id) if e.bank == bank else e for e in entries)
    return Merged(
        entries=old + tuple(own.values()),
        added=len(added), merged=merged, refuted=refuted, evicted=evicted, ignored=ignored,
    )  # fmt: skip


def _end(entry: MemoryEntry, state: str, iteration: int, reason: str) -> MemoryEntry:
    return entry.model_copy(update={"state": state, "ended": iteration, "reason": reason})


def _refute(
    own: dict[str, MemoryEntry], asked: tuple[tuple[str, str], ...], turn: _Turn
) -> tuple[int, tuple[str, ...]]:
    reasons: dict[str, str] = {}
    for id_, reason in asked:
        reasons.setdefault(id_, reason)
    ignored = tuple(id_ for id_ in reasons if id_ not in own or own[id_].state != "live")
    for id_, reason in reasons.items():
        if id_ not in ignored:
            own[id_] = _end(own[id_], "refuted", turn.iteration, reason)
    return len(reasons) - len(ignored), ignored


def _add(own: dict[str, MemoryEntry], lines: tuple[tuple[Polarity, str], ...], turn: _Turn) -> tuple[list[str], int]:
    """Ids of the entries made, and the number of lines that went into others."""
    added: list[str] = []
    touched: set[str] = set()
    following = max((number(e) for e in own.values()), default=0) + 1
    for polarity, text in lines:
        twin = _twin(own, polarity, text, turn)
        if twin is not None and twin.id not in touched:
            own[twin.id] = twin.model_copy(
                update={
                    "support": twin.support + 1,
                    "last_seen": turn.iteration,
                    "sources": tuple(sorted({*twin.sources, *turn.sources})),
                }
            )
        id_ = twin.id if twin is not None else f"{turn.bank[0]}{following:03d}"
        touched.add(id_)
        if twin is None:
            own[id_] = MemoryEntry(
                id=id_, bank=turn.bank, polarity=polarity, text=text, born=turn.iteration,
                sources=turn.sources, last_seen=turn.iteration,
            )  # fmt: skip
            added.append(id_)
            following += 1
    return added, len(lines) - len(added)


def _twin(own: dict[str, MemoryEntry], polarity: Polarity, text: str, turn: _Turn) -> MemoryEntry | None:
    """The entry that `text` repeats: the most similar one over the threshold, of equals the oldest."""
    best, best_similarity = None, turn.settings.similarity_threshold
    for entry in own.values():
        if entry.polarity != polarity or entry.state == "evicted":
            continue
        alike = 1.0 if entry.text == text else turn.similarity(entry.text, text)
        if alike < 1 and entry.state == "refuted" and entry.ended == turn.iteration:
            continue
        close = alike > best_similarity if best else alike >= best_similarity
        if close and (not turn.settings.keep_formulas_apart or same_formulas(entry.text, text)):
            best, best_similarity = entry, alike
    return best


def _cap(own: dict[str, MemoryEntry], added: list[str], turn: _Turn) -> int:
    cap = turn.settings.cap_tokens
    cost = {id_: tokens(e.text) for id_, e in own.items() if e.state == "live"}
    evicted = [id_ for id_ in added if cost[id_] > cap]
    reasons = dict.fromkeys(evicted, f"alone over the cap of {cap} tokens")
    held = sum(cost.values()) - sum(cost[id_] for id_ in evicted)
    older = sorted(set(cost) - set(added), key=lambda i: (own[i].support, own[i].last_seen, number(own[i])))
    for id_ in [*older, *(i for i in reversed(added) if i not in reasons)]:
        if held <= cap:
            break
        held -= cost[id_]
        entry = own[id_]
        reasons[id_] = f"over the cap of {cap} tokens: support {entry.support}, last seen in {entry.last_seen}"
    for id_, reason in reasons.items():
        own[id_] = _end(own[id_], "evicted", turn.iteration, reason)
    return len(reasons)
