"""Which live lines of a bank a prompt shows when not all fit; leaves out the wording around them."""

from collections.abc import Callable

from tmas_assets.records import MemoryEntry, Record


class Selection(Record):
    shown: tuple[MemoryEntry, ...]
    """In the order they were given."""
    left_out: int


def _text(entry: MemoryEntry) -> str:
    return entry.text


def select(entries: tuple[MemoryEntry, ...], *, chars: int, spelled: Callable[[MemoryEntry], str] = _text) -> Selection:
    """The best supported entries (then the latest seen, then the oldest) that fit into `chars` characters as they are
    `spelled` in the prompt, line ends too.

    An entry that does not fit is passed over and smaller ones behind it may still enter.
    """
    ranked = sorted(range(len(entries)), key=lambda i: (-entries[i].support, -entries[i].last_seen, i))
    chosen, used = set(), 0
    for i in ranked:
        size = len(spelled(entries[i]))
        if used + size <= chars:
            chosen.add(i)
            used += size
    return Selection(shown=tuple(entries[i] for i in sorted(chosen)), left_out=len(entries) - len(chosen))
