"""Tells endless repetition from ordinary text by how far its end compresses. Says nothing about right or wrong."""

import zlib

_SHORTEST = 1_000
"""Characters. Shorter texts are never called repetitive: a few repeats are no loop yet."""
_WINDOWS = (1_000, 4_000, 32_000)
"""Characters from the end. A loop may be short or pages long, and may follow pages of ordinary text."""
_RATIO = 0.1
"""Prose and worked mathematics compress to between 0.2 and 0.6 of their size, a loop of many rounds to below this."""


def is_repetitive(text: str) -> bool:
    """Whether the text ends in a loop."""
    if len(text) < _SHORTEST:
        return False
    tails = (text[-window:].encode("utf-8", "surrogatepass") for window in _WINDOWS)
    return any(len(zlib.compress(tail, 6)) < _RATIO * len(tail) for tail in tails)
