"""Evaluates a tree exactly where it is a rational number, without ever building a number too large to hold.

Leaves out irrational values and symbols (`numeric.py`).
"""

import math
from collections.abc import Callable
from fractions import Fraction

from tmas_assets.grading.math.tree import Node, number, replaced, symbols

_MOST_BITS = 25_000
"""Of a numerator or denominator: some 7,500 decimal digits."""
_LARGEST_FACTORIAL = 2_500
_GIANT_FACTORIALS = {"fact": 2_550, "fact2": 4_800}
"""Of such a number and above it, surely more than _MOST_BITS."""


class TooLarge(ValueError):
    """A part of the expression is a number too large to hold, such as a tower of powers."""


def rational(node: Node) -> Fraction | None:
    """The value, or None where it is not rational as written. Raises TooLarge; division by zero gives None."""
    try:
        return _value(node)
    except ZeroDivisionError:
        return None


def linear(node: Node) -> tuple[Fraction, Fraction] | None:
    """(7, 2) for 7k + 2: the step and start of a tree that is linear in its only symbol, else None."""
    names = symbols(node)
    if len(names) != 1:
        return None
    (name,) = names
    values = []
    for at in (0, 1, 2, 5):
        try:
            values.append(rational(replaced(node, {name: number(at)})))
        except TooLarge:
            return None
    known = [value for value in values if value is not None]
    if len(known) < len(values):
        return None
    step = known[1] - known[0]
    straight = step != 0 and known[2] == known[0] + 2 * step and known[3] == known[0] + 5 * step
    return (step, known[0]) if straight else None


def is_huge(node: Node) -> bool:
    """Whether the tree is surely a real number beyond the largest we hold: a power, factorial or multiple of one."""
    if node.op == "neg":
        return is_huge(node.args[0])
    if node.op in _GIANT_FACTORIALS:
        return _is_giant(node.args[0]) or _at_least(node.args[0], _GIANT_FACTORIALS[node.op])
    if node.op == "mul":
        huge = [is_huge(arg) for arg in node.args]
        return any(huge) and all(big or _at_least(arg, 1) for big, arg in zip(huge, node.args, strict=True))
    if node.op == "add":
        small = [arg for arg in node.args if not is_huge(arg)]
        return len(small) == len(node.args) - 1 and all(map(_is_small, small))
    if node.op != "pow":
        return False
    base, exponent = node.args
    if _is_giant(base):
        return _is_giant(exponent) or _at_least(exponent, 1)
    return _at_least(base, 2) and (_is_giant(exponent) or _at_least(exponent, _MOST_BITS))


def _is_small(node: Node) -> bool:
    """Whether it cannot cancel what is huge."""
    try:
        value = rational(node)
    except TooLarge:
        return False
    return value is not None and abs(value) < 2 ** (_MOST_BITS // 2)


def _is_giant(node: Node) -> bool:
    return node.op in ("pow", "fact", "fact2") and is_huge(node)


def _at_least(node: Node, bound: int) -> bool:
    try:
        value = rational(node)
    except TooLarge:
        return False
    return value is not None and value >= bound


def _value(node: Node) -> Fraction | None:
    if node.op == "num":
        return node.value
    if node.op not in _RULES:
        return None
    args = []
    for arg in node.args:
        value = _value(arg)
        if value is None:
            return None
        args.append(value)
    return _bounded(_RULES[node.op](args))


def _bounded(value: Fraction | None) -> Fraction | None:
    if value is not None and max(value.numerator.bit_length(), value.denominator.bit_length()) > _MOST_BITS:
        raise TooLarge("number too large")
    return value


def _power(args: list[Fraction]) -> Fraction | None:
    base, exponent = args
    if exponent.denominator != 1:
        return _perfect(base, exponent)
    bits = max(abs(base.numerator), base.denominator).bit_length()
    if bits > 1 and abs(exponent.numerator) * (bits - 1) > _MOST_BITS:
        raise TooLarge("power too large")
    if base == 0 and exponent < 0:
        return None
    return base ** exponent.numerator


def _perfect(base: Fraction, exponent: Fraction) -> Fraction | None:
    """base^(p/q) where base is a perfect q-th power, else None."""
    if base < 0 or exponent.denominator > 64:
        return None
    top = _integer_root(base.numerator, exponent.denominator)
    bottom = _integer_root(base.denominator, exponent.denominator)
    if top is None or bottom is None:
        return None
    return _power([Fraction(top, bottom), Fraction(exponent.numerator)])


def _root(args: list[Fraction]) -> Fraction | None:
    degree, radicand = args
    if radicand < 0 and degree % 2:
        root = _power([-radicand, 1 / degree])
        return -root if root is not None else None
    return _power([radicand, 1 / degree])


def _integer_root(value: int, degree: int) -> int | None:
    if degree == 2:
        root = math.isqrt(value)
        return root if root * root == value else None
    low, high = 0, 1 << (value.bit_length() // degree + 1)
    while low < high:
        middle = (low + high + 1) // 2
        if middle**degree <= value:
            low = middle
        else:
            high = middle - 1
    return low if low**degree == value else None


def _factorial(args: list[Fraction]) -> Fraction | None:
    if args[0].denominator != 1 or args[0] < 0:
        return None
    if args[0] > _LARGEST_FACTORIAL:
        raise TooLarge("factorial too large")
    return Fraction(math.factorial(args[0].numerator))


def _double_factorial(args: list[Fraction]) -> Fraction | None:
    if args[0].denominator != 1 or args[0] < -1:
        return None
    if args[0] > _LARGEST_FACTORIAL:
        raise TooLarge("factorial too large")
    return Fraction(math.prod(range(args[0].numerator, 0, -2)))


def _binomial(args: list[Fraction]) -> Fraction | None:
    n, k = args
    if n.denominator != 1 or k.denominator != 1 or n < 0 or k < 0:
        return None
    if n > _MOST_BITS:
        raise TooLarge("binomial too large")
    return Fraction(math.comb(n.numerator, k.numerator))


def _of_integers(function: Callable[..., int], args: list[Fraction]) -> Fraction | None:
    return Fraction(function(*map(int, args))) if all(arg.denominator == 1 for arg in args) else None


def _times(args: list[Fraction]) -> Fraction | None:
    product = Fraction(1)
    for arg in args:
        product = product * arg
        _bounded(product)
    return product


def _divide(args: list[Fraction]) -> Fraction | None:
    return args[0] / args[1]


_RULES: dict[str, Callable[[list[Fraction]], Fraction | None]] = {
    "neg": lambda a: -a[0],
    "add": lambda a: sum(a, Fraction(0)),
    "mul": _times,
    "div": _divide,
    "pow": _power,
    "sqrt": lambda a: _perfect(a[0], Fraction(1, 2)),
    "root": lambda a: _root(a) if a[0].denominator == 1 and a[0] > 0 else None,
    "fact": _factorial,
    "fact2": _double_factorial,
    "binom": _binomial,
    "percent": lambda a: a[0] / 100,
    "abs": lambda a: abs(a[0]),
    "max": max,
    "min": min,
    "mod": lambda a: a[0] % a[1],
    "gcd": lambda a: _of_integers(math.gcd, a),
    "lcm": lambda a: _of_integers(math.lcm, a),
    "floor": lambda a: Fraction(math.floor(a[0])),
    "ceil": lambda a: Fraction(math.ceil(a[0])),
}
