r"""Says whether a text lists the options of a question again, each letter with its text, instead of taking one.

`A) 5 B) 6 C) 7`, `(A) red, (B) green`, the same over lines. Options that are each judged (`A) 5 is too small`) are no
such list. Leaves out letters without texts (`clause.py`).
"""

import re

from tmas_assets.grading.choice.clause import SPECIES
from tmas_assets.grading.choice.text import BOX

_FIRST = re.compile(rf"[\s\"'{BOX}]*(?:option )?(?P<open>[(\[]?)(?P<letter>[A-Z])(?P<close>[).:\]])\s+(?=\S)")
_BARE = re.compile(r"[\s\"']*[(\[]?([A-Z])[).\]]\s*(?!\(?\1\b)[(\[]?[A-Z][).\]](?:\s*[(\[]?[A-Z][).\]])*\s*(?:\n|$)")
_JUDGED = re.compile(
    r"\b(?:because|since|as|not|n['’]t|no|while|but|rather|unlike|whereas|though|although|than|over|is|are|was|were|so|hence|thus|therefore|wrong|incorrect|"
    r"correct|right|fails?|violates?|contradicts?|ignores?|cannot|can['’]t|does|would|has|too|option|answer|both|holds?|see|vitamin|fig(?:ure)?|point|explanation|[A-Z][a-z]* [A-Z]\.)\b|"
    r"n['’]t\b|[✓✔✅❌✗✘✖?]|[.!;]\s+(?=[A-Z][a-z])", re.IGNORECASE)
_NEXT = r"[\s,;/|]\s{{0,3}}(?:and |or )?(?:option )?{open}(?P<letter>[{letters}]){close}(?:\s+(?=\S)(?!{species})|[)\]]?\s*$)"
_APART = 120
"""Characters that the text of one option may have."""


def lists_options(text: str, letters: str) -> bool:
    """Whether the text begins with one option and its text, and goes on to another of them in the same way."""
    if _BARE.match(text):
        return True
    first = _FIRST.match(text)
    if first is None or first["letter"] not in letters:
        return False
    later = letters[letters.index(first["letter"]) + 1 :]
    if not later:
        return False
    shape = _NEXT.format(open=re.escape(first["open"]), letters=later, close=re.escape(first["close"]), species=SPECIES)
    following = re.compile(shape).search(text, first.end() - 1, first.end() + _APART)
    if following is None or "\n\n" in text[first.end() : following.end()]:
        return False
    own = text[first.end() : following.start()]
    its = text[following.end() : following.end() + _APART].partition("\n")[0]
    if re.match(r"[A-Z]\.?$", own.strip()) or _JUDGED.search(own):
        return False
    return bool(own.strip()) and _JUDGED.search(re.split(r"\s\(?[A-Z][).:\]]\s", its)[0]) is None
