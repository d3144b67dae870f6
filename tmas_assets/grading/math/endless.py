"""Totals of endless sums, to some digits: enough to tell that one is pi^2/6, never that it is not.

Works in the current precision of mpmath. Leaves out evaluating their terms (`numeric.py`).
"""

from collections.abc import Callable
from typing import Any

import mpmath

from tmas_assets.grading.math.tree import Node

DIGITS = 30
CLOSE = mpmath.mpf(10) ** -24
_FAR, _FARTHER = 200, 400
"""Terms that must be small already: a sum may have a value by convention that it does not have."""


def has_one(node: Node) -> bool:
    return (node.op == "sum" and node.args[2].op == "infty") or any(map(has_one, node.args))


def total(term: Callable[[Any], Any], start: Any) -> Any:
    """Of the terms from `start` on, or None where they do not become small or no total is found."""
    if mpmath.mp.dps > 2 * DIGITS or not mpmath.isint(start):
        return None
    sizes = [abs(term(mpmath.mpf(start + far))) for far in (_FAR, _FARTHER)]
    if sizes[0] > 0.05 or sizes[1] > sizes[0]:
        return None
    try:
        return mpmath.nsum(lambda index: term(mpmath.mpf(index)), [int(start), mpmath.inf])
    except (ValueError, ZeroDivisionError, mpmath.libmp.NoConvergence):
        return None
