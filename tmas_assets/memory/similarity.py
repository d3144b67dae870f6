"""How alike two lines of a bank are: Jaccard over normalised tokens, and whether they state the same formulas.

Jaccard alone takes `the sum of 12 and 35 is 47` and `the sum of 12 and 35 is 57` for one line and so swallows
the correction; `same_formulas` tells such pairs apart. `cosine` compares by meaning and leaves out where vectors come
from. Any function of the `Similarity` shape can take the place of either.
"""

import re
import unicodedata
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Protocol

_TOKEN = re.compile(r"\\[A-Za-z]+|\\.|[^\W\d_]+(?:['’][^\W\d_]+)*|\d+(?:\.\d+)?|[^\s\w]|_")
_WORD = re.compile(r"[^\W\d_]{2,}(?:['’][^\W\d_]+)*\Z|[ai]\Z")
_LAYOUT = frozenset(
    [f"\\{name}" for name in (
        "left", "right", "big", "Big", "bigl", "bigr", "text", "mathrm", "mathbf", "displaystyle", "limits", "quad",
        "qquad",
    )]
)  # fmt: skip
_PUNCTUATION = frozenset("$,.;:!?\"'’`#{}")
_BRACKETS = frozenset("()[]")
_SPELLINGS = {
    "≤": "\\le", "\\leq": "\\le", "≥": "\\ge", "\\geq": "\\ge", "≠": "\\ne", "\\neq": "\\ne", "×": "\\times",
    "*": "\\times", "\\cdot": "\\times", "·": "\\times", "−": "-", "–": "-",
    "\\dfrac": "\\frac", "\\tfrac": "\\frac", "π": "\\pi",
}  # fmt: skip
_NEGATIONS = frozenset(
    ["not", "no", "never", "cannot", "without", "neither", "nor", "none", "false", "incorrect", "incorrectly", "wrong",
     "wrongly", "invalid", "impossible"]
)  # fmt: skip


class Similarity(Protocol):
    """Likeness of two lines in [0, 1], symmetric; 1 for equal lines."""

    def __call__(self, a: str, b: str, /) -> float: ...


def tokens(text: str) -> tuple[str, ...]:
    """Words in lower case, LaTeX commands as they are (`\\Delta` is no `\\delta`), numbers, symbols; no layout."""
    kept = []
    for token in _TOKEN.findall(unicodedata.normalize("NFC", text).replace("**", " ")):
        spacing = len(token) == 2 and token[0] == "\\" and not token[1].isalpha()
        if spacing or token in _LAYOUT or token in _PUNCTUATION:
            continue
        token = token if token[0] == "\\" else token.casefold()
        kept.append(_SPELLINGS.get(token, token))
    return tuple(kept)


_tokens = lru_cache(maxsize=8192)(tokens)
"""Of the lines of banks, which are short."""


@lru_cache(maxsize=8192)
def _bag(text: str) -> frozenset[str]:
    return frozenset(_tokens(text)) - _BRACKETS


def jaccard(a: str, b: str, /) -> float:
    """Shared tokens over all tokens of the two lines, without brackets. A line without tokens matches only itself."""
    left, right = _bag(a), _bag(b)
    if not left or not right:
        return float(a.split() == b.split())
    return len(left & right) / len(left | right)


def cosine(vectors: Mapping[str, Sequence[float]]) -> Similarity:
    """Cosine of the lines' vectors, 0 where it is negative or a vector is zero. Raises KeyError for another line."""
    import numpy as np

    arrays = {text: np.asarray(vector, dtype=np.float64) for text, vector in vectors.items()}
    unit = {text: array / (np.linalg.norm(array) or 1.0) for text, array in arrays.items()}

    def alike(a: str, b: str, /) -> float:
        return min(1.0, max(0.0, float(unit[a] @ unit[b])))

    return alike


def apart(similarity: Similarity) -> Similarity:
    """`similarity`, but 0 for lines that state other formulas or other negations."""
    return lambda a, b, /: similarity(a, b) if same_formulas(a, b) else 0.0


@lru_cache(maxsize=8192)
def _formulas(text: str) -> tuple[tuple[str, ...], frozenset[str]]:
    """Maximal runs of non-word tokens (`5-3=2`, `n`, `47`) in order, and the negations among the words."""
    runs: list[list[str]] = [[]]
    negations = set()
    for token in _tokens(text):
        if not _WORD.match(token):
            runs[-1].append(token)
            continue
        runs.append([])
        if token in _NEGATIONS or token.endswith(("n't", "n’t")):
            negations.add("not" if token.endswith("t") else token)
    return tuple("".join(run) for run in runs if set(run) - _BRACKETS), frozenset(negations)


def same_formulas(a: str, b: str, /) -> bool:
    """Whether two lines carry the same formulas in the same order, and the same negations.

    Strict on purpose: a line kept although it repeats another costs space, one merged wrongly is a lost claim.
    """
    return _formulas(a) == _formulas(b)
