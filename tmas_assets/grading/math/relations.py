"""Decides whether two relations of two sides say the same, by evaluating them. Runs in a worker.

`4x^2 + 9y^2 = 36` is the ellipse `x^2/9 + y^2/4 = 1`: the differences of the sides are proportional. Relations that
are not are only told apart by a point where one holds and the other does not; otherwise it stays open.
"""

import itertools
import random
from collections.abc import Iterator
from typing import Any

import mpmath

from tmas_assets.grading.math.exact import TooLarge
from tmas_assets.grading.math.numeric import Undefined, points, value
from tmas_assets.grading.math.sides import mirrored
from tmas_assets.grading.math.structure import Shape
from tmas_assets.grading.math.tree import Node, has, symbols

_DIGITS = 40
_CLOSE = "1e-25"
_TRIES = 10
_FEWEST_ROOTS = 6
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
            if has(first, {"call"}) or has(second, {"call"}):
                return None  # values of an unknown function have no roots to look for
            if wanted in _HOLDS:
                return False if _truth_differs(first, wanted, second, given) or _has_another_edge(first, second) else None
            shared = _shares_roots(first, second), _shares_roots(second, first)
            return False if False in shared else True if all(shared) and len(symbols(first) | symbols(second)) > 1 else None
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


def _shares_roots(first: Node, second: Node) -> bool | None:
    """Whether every zero of `first` that was found is one of `second`; None where too few were found."""
    shared = 0
    for at, _ in _roots(first, second):
        missed = _at(second, at)
        if missed is not None and abs(missed) > mpmath.mpf("1e-6"):
            return False
        shared += missed is not None and abs(missed) < mpmath.mpf(_CLOSE)
    return True if shared >= _FEWEST_ROOTS else None


def _has_another_edge(first: Node, second: Node) -> bool:
    """Whether `first` changes its sign somewhere where `second` is surely not zero: x + y < 2 beside x + y < 3."""
    for at, name in _roots(first, second):
        across = [_at(first, {**at, name: at[name] + step}) for step in (mpmath.mpf("-1e-8"), mpmath.mpf("1e-8"))]
        elsewhere = _at(second, at)
        if None in across or elsewhere is None or abs(elsewhere) < mpmath.mpf("1e-3"):
            continue
        if across[0] * across[1] < 0:
            return True
    return False


def _roots(first: Node, second: Node) -> Iterator[tuple[dict[str, Any], str]]:
    """Points where `first` is zero, each with the symbol that was solved for. The same on every call."""
    names = sorted(symbols(first))
    source = random.Random(f"roots of {names}")
    others = sorted(symbols(second) - set(names))
    for _ in range(_TRIES if names else 0):
        at = {name: mpmath.mpf(source.randint(-3_000, 3_000)) / 1_000 for name in (*names, *others)}
        solved_for = source.choice(names)

        def along(x: Any, at: dict[str, Any] = at, name: str = solved_for) -> Any:
            return value(first, {**at, name: x})

        try:
            root = mpmath.findroot(along, at[solved_for])
        except (ValueError, ZeroDivisionError, TypeError, Undefined):
            continue
        if abs(mpmath.im(root)) <= mpmath.mpf(_CLOSE):
            yield {**at, solved_for: mpmath.re(root)}, solved_for
