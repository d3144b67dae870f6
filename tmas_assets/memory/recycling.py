"""RSE's deduplication: all lines of a bank, old and new, in clusters of which only the heads stay live.

Each entry says what became of it: a head has the support and the sources of all that went into it, what was absorbed is
evicted and names its head and why. Leaves out caps (RSE has none), refutations, and single updates (`bank.py`).
"""

from collections import Counter

from tmas_assets.memory.bank import live, number
from tmas_assets.memory.similarity import Similarity
from tmas_assets.records import Bank, MemoryEntry, Polarity, Record


class Finding(Record):
    """One line of one distillation."""

    polarity: Polarity
    text: str
    source: str
    """Id of the rollout that was distilled."""


class Tally(Record):
    """What became of the findings of one rollout; each is in exactly one of the first two."""

    added: int = 0
    """Heads that it was the first to write."""
    merged: int = 0
    """Lines that were there before, or went into another."""
    evicted: int = 0
    """Older entries that its heads absorbed."""


class Recycled(Record):
    entries: tuple[MemoryEntry, ...]
    tallies: dict[str, Tally]
    """By source, in the order they were given; a source without findings has none."""


def recycle(
    entries: tuple[MemoryEntry, ...],
    findings: tuple[Finding, ...],
    *,
    bank: Bank,
    iteration: int,
    threshold: float,
    similarity: Similarity,
) -> Recycled:
    """`entries` (of both banks) with `findings` of `iteration` added to `bank` and deduplicated, per polarity:

    1. A finding equal to a live entry after trimming is that entry, written again: support + 1 once per source.
       Of two the newer wins: last_seen is this iteration. Other findings become entries with running ids.
    2. Live entries are put in order: latest seen first, then longest, then lowest id.
    3. In this order an entry joins the first head before it of which it is a part, or to which its similarity is over
       `threshold`; else it is a head itself. What joins is evicted; entries evicted before take no part. Two heads of
       earlier iterations have been found unlike then and are not measured again.
    """
    own = {entry.id: entry for entry in entries if entry.bank == bank}
    written = _write(own, findings, bank, iteration)
    joined: dict[str, str] = {}
    for polarity in dict.fromkeys(finding.polarity for finding in findings):
        joined |= _join(own, polarity, iteration, threshold, similarity)
    tallies = {source: Tally() for source in dict.fromkeys(finding.source for finding in findings)}
    for finding, (id_, new) in zip(findings, written, strict=True):
        count = tallies[finding.source]
        kept = new and id_ not in joined
        tallies[finding.source] = count.model_copy(
            update={"added": count.added + 1} if kept else {"merged": count.merged + 1}
        )
    first = {id_: finding.source for finding, (id_, _) in zip(reversed(findings), reversed(written), strict=True)}
    absorbed = Counter(first[head] for id_, head in joined.items() if own[id_].born < iteration and head in first)
    for source, evicted in absorbed.items():
        tallies[source] = tallies[source].model_copy(update={"evicted": evicted})
    old = tuple(own.pop(entry.id) if entry.bank == bank else entry for entry in entries)
    return Recycled(entries=old + tuple(own.values()), tallies=tallies)


def _write(
    own: dict[str, MemoryEntry], findings: tuple[Finding, ...], bank: Bank, iteration: int
) -> list[tuple[str, bool]]:
    """Step 1: of each finding the id of its entry, and whether it made that entry."""
    ids = {(entry.polarity, entry.text.strip()): entry.id for entry in live(tuple(own.values()), bank)}
    following = max(map(number, own.values()), default=0) + 1
    wrote: set[tuple[str, str]] = set()
    written = []
    for finding in findings:
        text = finding.text.strip()
        id_ = ids.get((finding.polarity, text))
        written.append((id_ or f"{bank[0]}{following:03d}", id_ is None))
        if id_ is None:
            id_ = ids[finding.polarity, text] = written[-1][0]
            following += 1
            own[id_] = MemoryEntry(
                id=id_, bank=bank, polarity=finding.polarity, text=text, born=iteration, sources=(finding.source,),
                last_seen=iteration,
            )  # fmt: skip
        elif (id_, finding.source) not in wrote:
            own[id_] = _united(own[id_], 1, (finding.source,), iteration)
        wrote.add((id_, finding.source))
    return written


def _join(
    own: dict[str, MemoryEntry], polarity: Polarity, iteration: int, threshold: float, similarity: Similarity
) -> dict[str, str]:
    """Steps 2 and 3: of each entry that joined a head, the head's id."""
    listed = [entry for entry in own.values() if entry.polarity == polarity and entry.state == "live"]
    listed.sort(key=lambda entry: (-entry.last_seen, -len(entry.text), number(entry)))
    heads: list[MemoryEntry] = []
    joined: dict[str, str] = {}
    for entry in listed:
        found = _head(heads, entry, iteration, threshold, similarity)
        if found is None:
            heads.append(entry)
            continue
        head, reason = found
        joined[entry.id] = head.id
        own[head.id] = _united(own[head.id], entry.support, entry.sources, entry.last_seen)
        own[entry.id] = entry.model_copy(update={"state": "evicted", "ended": iteration, "reason": reason})
    return joined


def _head(
    heads: list[MemoryEntry], entry: MemoryEntry, iteration: int, threshold: float, similarity: Similarity
) -> tuple[MemoryEntry, str] | None:
    for head in heads:
        if entry.text in head.text:
            return head, f"part of {head.id}"
        if head.born < iteration and entry.born < iteration:
            continue  # both were heads before: they have been found unlike
        if (alike := similarity(head.text, entry.text)) > threshold:
            return head, f"like {head.id}: similarity {alike:.3f} over {threshold:g}"
    return None


def _united(entry: MemoryEntry, support: int, sources: tuple[str, ...], last_seen: int) -> MemoryEntry:
    return entry.model_copy(
        update={
            "support": entry.support + support,
            "sources": tuple(sorted({*entry.sources, *sources})),
            "last_seen": max(entry.last_seen, last_seen),
        }
    )
