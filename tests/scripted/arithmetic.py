"""The arithmetic that a problem states: found in its text, worked out exactly, spelled as a gold.

Numbers, `+ - * / ^ mod`, brackets, `gcd(a, b)`, `lcm(a, b)`, `binom(n, k)`. Leaves out words: of several calculations in a
text the last one is what is asked for.
"""

import math
import re
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

_TOKEN = r"(?:\d+(?:\.\d+)?|gcd|lcm|binom|mod|[-+*/^(),×])"
_RUN = re.compile(rf"(?<![\w.\\]){_TOKEN}(?:\s?{_TOKEN})*")
_TOKENS = re.compile(_TOKEN)
_FUNCTIONS: dict[str, Callable[[int, int], int]] = {"gcd": math.gcd, "lcm": math.lcm, "binom": math.comb}
_LARGEST_POWER = 60
_PLACES = 4
"""Decimal places up to which a terminating fraction is spelled as a decimal number."""


class NoValue(ValueError):
    """Not a calculation, or one that has no value."""


@dataclass(frozen=True)
class Calculation:
    text: str
    value: Fraction
    steps: tuple[str, ...]
    """Each operation with its result, in the order of working: `12 * 35 = 420`."""


def last_calculation(text: str) -> Calculation | None:
    """The last run of numbers and operators in `text` that has an operation and a value."""
    for run in reversed(_RUN.findall(text)):
        tokens = _TOKENS.findall(run)
        for start in range(len(tokens)):
            reading = _Reading(tokens[start:])
            try:
                value = reading.sum()
            except (NoValue, ZeroDivisionError):
                continue
            if reading.steps:
                return Calculation(spaced(tokens[start : start + reading.at]), value, tuple(reading.steps))
    return None


def value_of(text: str) -> Fraction:
    """Value of a text that is nothing but a calculation. Raises NoValue."""
    tokens = _TOKENS.findall(text)
    reading = _Reading(tokens)
    value = reading.sum()
    if reading.at < len(tokens) or not value.denominator:
        raise NoValue(f"{text!r}: not understood from token {reading.at} on")
    return value


def spelled(value: Fraction) -> str:
    """A whole number, a decimal number of at most four places, or `\\frac{a}{b}`."""
    if value.denominator == 1:
        return str(value.numerator)
    scaled = value * 10**_PLACES
    if scaled.denominator == 1:
        sign, digits = "-" * (value < 0), str(abs(scaled.numerator)).rjust(_PLACES + 1, "0")
        return f"{sign}{digits[:-_PLACES]}.{digits[-_PLACES:]}".rstrip("0")
    return f"{'-' * (value < 0)}\\frac{{{abs(value.numerator)}}}{{{value.denominator}}}"


def spaced(tokens: list[str]) -> str:
    text = " ".join(tokens)
    for loose, tight in (("( ", "("), (" )", ")"), (" ,", ","), (" ^ ", "^"), *((f"{name} (", f"{name}(") for name in _FUNCTIONS)):
        text = text.replace(loose, tight)
    return text


class _Reading:
    """One reading of tokens from the left; `at` is how many were used, `steps` what was worked out."""

    def __init__(self, tokens: list[str]) -> None:
        self.tokens, self.at = tokens, 0
        self.steps: list[str] = []

    def _next(self, *wanted: str) -> str | None:
        if self.at < len(self.tokens) and (not wanted or self.tokens[self.at] in wanted):
            self.at += 1
            return self.tokens[self.at - 1]
        return None

    def _tail(self, value: Fraction, operators: tuple[str, ...], operand: Callable[[], Fraction]) -> Fraction:
        while (operator := self._next(*operators)) is not None:
            before = self.at - 1
            try:
                right = operand()
            except NoValue:  # an operator that belongs to the words around it: a dash, say
                self.at = before
                break
            left, value = value, _apply(operator, value, right)
            self.steps.append(f"{spelled(left)} {operator} {spelled(right)} = {spelled(value)}")
        return value

    def sum(self) -> Fraction:
        return self._tail(self.product(), ("+", "-"), self.product)

    def product(self) -> Fraction:
        return self._tail(self.power(), ("*", "×", "/", "mod"), self.power)

    def power(self) -> Fraction:
        if self._next("-"):
            return -self.power()
        return self._tail(self.atom(), ("^",), self.atom)

    def atom(self) -> Fraction:
        token = self._next()
        if token is None:
            raise NoValue("ends where a number is due")
        if token == "(":
            value = self.sum()
            if not self._next(")"):
                raise NoValue("a bracket is not closed")
            return value
        if token in _FUNCTIONS:
            return self._function(token)
        if not token[0].isdigit():
            raise NoValue(f"{token!r} where a number is due")
        return Fraction(token)

    def _function(self, name: str) -> Fraction:
        found = [self._next("("), self.sum(), self._next(","), self.sum(), self._next(")")]
        left, right = found[1], found[3]
        if None in found or not isinstance(left, Fraction) or not isinstance(right, Fraction):
            raise NoValue(f"{name} needs two numbers in brackets")
        if left.denominator * right.denominator != 1 or min(left, right) < 0:
            raise NoValue(f"{name} needs whole numbers")
        value = Fraction(_FUNCTIONS[name](int(left), int(right)))
        self.steps.append(f"{name}({left}, {right}) = {value}")
        return value


def _apply(operator: str, left: Fraction, right: Fraction) -> Fraction:
    match operator:
        case "+":
            return left + right
        case "-":
            return left - right
        case "*" | "×":
            return left * right
        case "/":
            return left / right
        case "mod":
            return left % right
    if right.denominator != 1 or not 0 <= right <= _LARGEST_POWER:
        raise NoValue(f"a power of {right}")
    return left ** int(right)
