"""Tells endless repetition from ordinary text by how far its end compresses. Says nothing about right or wrong.

Tables, matrices and rulers compress as well as loops do, so a stretch with few letters has to repeat exactly.
"""

import zlib

_SHORTEST = 1_000
"""Characters. Shorter texts are never called repetitive: a few repeats are no loop yet."""
_WINDOWS = (1_000, 4_000, 32_000)
"""Characters from the end. A loop may be short or pages long, and may follow pages of ordinary text."""
_RATIO = 0.08
"""Prose, code and worked mathematics compress to between 0.1 and 0.6 of their size, a loop of many rounds to below this."""
_LETTERS = 0.3
"""Share of letters from which a stretch is prose."""


def is_repetitive(text: str) -> bool:
    """Whether the text ends in a loop."""
    return len(text) >= _SHORTEST and any(_is_loop(text[-window:]) for window in _WINDOWS)


def _is_loop(tail: str) -> bool:
    data = tail.encode("utf-8", "surrogatepass")
    if len(zlib.compress(data, 6)) >= _RATIO * len(data):
        return False
    return sum(map(str.isalpha, tail)) >= _LETTERS * len(tail) or _repeats_exactly(tail)


def _repeats_exactly(tail: str) -> bool:
    """Whether the tail is one period, four times or more."""
    period = tail.find(tail[: len(tail) // 2], 1)
    return 0 < period <= len(tail) // 4 and tail[period:] == tail[:-period]
