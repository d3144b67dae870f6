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

from tmas_assets.grading.math import endless
from tmas_assets.grading.math.budget import cpu_budget
from tmas_assets.grading.math.exact import TooLarge, rational
from tmas_assets.grading.math.operations import OPERATIONS, noise, odd_root
from tmas_assets.grading.math.tree import Node, has, symbols

_CONSTANT_DIGITS = 1_000
_FIRST_DIGITS = (60, 120)
"""Enough to refute where both give the same values; most wrong answers end here."""
_GAMMA_DIGITS = 200
"""Of factorials, which take seconds at more where they are none of an integer."""
_POINT_DIGITS = 100
_PLACE_DIGITS = 150
_POINTS = 10
_FEWEST_POINTS = 5
_MOST_TERMS = 500
"""Of a sum or product over an index, and of sums in it all together."""
_TERMS = "terms so far"
_INTEGER_OPS = {"fact", "fact2", "binom", "floor", "ceil", "sum", "prod", "mod", "gcd", "lcm"}
_ENDLESS_SECONDS = 0.5
_INTEGER_NAMES = {"n", "m", "k", "N", "j"}
Environment = Mapping[str, Any]


class Undefined(ValueError):
    """The expression has no finite value at this point."""


class DividedByZero(Undefined):
    """Nor does it have one anywhere near: it is no answer."""


def equal(first: Node, second: Node) -> bool | None:
    """Whether the trees are equal as functions of their symbols, None where that stays open."""
    try:
        if endless.has_one(first) or endless.has_one(second):
            return _equal_to_some_digits(first, second)
        if not symbols(first) | symbols(second):
            return _in_both_logs(lambda base: _equal_constants(first, second, base), first, second)
        return _in_both_logs(lambda base: _equal_everywhere(first, second, base), first, second)
    except TooLarge:
        return None


def _equal_to_some_digits(first: Node, second: Node) -> bool | None:
    """Of endless sums, which are only known so far: never different."""
    if symbols(first) | symbols(second):
        return None
    with mpmath.workdps(endless.DIGITS), cpu_budget(_ENDLESS_SECONDS):
        try:
            left, right = value(first, {}), value(second, {})
        except Undefined:
            return None
        return True if abs(left - right) <= endless.CLOSE * max(abs(left), abs(right)) else None
    return None


def placed(node: Node) -> Fraction | None:
    """Where a constant lies on the real line, to some 150 digits; None where it is not real or not known."""
    try:
        if (exactly := rational(node)) is not None:
            return exactly
        with mpmath.workdps(_PLACE_DIGITS + 20):
            found = value(node, {})
            if abs(mpmath.im(found)) > mpmath.mpf(10) ** -_PLACE_DIGITS:
                return None
            sign, mantissa, exponent, _ = mpmath.re(found)._mpf_
    except (TooLarge, Undefined):
        return None
    return Fraction(-int(mantissa) if sign else int(mantissa)) * Fraction(2) ** int(exponent)


def points(nodes: Sequence[Node], negative: bool = False) -> Iterator[dict[str, Fraction]]:
    """Values for all symbols of `nodes`: the same on every call. Integers where only those make sense."""
    names = sorted(frozenset().union(*(symbols(node) for node in nodes)))
    source = random.Random(f"points of {names}")
    if any(_needs_integers(node) for node in nodes):
        if len(names) == 1:
            steps: Iterator[tuple[int, ...]] = ((n,) for n in itertools.chain(range(1, 25), (32, 36, 49, 64, 81)))
        else:
            steps = (tuple(source.randint(1, 12) for _ in names) for _ in range(60))
        halves = any(has(node, {"floor", "ceil"}) for node in nodes)
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
        if node.name in at:
            return at[node.name]
        if node.name == "e":
            return mpmath.e()
        if node.name == "i":
            return mpmath.mpc(0, 1)
        raise Undefined(node.name)
    if not symbols(node):
        exactly = rational(node)
        if exactly is not None:
            return mpmath.mpf(exactly.numerator) / exactly.denominator
    if node.op in ("sum", "prod"):
        return _series(node, at, log_base)
    if node.op not in OPERATIONS and node.op != "call":
        raise Undefined(node.op)
    args = [value(arg, at, log_base) for arg in node.args]
    if node.op == "call":
        return _unknown_value(node.name, args)
    if node.op == "pow" and (root := odd_root(node.args[1], args[0])) is not None:
        return root
    if node.op == "log" and len(args) == 1 and log_base is not None:
        args.append(mpmath.mpf(log_base))
    try:
        result = OPERATIONS[node.op](*args)
    except ZeroDivisionError as error:
        raise DividedByZero(node.op) from error
    except (ValueError, TypeError, OverflowError) as error:
        raise Undefined(node.op) from error
    if not mpmath.isfinite(result):
        raise Undefined(node.op)
    return result


