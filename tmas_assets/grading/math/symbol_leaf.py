r"""Compares expressions and relations by value, and what our grammar does not know through math-verify.

Runs in a worker, which may be killed: math-verify has no time limit outside of a main thread and none here. Its known
errors shape how it is asked: no fallback to digits found in the text, no symbols that differ only in case (it folds
them), only commands it reads right; and where it says `different`, that is no verdict.
"""

import logging
import re
from fractions import Fraction

from tmas_assets.grading.math import numeric, relations
from tmas_assets.grading.math.budget import cpu_budget
from tmas_assets.grading.math.exact_leaf import NeedsSymbols, equal_exactly
from tmas_assets.grading.math.structure import Shape
from tmas_assets.grading.math.tree import Node

_TRUSTED = {
    "frac", "sqrt", "binom", "pi", "infty", "cdot", "sin", "cos", "tan", "log", "ln", "exp", "int", "sum", "prod", "lim",
    "le", "ge", "ne", "in", "cup", "cap", "setminus", "mathbb", "matrix", "begin", "end", "to", "mid", "emptyset",
}
_TOWER = re.compile(r"\\frac\s*\d{3}|\^\s*\{?[^{}]*\^|\d{7,}|\d{4,}\s*!|\^\s*\{?\s*\d{4,}")
_LONGEST = 300
_SERIES = re.compile(r"\\(?:int|sum|prod|lim)(?![A-Za-z])")
_MOST_SERIES = 3
"""Integrals, sums and limits in both texts together; each may take it a second."""
_SECONDS = 0.7
"""Of CPU time. What it has not found by then stays open."""


class SymbolLeaf:
    def equal(self, gold: Node, answer: Node) -> bool | None:
        try:
            return equal_exactly(gold, answer)
        except NeedsSymbols:
            return numeric.equal(gold, answer)

    def place(self, node: Node) -> Fraction | None:
        return numeric.placed(node)

    def related(self, gold: Shape, answer: Shape) -> bool | None:
        return relations.related(gold, answer)

    def unread(self, gold: Shape, answer: Shape) -> bool | None:
        with cpu_budget(_SECONDS):
            return True if _math_verify_agrees(gold=gold.text, answer=answer.text) else None
        return None


def _math_verify_agrees(*, gold: str, answer: str) -> bool:
    both = f"{gold} {answer}"
    letters = set(re.findall(r"(?<![\\A-Za-z])[A-Za-z]", both))
    if (
        len(both) > _LONGEST
        or len(_SERIES.findall(both)) > _MOST_SERIES
        or _TOWER.search(both)
        or set(re.findall(r"\\([A-Za-z]+)", both)) - _TRUSTED
        or any(letter.swapcase() in letters for letter in letters)
    ):
        return False
    from math_verify import LatexExtractionConfig, parse, verify

    logging.getLogger("math_verify").setLevel(logging.ERROR)  # it warns that its time limit is off; ours holds
    readings = [
        parse(f"${text}$", [LatexExtractionConfig(boxed_match_priority=-1)], fallback_mode="no_fallback",
              parsing_timeout=None)
        for text in (gold, answer)
    ]
    if any(len(reading) != 1 for reading in readings):
        return False
    wanted, given = (reading[0] for reading in readings)
    if getattr(wanted, "free_symbols", None) != getattr(given, "free_symbols", None):
        return False
    return bool(verify(gold=wanted, target=given, strict=True, timeout_seconds=None))
