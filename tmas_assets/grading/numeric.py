"""Decides whether two trees are equal by evaluating them: constants to a thousand digits, symbols at many points.

Two short formulas that agree to 900 digits are equal; two that differ at one point are not. Domain edges (roots of
negative numbers, values only at integers) are seen to, and what stays open is None, never a guess. Runs in a worker:
an expression may still be slow. Leaves out rational values, which `exact.py` compares exactly.
"""

import itertools
import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Any

import mpmath

from tmas_assets.grading.exact import TooLarge, rational
from tmas_assets.grading.tree import Node, symbols

_CONSTANT_DIGITS = 1_000
_POINT_DIGITS = 100
_LARGEST_EXPONENT = 300_000
"""Bits of a value's binary exponent above which it is not built."""
_POINTS = 10
_FEWEST_POINTS = 5
_INTEGER_OPS = {"fact", "fact2", "binom", "floor", "ceil"}
Environment = Mapping[str, Any]


class Undefined(ValueError):
    """The expression has no finite value at this point."""


def equal(first: Node, second: Node) -> bool | None:
    """Whether the trees are equal as functions of their symbols, None where that stays open."""
    try:
        if not symbols(first) | symbols(second):
            return _in_both_logs(lambda base: _equal_at({}, first, second, _CONSTANT_DIGITS, base), first, second)
        return _in_both_logs(lambda base: _equal_everywhere(first, second, base), first, second)
    except TooLarge:
        return None


def points(nodes: Sequence[Node], negative: bool = False) -> Iterator[dict[str, Fraction]]:
    """Values for all symbols of `nodes`: the same on every call. Integers where only those make sense."""
    names = sorted(frozenset().union(*(symbols(node) for node in nodes)))
    source = random.Random(f"points of {names}")
    if any(_needs_integers(node) for node in nodes):
        if len(names) == 1:
            steps: Iterator[tuple[int, ...]] = ((n,) for n in itertools.chain(range(1, 25), (32, 36, 49, 64, 81)))
        else:
            steps = (tuple(source.randint(1, 12) for _ in names) for _ in range(60))
        halves = any(_has(node, {"floor", "ceil"}) for node in nodes)
        for step in steps:
            yield dict(zip(names, map(Fraction, step), strict=True))
            if halves:
                yield {name: Fraction(n) + Fraction(source.randint(1, 99), 100)
                       for name, n in zip(names, step, strict=True)}
        return
    for _ in range(_POINTS):
        # Between 1 and 4 keeps roots and logarithms real and powers small.
        yield {name: (-1 if negative else 1) * Fraction(source.randint(1_001, 4_000), 1_000) for name in names}


def value(node: Node, at: Environment, log_base: int | None = None) -> Any:
    """The value in the current mpmath precision. Raises Undefined, TooLarge."""
    if node.op == "sym":
        if node.name == "e":
            return mpmath.e()
        return mpmath.mpc(0, 1) if node.name == "i" else at[node.name]
    if not symbols(node):
        exactly = rational(node)
        if exactly is not None:
            return mpmath.mpf(exactly.numerator) / exactly.denominator
    if node.op not in _OPERATIONS:
        raise Undefined(node.op)
    args = [value(arg, at, log_base) for arg in node.args]
    if node.op == "log" and len(args) == 1 and log_base is not None:
        args.append(mpmath.mpf(log_base))
    try:
        result = _OPERATIONS[node.op](*args)
    except (ZeroDivisionError, ValueError, TypeError, OverflowError) as error:
        raise Undefined(node.op) from error
    if not mpmath.isfinite(result):
        raise Undefined(node.op)
    return result


def _in_both_logs(compare: Callable[[int | None], bool | None], *nodes: Node) -> bool | None:
    """`log` may be natural or decimal: equal (or not) only where both readings agree."""
    natural = compare(None)
    if not any(_has(node, {"log"}) for node in nodes):
        return natural
    return natural if compare(10) == natural else None


def _equal_at(at: Environment, first: Node, second: Node, digits: int, log_base: int | None) -> bool | None:
    """None where either is undefined at this point."""
    with mpmath.workdps(digits + 20):
        precise = {name: mpmath.mpf(given.numerator) / given.denominator for name, given in at.items()}
        try:
            left, right = value(first, precise, log_base), value(second, precise, log_base)
        except Undefined:
            return None
        return bool(abs(left - right) <= _noise() * max(abs(left), abs(right)))


def _equal_everywhere(first: Node, second: Node, log_base: int | None) -> bool | None:
    agreed = 0
    of_integers = _needs_integers(first) or _needs_integers(second)
    part_between = False
    for at in points((first, second)):
        same = _equal_at(at, first, second, _POINT_DIGITS, log_base)
        if same is False:
            if not of_integers or all(x.denominator == 1 for x in at.values()):
                return False
            part_between = True
        agreed += same is True
    if part_between:  # the symbol of a floor may stand for an integer
        return None
    if agreed < _FEWEST_POINTS:
        return None
    for at in points((first, second), negative=True):
        # |x| and x agree until here. Where a value is not real, its branch is a convention, not a difference.
        if _equal_at(at, first, second, _POINT_DIGITS, log_base) is False and _both_real(at, first, second, log_base):
            return None
    return True


