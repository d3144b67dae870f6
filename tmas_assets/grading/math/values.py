r"""Reads a text without structure: an expression with or without a unit, a number in a base, a time, words."""

import re

from tmas_assets.grading.math import words
from tmas_assets.grading.math.expression import Reading, Unparsed, parse
from tmas_assets.grading.math.structure import Shape
from tmas_assets.grading.math.tree import Node, number

_BASED = re.compile(
    r"\(?\s*([0-9A-F]+)\s*\)?\s*(?:_\s*\{?\s*\(?(?:\\text\{\s*)?(?:base\s*)?([A-Za-z]+|\d+)\s*\}?\s*\)?\s*\}?"
    r"|\s*(?:\\text\{)?\s*\(?(?:in )?base[ -]?\s*\}?\s*(\w+)\)?\s*\}?)")
_TIME = re.compile(r"(\d{1,2}):(\d{2})(?::(\d{2}))?\s*(?:\\text\{)?\s*(?:([AaPp])\.?\s*[Mm]\.?)?\s*\}?")
_ORDINAL = re.compile(r"(?<=\d)\s*(?:\^\s*\{?\s*)?(?:\\text\{\s*)?(?:st|nd|rd|th)(?:\s*\}){0,2}(?![A-Za-z])")
_UNIT_TEXT = re.compile(r"^(.*\S)\s*\\text\{([^{}]*)\}\s*(\^\s*\{?\s*[23]\s*\}?)?$", re.DOTALL)
_UNIT_PLAIN = re.compile(
    r"^(.*[\d)}°%])\s*([A-Za-z]{2,}\.?(?:[ /]+[A-Za-z]+\.?){0,3}|[A-Za-z]/[A-Za-z]+)\s*(\^\s*\{?\s*[23]\s*\}?)?$", re.DOTALL)
_UNIT_ELSEWHERE = re.compile(r"^(.*\d)\s*([^\W\d_A-Za-z]{1,8}\.?)()$", re.DOTALL)
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
    stated = words.number_word(s)
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
    return Shape("value", s, reading=reading, unit=unit)


def _reading(math: str) -> Reading:
    """A sign after a mixed number is one of the whole: 12 1/2 %."""
    signed = _SIGNED.fullmatch(math)
    if signed is None:
        return parse(math)
    reading = parse(signed.group(1))
    return Reading(Node({"%": "percent", "°": "deg"}[signed.group(2)], (reading.node,)), reading.ambiguous)


def _without_unit(s: str) -> tuple[str, str, int]:
    """(what stands before the unit, the unit, a scale such as 10^6 for `million`)."""
    for pattern in (_UNIT_TEXT, _UNIT_PLAIN, _UNIT_ELSEWHERE):
        found = pattern.match(s)
        if found is None or words.has_words(found.group(1)):
            continue
        head, named, power = found.groups()
        first, _, rest = words.canonical(named).partition(" ")
        if first in words.SCALES:
            return head, words.unit(rest) or "", words.SCALES[first]
        unit = words.unit(named)
        if unit is not None and (pattern is not _UNIT_PLAIN or words.is_word(named.split(" ")[0]) or words.is_known_unit(unit)):
            return head, unit + re.sub(r"[\s{}]", "", power or ""), 1
    return s, "", 1
