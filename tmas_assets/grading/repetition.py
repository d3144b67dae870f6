"""Tells endless repetition from writing, by how far the end of a text compresses. Pure."""

import zlib

TAIL = 16384
"""Characters looked at: a reply may reason well for long before it starts to go round in circles."""
SHORTEST = 1000
LIMIT = 12.0
"""Compression ratio above which the tail repeats. Prose gives 2 to 5, a long table of like lines up to 9; one
sentence over and over 90, a paragraph of 2,400 characters over and over 13."""


def is_repetitive(text: str) -> bool:
    """Whether the last `TAIL` characters are one passage again and again."""
    if len(text) < SHORTEST:
        return False
    tail = text[-TAIL:].encode("utf-8", "surrogatepass")
    return len(tail) / len(zlib.compress(tail, 1)) > LIMIT