def _both_real(at: Environment, first: Node, second: Node, log_base: int | None) -> bool:
    with mpmath.workdps(_POINT_DIGITS):
        precise = {name: mpmath.mpf(given.numerator) / given.denominator for name, given in at.items()}
        return all(abs(mpmath.im(value(node, precise, log_base))) < mpmath.mpf(10) ** (-_POINT_DIGITS // 2)
                   for node in (first, second))


def _has(node: Node, ops: set[str]) -> bool:
    return node.op in ops or any(_has(arg, ops) for arg in node.args)


def _needs_integers(node: Node) -> bool:
    """Factorials, floors, and negative numbers to a symbolic power make sense at integers."""
    if node.op in _INTEGER_OPS and symbols(node):
        return True
    if node.op == "pow" and symbols(node.args[1]) and not symbols(node.args[0]):
        base = node.args[0]
        if base.op == "neg" or (base.op == "num" and base.value is not None and base.value < 0):
            return True
    return any(_needs_integers(arg) for arg in node.args)


def _noise() -> Any:
    """What rounding may leave, relative to the terms. Far more than it does: a tenth of the digits."""
    return mpmath.mpf(10) ** (-mpmath.mp.dps * 9 // 10)


def _settled(result: Any, scale: Any = 1) -> Any:
    """Rounding that is left of a true zero must not pass for a small value."""
    return mpmath.mpf(0) if abs(result) < _noise() * scale else result


def _whole(function: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """floor and ceil of a value within rounding of an integer are that integer."""
    def settled(x: Any) -> Any:
        nearest = mpmath.nint(mpmath.re(x))
        return nearest if abs(x - nearest) < _noise() * max(abs(x), 1) else function(x)
    return settled


def _power(base: Any, exponent: Any) -> Any:
    if base and exponent and abs(exponent) * max(abs(mpmath.mag(base)), 1) > _LARGEST_EXPONENT:
        raise TooLarge("power too large")
    return mpmath.power(base, exponent)


def _exp(x: Any) -> Any:
    return _power(mpmath.e(), x)


def _circular(function: Callable[[Any], Any]) -> Callable[[Any], Any]:
    def guarded(x: Any) -> Any:
        if x and mpmath.mag(x) > 200:
            raise TooLarge("angle too large")
        return _settled(function(x))
    return guarded


def _hyperbolic(function: Callable[[Any], Any]) -> Callable[[Any], Any]:
    def guarded(x: Any) -> Any:
        if abs(x) > _LARGEST_EXPONENT:
            raise TooLarge("argument too large")
        return function(x)
    return guarded


def _gamma(function: Callable[[Any], Any], largest: int = 3_000) -> Callable[[Any], Any]:
    def guarded(x: Any) -> Any:
        if abs(x) > largest:
            raise TooLarge("factorial too large")
        return function(x)
    return guarded


def _binomial(n: Any, k: Any) -> Any:
    if max(abs(n), abs(k)) > 3_000:
        raise TooLarge("binomial too large")
    return mpmath.binomial(n, k)


def _sum(*terms: Any) -> Any:
    return _settled(mpmath.fsum(terms), max(map(abs, terms)))


def _log(x: Any, base: Any = None) -> Any:
    return _settled(mpmath.log(x) if base is None else mpmath.log(x) / mpmath.log(base))


_OPERATIONS: dict[str, Callable[..., Any]] = {
    "neg": lambda x: -x,
    "add": _sum,
    "mul": lambda *factors: mpmath.fprod(factors),
    "div": lambda x, y: x / y,
    "pow": _power,
    "sqrt": mpmath.sqrt,
    "root": lambda n, x: mpmath.root(x, int(n)) if mpmath.isint(n) and 0 < n < 1_000 else _power(x, 1 / n),
    "pi": lambda: mpmath.pi(),
    "deg": lambda x: x * mpmath.pi() / 180,
    "percent": lambda x: x / 100,
    "abs": abs,
    "floor": _whole(mpmath.floor),
    "ceil": _whole(mpmath.ceil),
    "fact": _gamma(mpmath.factorial),
    "fact2": _gamma(mpmath.fac2),
    "binom": _binomial,
    "exp": _exp,
    "ln": _log,
    "lg": lambda x: _log(x, 10),
    "log": _log,
    "sin": _circular(mpmath.sin),
    "cos": _circular(mpmath.cos),
    "tan": _circular(mpmath.tan),
    "cot": _circular(mpmath.cot),
    "sec": _circular(mpmath.sec),
    "csc": _circular(mpmath.csc),
    "arcsin": mpmath.asin,
    "arccos": mpmath.acos,
    "arctan": mpmath.atan,
    "sinh": _hyperbolic(mpmath.sinh),
    "cosh": _hyperbolic(mpmath.cosh),
    "tanh": _hyperbolic(mpmath.tanh),
}
