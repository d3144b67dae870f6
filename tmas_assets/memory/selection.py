"""Which live lines of a bank a prompt shows when not all fit; leaves out the wording around them."""

from tmas_assets.records import MemoryEntry, Record


class Selection(Record):
    shown: tuple[MemoryEntry, ...]
    """In the order they were given."""
    left_out: int


def select(entries: tuple[MemoryEntry, ...], *, chars: int) -> Selection:
    """The best supported entries (then the latest seen, then the oldest) whose texts fit into `chars` characters.

    An entry that does not fit is passed over and smaller ones behind it may still enter.
    """
    ranked = sorted(range(len(entries)), key=lambda i: (-entries[i].support, -entries[i].last_seen, i))
    chosen, used = set(), 0
    for i in ranked:
        if used + len(entries[i].text) <= chars:
            chosen.add(i)
            used += len(entries[i].text)
    return Selection(shown=tuple(entries[i] for i in sorted(chosen)), left_out=len(entries) - len(chosen))