def _series(node: Node, at: Environment, log_base: int | None) -> Any:
    body, *ends = node.args
    if ends[1].op == "infty":
        start = value(ends[0], at, log_base)
        total = endless.total(lambda index: value(body, {**at, node.name: index}, log_base), start)
        if total is None:
            raise Undefined(node.op)
        return total
    first, last = (value(end, at, log_base) for end in ends)
    if not (mpmath.isint(first) and mpmath.isint(last)):
        raise Undefined(node.op)
    terms_so_far = at.get(_TERMS, 1) * max(int(last - first) + 1, 1)
    if terms_so_far > _MOST_TERMS:
        raise TooLarge("too many terms")
    terms = [value(body, {**at, node.name: mpmath.mpf(index), _TERMS: terms_so_far}, log_base)
             for index in range(int(first), int(last) + 1)]
    return mpmath.fsum(terms) if node.op == "sum" else mpmath.fprod(terms)


def _unknown_value(name: str, args: Sequence[Any]) -> Any:
    """Of a function nobody has defined: some number that only its name and arguments decide."""
    shown = ", ".join(mpmath.nstr(arg, 40) for arg in args)
    return mpmath.mpf(random.Random(f"{name}({shown})").randint(10**30, 10**31)) / 10**30


def _in_both_logs(compare: Callable[[int | None], bool | None], *nodes: Node) -> bool | None:
    """`log` may be natural or decimal: equal (or not) only where both readings agree."""
    natural = compare(None)
    if not any(has(node, {"log"}) for node in nodes):
        return natural
    return natural if compare(10) == natural else None


def _equal_constants(first: Node, second: Node, log_base: int | None) -> bool | None:
    differences = []
    for digits in _FIRST_DIGITS:
        with mpmath.workdps(digits):
            try:
                left = value(first, {}, log_base)
            except Undefined:
                return None
            try:
                right = value(second, {}, log_base)
            except Undefined as error:
                return False if isinstance(error, DividedByZero) else None
            scale = max(abs(left), abs(right))
            differences.append((left - right) / scale if scale else left)
    with mpmath.workdps(_FIRST_DIGITS[0]):
        sure = abs(differences[0]) > 1e-15 and abs(differences[0] - differences[1]) < 1e-20
    if sure:
        return False
    inexact = has(first, {"fact", "fact2", "binom"}) or has(second, {"fact", "fact2", "binom"})
    return _equal_at({}, first, second, _GAMMA_DIGITS if inexact else _CONSTANT_DIGITS, log_base)


def _equal_at(at: Environment, first: Node, second: Node, digits: int, log_base: int | None) -> bool | None:
    """None where either is undefined at this point."""
    with mpmath.workdps(digits + 20):
        precise = {name: mpmath.mpf(given.numerator) / given.denominator for name, given in at.items()}
        try:
            left, right = value(first, precise, log_base), value(second, precise, log_base)
        except Undefined:
            return None
        return bool(abs(left - right) <= noise() * max(abs(left), abs(right)))


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
    if part_between and not symbols(first) | symbols(second) <= _INTEGER_NAMES:
        return None  # the symbol of a floor may stand for an integer
    if agreed < _FEWEST_POINTS:
        return None
    for at in points((first, second), negative=True) if not of_integers else ():
        # |x| and x agree until here. Where a value is not real, its branch is a convention, not a difference.
        if _equal_at(at, first, second, _POINT_DIGITS, log_base) is False and _both_real(at, first, second, log_base):
            return False if has(first, {"abs"}) != has(second, {"abs"}) else None
    return True


def _both_real(at: Environment, first: Node, second: Node, log_base: int | None) -> bool:
    with mpmath.workdps(_POINT_DIGITS):
        precise = {name: mpmath.mpf(given.numerator) / given.denominator for name, given in at.items()}
        return all(abs(mpmath.im(value(node, precise, log_base))) < mpmath.mpf(10) ** (-_POINT_DIGITS // 2)
                   for node in (first, second))


def _needs_integers(node: Node) -> bool:
    """Factorials, floors, and negative numbers to a symbolic power make sense at integers."""
    if node.op in _INTEGER_OPS and symbols(node):
        return True
    if node.op == "pow" and symbols(node.args[1]) and not symbols(node.args[0]):
        base = node.args[0]
        if base.op == "neg" or (base.op == "num" and base.value is not None and base.value < 0):
            return True
    return any(_needs_integers(arg) for arg in node.args)
