"""Decides whether two relations of two sides say the same, by evaluating them. Runs in a worker.

`4x^2 + 9y^2 = 36` is the ellipse `x^2/9 + y^2/4 = 1`: the differences of the sides are proportional. Relations that
are not are only told apart by a point where one holds and the other does not; otherwise it stays open.
"""

import itertools
import random
from typing import Any

import mpmath

from tmas_assets.grading.exact import TooLarge
from tmas_assets.grading.numeric import Undefined, points, value
from tmas_assets.grading.sides import mirrored
from tmas_assets.grading.structure import Shape
from tmas_assets.grading.tree import Node, symbols

_DIGITS = 40
_CLOSE = "1e-25"
_ROOTS = 4
_HOLDS = {"<": lambda f: f < 0, ">": lambda f: f > 0, r"\le": lambda f: f <= 0, r"\ge": lambda f: f >= 0}


def related(gold: Shape, answer: Shape) -> bool | None:
    if len(gold.items) > 2 or len(answer.items) > 2:
        return False if _tells_apart(gold, answer) else None
    wanted, given = gold.operators[0], answer.operators[0]
    known = {"=", r"\ne", *_HOLDS}
    if not {wanted, given} <= known:
        return None
    if (wanted in _HOLDS) != (given in _HOLDS) or (wanted not in _HOLDS and wanted != given):
        return False
    first, second = _difference(gold), _difference(answer)
    if first is None or second is None:
        return None
    with mpmath.workdps(_DIGITS):
        try:
            factor = _proportion(first, second)
            if factor is not None:
                return wanted not in _HOLDS or wanted == (given if factor > 0 else mirrored(given))
            if wanted in _HOLDS:
                return False if _truth_differs(first, wanted, second, given) else None
            return False if _misses_a_root(first, second) or _misses_a_root(second, first) else None
        except TooLarge:
            return None


def _difference(relation: Shape) -> Node | None:
    left, right = (side.node for side in relation.items)
    return Node("add", (left, Node("neg", (right,)))) if left and right else None


def _tells_apart(gold: Shape, answer: Shape) -> bool:
    """Whether one of two chains of inequalities holds at some point where the other does not."""
    if {*gold.operators, *answer.operators} - {*_HOLDS}:
        return False
    sides = [side.node for side in (*gold.items, *answer.items)]
    nodes = [node for node in sides if node is not None]
    if len(nodes) < len(sides):
        return False
    with mpmath.workdps(_DIGITS):
        for at in itertools.chain(points(nodes), points(nodes, negative=True)):
            truths = _chain_holds(gold, at), _chain_holds(answer, at)
            if None not in truths and truths[0] != truths[1]:
                return True
    return False


def _chain_holds(chain: Shape, at: dict[str, Any]) -> bool | None:
    values = [_at(side.node, at) for side in chain.items if side.node is not None]
    if None in values:
        return None
    return all(_HOLDS[operator](left - right)
               for operator, left, right in zip(chain.operators, values, values[1:], strict=False))


def _at(node: Node, at: dict[str, Any]) -> Any:
    """The value, or None where it is undefined or not real."""
    try:
        found = value(node, {name: mpmath.mpf(x.numerator) / x.denominator if hasattr(x, "numerator") else x
                             for name, x in at.items()})
    except Undefined:
        return None
    return mpmath.re(found) if abs(mpmath.im(found)) < mpmath.mpf(_CLOSE) else None


def _proportion(first: Node, second: Node) -> Any:
    """The constant c with first = c * second at every point, or None."""
    factors = []
    for at in itertools.chain(points((first, second)), points((first, second), negative=True)):
        f, g = _at(first, at), _at(second, at)
        if f is None or g is None or (f == 0 and g == 0):
            continue
        if g == 0 or f == 0:
            return None
        factors.append(f / g)
        if abs(factors[-1] - factors[0]) > mpmath.mpf(_CLOSE) * abs(factors[0]):
            return None
    return factors[0] if len(factors) >= 5 else None


def _truth_differs(first: Node, wanted: str, second: Node, given: str) -> bool:
    for at in itertools.chain(points((first, second)), points((first, second), negative=True)):
        f, g = _at(first, at), _at(second, at)
        if f is not None and g is not None and _HOLDS[wanted](f) != _HOLDS[given](g):
            return True
    return False


def _misses_a_root(first: Node, second: Node) -> bool:
    """Whether some zero of `first` is surely none of `second`."""
    names = sorted(symbols(first))
    if not names:
        return False
    source = random.Random(f"roots of {names}")
    others = sorted(symbols(second) - set(names))
    for _ in range(_ROOTS):
        at = {name: mpmath.mpf(source.randint(-3_000, 3_000)) / 1_000 for name in (*names, *others)}
        solved_for = source.choice(names)

        def along(x: Any, at: dict[str, Any] = at, name: str = solved_for) -> Any:
            return value(first, {**at, name: x})

        try:
            root = mpmath.findroot(along, at[solved_for])
        except (ValueError, ZeroDivisionError, TypeError, Undefined):
            continue
        if abs(mpmath.im(root)) > mpmath.mpf(_CLOSE):
            continue
        missed = _at(second, {**at, solved_for: mpmath.re(root)})
        if missed is not None and abs(missed) > mpmath.mpf("1e-6"):
            return True
    return False
