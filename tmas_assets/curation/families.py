"""Problems made from one template: which parts of a statement all of them share, and which are a problem's own.

Two problems of one generator read nearly alike and still are different problems; edited copies of one problem read
nearly alike and are the same. What tells them apart is where they differ: a template's problems all differ in the same
places (the data), edits fall anywhere. Leaves out which statements are compared.
"""

from collections import Counter
from collections.abc import Sequence

LEAST = 5
"""Relatives that show a template."""
MOST = 256
"""Relatives that are looked at, the first ones."""
_SHARED = 0.75
"""A part of the template is held by this share of the relatives or more."""
_OWN = 0.25
"""A part of the data is held by at most this share."""
_TEMPLATE = 0.3
"""Share of the parts that must be template: rewordings of one problem share few parts and are no family."""
_SAME_PLACES = 0.35
"""Share of all that relatives lack that must lie in the data: edits fall anywhere."""


def data_parts(parts: frozenset[str], relatives: Sequence[frozenset[str]]) -> frozenset[str]:
    """The parts that are a problem's own data; none where its relatives show no template.

    `relatives` says for each distinct other statement that resembles the problem which of its parts it holds.
    """
    seen = relatives[:MOST]
    if len(seen) < LEAST:
        return frozenset()
    held = Counter(part for one in seen for part in one)
    lacked = {part: len(seen) - held[part] for part in parts}
    own = frozenset(part for part, count in lacked.items() if count >= (1 - _OWN) * len(seen))
    shared = sum(count <= (1 - _SHARED) * len(seen) for count in lacked.values())
    same_places = sum(lacked[part] for part in own) >= _SAME_PLACES * sum(lacked.values())
    return own if same_places and shared >= _TEMPLATE * len(parts) else frozenset()
