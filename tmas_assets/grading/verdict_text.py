r"""Reads a judge's verdict: correct, incorrect, or none where the reply does not say which.

Leaves out what an unreadable verdict means: that is the caller's.
"""

import re

from tmas_assets.grading.boxes import last_box
from tmas_assets.grading.thinking import split_thinking

_MARKED = re.compile(r'verdict"?[\s*_:="$]*(?:\\boxed\s*\{\s*)?(?:\\text\{)?\s*(incorrect|correct)\b', re.IGNORECASE)


def read_verdict(text: str) -> bool | None:
    """True for correct, False for incorrect, None where neither is marked."""
    answer = split_thinking(text)[1] or ""
    marked = _MARKED.findall(answer)
    word = (marked[-1] if marked else last_box(answer) or "").lower()
    return {"correct": True, "incorrect": False}.get(word)
