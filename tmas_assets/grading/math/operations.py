"""What each operation of a tree does to numbers of many digits, refusing what would be too large to build.

For `numeric.py`, in the current precision of mpmath. Leaves out rational arithmetic (`exact.py`).
"""

import math
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

import mpmath

from tmas_assets.grading.math.exact import TooLarge, rational
from tmas_assets.grading.math.tree import Node, symbols

_LARGEST_EXPONENT = 300_000
"""Bits of a value's binary exponent above which it is not built."""


def noise() -> Any:
    """What rounding may leave, relative to the terms. Far more than it does: a tenth of the digits."""
    return mpmath.mpf(10) ** (-mpmath.mp.dps * 9 // 10)


def _settled(result: Any, scale: Any = 1) -> Any:
    """Rounding that is left of a true zero must not pass for a small value."""
    return mpmath.mpf(0) if abs(result) < noise() * scale else result


def whole(function: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """floor and ceil of a value within rounding of an integer are that integer."""
    def settled(x: Any) -> Any:
        nearest = mpmath.nint(mpmath.re(x))
        return nearest if abs(x - nearest) < noise() * max(abs(x), 1) else function(x)
    return settled


def _power(base: Any, exponent: Any) -> Any:
    if base and exponent and abs(exponent) * max(abs(mpmath.mag(base)), 1) > _LARGEST_EXPONENT:
        raise TooLarge("power too large")
    return mpmath.power(base, exponent)


def odd_root(exponent: Node, base: Any) -> Any:
    """(-8)^{2/3} is 4, as a root; None where the power is none of a negative number to an odd root."""
    if symbols(exponent) or mpmath.im(base) != 0 or mpmath.re(base) >= 0:
        return None
    exactly = rational(exponent)
    if exactly is None or exactly.denominator % 2 == 0 or exactly.denominator == 1 or exactly.denominator > 1_000:
        return None
    return _power(-mpmath.root(-base, exactly.denominator), exactly.numerator)


def _root(degree: int, x: Any) -> Any:
    """An odd root of a negative number is negative."""
    if degree % 2 and mpmath.im(x) == 0 and mpmath.re(x) < 0:
        return -mpmath.root(-x, degree)
    return mpmath.root(x, degree)


def _modulo(x: Any, modulus: Any) -> Any:
    return x - modulus * whole(mpmath.floor)(x / modulus)


def _of_integers(function: Callable[..., int]) -> Callable[..., Any]:
    def guarded(*args: Any) -> Any:
        if not all(mpmath.isint(arg) for arg in args):
            raise ValueError("no integer")
        return mpmath.mpf(function(*map(int, args)))
    return guarded


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
    if mpmath.isint(k) and k >= 0:
        return mpmath.fprod((n - step) / (step + 1) for step in range(int(k)))
    return mpmath.binomial(n, k)


def _zeta(s: Any) -> Any:
    if not mpmath.isint(s) or not 2 <= s <= 60:
        raise ValueError("a value of zeta that takes long")
    return mpmath.zeta(int(s))


def _sum(*terms: Any) -> Any:
    return _settled(mpmath.fsum(terms), max(map(abs, terms)))


def _log(x: Any, base: Any = None) -> Any:
    return _settled(mpmath.log(x) if base is None else mpmath.log(x) / mpmath.log(base))


OPERATIONS: Mapping[str, Callable[..., Any]] = MappingProxyType({
    "neg": lambda x: -x,
    "add": _sum,
    "mul": lambda *factors: mpmath.fprod(factors),
    "div": lambda x, y: x / y,
    "pow": _power,
    "sqrt": mpmath.sqrt,
    "root": lambda n, x: _root(int(n), x) if mpmath.isint(n) and 0 < n < 1_000 else _power(x, 1 / n),
    "pi": lambda: mpmath.pi(),
    "deg": lambda x: x * mpmath.pi() / 180,
    "percent": lambda x: x / 100,
    "abs": abs,
    "max": max,
    "min": min,
    "mod": _modulo,
    "gcd": _of_integers(math.gcd),
    "lcm": _of_integers(math.lcm),
    "floor": whole(mpmath.floor),
    "ceil": whole(mpmath.ceil),
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
    "zeta": _zeta,
    "sinh": _hyperbolic(mpmath.sinh),
    "cosh": _hyperbolic(mpmath.cosh),
    "tanh": _hyperbolic(mpmath.tanh),
})
