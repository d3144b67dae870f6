r"""Reads a text without structure: an expression with or without a unit, a number in a base, a time, words."""

import re
from fractions import Fraction

from tmas_assets.grading.math import units, words
from tmas_assets.grading.math.expression import Reading, Unparsed, parse
from tmas_assets.grading.math.structure import Shape
from tmas_assets.grading.math.tree import Node, number

_BASED = re.compile(
    r"\(?\s*([0-9A-F]+)\s*\)?\s*(?:_\s*\{?\s*\(?(?:\\text\{\s*)?(?:base\s*)?([A-Za-z]+|\d+)\s*\}?\s*\)?\s*\}?"
    r"|\s*(?:\\text\{)?\s*\(?(?:in )?base[ -]?\s*\}?\s*(\w+)\)?\s*\}?)")
_TIME = re.compile(r"(\d{1,2}):(\d{2})(?::(\d{2}))?\s*(?:\\text\{)?\s*(?:([AaPp])\.?\s*[Mm]\.?)?\s*\}?")
_ORDINAL = re.compile(r"(?<=\d)\s*(?:\^\s*\{?\s*)?(?:\\text\{\s*)?(?:st|nd|rd|th)(?:\s*\}){0,2}(?![A-Za-z])")
_UNIT_MARKED = re.compile(r"^(.*\S)\s*\\(?:text|unit|si)\{([^{}]*(?:\^\{[^{}]*\}[^{}]*)*)\}(\s*\^\s*(?:\{\s*-?\d\s*\}|\d))?$", re.DOTALL)
_UNIT_PLAIN = re.compile(
    r"^(.*[\d)}°%])\s*([A-Za-z]{2,}\.?(?:[ /]+[A-Za-z]+\.?){0,3}|[A-Za-z](?:\s*/\s*[A-Za-z]+)+)(\s*\^\s*(?:\{\s*-?\d\s*\}|\d))?$", re.DOTALL)
_UNIT_ELSEWHERE = re.compile(r"^(.*\d)\s*([^\W\d_A-Za-z]{1,8}\.?)()$", re.DOTALL)
_UNIT_LETTER = re.compile(r"([+-]?\d[\d.,]*)(\s*)([A-Za-z])(\s*\^\s*(?:\{\s*[23]\s*\}|[23]))?")
_PLAIN_LETTERS = frozenset("mgsLhNJWV")
_SIGNED = re.compile(r"(-?\d+\s*(?:\d+/\d+|\\frac\s*\{?\d+\}?\s*\{?\d+\}?))\s*([%°])")


def based(s: str) -> Shape | None:
    """A number in another base. One with a digit the base has not is one too, equal to none."""
    found = _BASED.fullmatch(s)
    if found is None or not (found.group(1)[0].isdigit() or len(found.group(1)) > 1):
        return None
    digits, named = found.group(1), found.group(2) or found.group(3)
    base = int(named) if named.isdigit() and len(named) < 3 else words.number_word(named)
    if base is None or not 2 <= base <= 99:
        return None
    if any(int(digit, 36) >= base for digit in digits) and not (digits.isdigit() and "_" in s and len(digits) > 2):
        return None
    return Shape("based", s, marks=digits.lstrip("0") or "0", base=base)


def time_of_day(s: str) -> Shape | None:
    """12:00, 9:05 or 3:20 pm. Without a leading zero or a half of the day it is a ratio first."""
    found = _TIME.fullmatch(s)
    if found is None or not (found.group(2).startswith("0") or found.group(4)):
        return None
    hours, minutes, seconds, half = found.groups()
    return Shape("time", s, marks=f"{int(hours)}:{minutes}" + (f":{seconds}" if seconds else ""), unit=(half or "").lower())


def value_or_words(s: str) -> Shape:
    s = _ORDINAL.sub("", s)
    whole = words.number_word(s)
    stated = words.fraction_words(s) if whole is None else whole
    if stated is not None:
        return Shape("value", s, reading=Reading(number(stated), False))
    math, unit, scale = _without_unit(s)
    if words.has_words(math):
        return Shape("words", s)
    try:
        reading = _reading(math)
    except Unparsed:
        return Shape("value", s, unit=unit)
    if scale > 1:
        reading = Reading(Node("mul", (reading.node, number(scale))), reading.ambiguous)
    return Shape("value", s, reading=reading, unit=unit, other=_with_letters(s, reading))


def _with_letters(s: str, reading: Reading) -> Shape | None:
    r"""80\text{ m} as the product it might be, 80 m as the measure."""
    if r"\unit{" in s:
        letters = units.letters(s[s.rindex("{") + 1 : -1])
        factors = tuple(Node("sym", name=letter) for letter in letters or ())
        return Shape("value", s, reading=Reading(Node("mul", (reading.node, *factors)), False)) if factors else None
    found = _UNIT_LETTER.fullmatch(s)
    if found is None or found.group(3) not in _PLAIN_LETTERS or not found.group(2):
        return None
    measure = Node("num", value=Fraction(found.group(1))) if "," not in found.group(1) else None
    unit = units.named(found.group(3) + (found.group(4) or ""))
    return Shape("value", s, reading=Reading(measure, False), unit=unit) if measure and unit else None


def _reading(math: str) -> Reading:
    """A sign after a mixed number is one of the whole: 12 1/2 %."""
    signed = _SIGNED.fullmatch(math)
    if signed is None:
        return parse(math)
    reading = parse(signed.group(1))
    return Reading(Node({"%": "percent", "°": "deg"}[signed.group(2)], (reading.node,)), reading.ambiguous)


def _without_unit(s: str) -> tuple[str, str, int]:
    """(what stands before the unit, the unit, a scale such as 10^6 for `million`)."""
    for pattern in (_UNIT_MARKED, _UNIT_PLAIN, _UNIT_ELSEWHERE):
        found = pattern.match(s)
        if found is None or words.has_words(found.group(1)):
            continue
        head, said, power = found.groups()
        first, _, rest = words.canonical(said).partition(" ")
        if first in words.SCALES:
            return head, units.named(rest) or "", words.SCALES[first]
        unit = units.named(said + (power or ""))
        if unit is not None and (pattern is not _UNIT_PLAIN or words.is_word(said.split(" ")[0]) or units.is_known(unit)):
            return head, unit, 1
    return s, "", 1
