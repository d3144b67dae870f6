r"""Reads the structure of an answer: value, list, tuple or interval, union, relation, matrix, ratio, words.

`1, 2 and 3`, `\{(1,2),(2,1)\}`, `x \in [0, 2)`, `f(x) = 2x`, `14\text{ kg}` become one kind of tree each. Nothing is
compared or evaluated here. Texts that fit nothing are words, for a reader to judge.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from typing import Literal

from tmas_assets.grading import words
from tmas_assets.grading.expression import Reading, Unparsed, parse
from tmas_assets.grading.latex import LONGEST, one_spelling
from tmas_assets.grading.tree import Node, number

Kind = Literal["empty", "value", "based", "words", "list", "group", "union", "relation", "matrix", "ratio"]
_DEEPEST = 6
_MOST_ITEMS = 200
_OPENING = {"{", "(", "[", r"\{", r"\langle", r"\lfloor", r"\lceil", r"\begin"}
_CLOSING = {"}", ")", "]", r"\}", r"\rangle", r"\rfloor", r"\rceil", r"\end"}
_RELATIONS = {"=", "<", ">", r"\le", r"\ge", r"\ne", r"\in", r"\equiv", ":=", r"\notin"}
_ARROWS = {r"\Rightarrow", r"\implies", r"\to", r"\rightarrow", r"\therefore", r"\iff", r"\Leftrightarrow"}
_JOINING = re.compile(r"\\text\{\s*,?\s*(?:and|or)\s*,?\s*\}|(?<![A-Za-z\\])(?:and|or)(?![A-Za-z])")
_TOKEN = re.compile(r":=|\\[A-Za-z]+|\\.|.", re.DOTALL)
_THOUSANDS = re.compile(r"(?<![\d.,])[1-9]\d{0,2}(?:,\d{3})+(?!\d|,\d)")
_LEAD = re.compile(
    r"^(?:\\text\{)?\s*(?:(?:the|our|my|final|correct|answer|value|result|solution|is|are|equals|so|thus|hence|therefore"
    r"|we|get|have|there|it|that)\b[\s:,]*)+\}?\s*(?=\S)", re.IGNORECASE)
_EITHER_SIGN = re.compile(r"\\([pm])[pm](?![A-Za-z])")
_BASED = re.compile(
    r"\(?\s*([0-9A-F]+)\s*\)?\s*(?:_\s*\{?\s*(?:\\text\{\s*)?(?:base\s*)?([A-Za-z]+|\d+)\s*\}?\s*\}?"
    r"|\s*(?:\\text\{)?\s*\(?(?:in )?base[ -](\w+)\)?\s*\}?)")
_UNIT_TEXT = re.compile(r"^(.*\S)\s*\\text\{([^{}]*)\}\s*(\^\s*\{?\s*[23]\s*\}?)?$", re.DOTALL)
_UNIT_PLAIN = re.compile(r"^(.*[\d)}°%])\s*([A-Za-z]{2,}\.?(?:[ /]+[A-Za-z]+\.?){0,3})\s*(\^\s*\{?\s*[23]\s*\}?)?$", re.DOTALL)


@dataclass(frozen=True)
class Shape:
    kind: Kind
    text: str
    """In one spelling."""
    items: tuple["Shape", ...] = ()
    """Members, cells row by row, terms of a ratio, or the sides of a relation."""
    marks: str = ""
    """Brackets of a group, as in `(]`; `{}` of a braced list; `2x3` for a matrix of 2 rows and 3 columns."""
    operators: tuple[str, ...] = ()
    """Between the sides of a relation."""
    reading: Reading | None = None
    """Of a value; None where it is no expression of our grammar."""
    unit: str = ""
    base: int = 0
    other: "Shape | None" = None
    """1,234 as the list it could also be."""

    @cached_property
    def key(self) -> str:
        """Equal keys, equal answers: the text without spaces and outer brackets of no meaning."""
        return re.sub(r"\s+", "", self.text)

    @property
    def node(self) -> Node | None:
        return self.reading.node if self.reading else None


@lru_cache(maxsize=1_024)  # the same golds come again and again
def read(text: str) -> Shape:
    """The structure of a raw answer."""
    if len(text) > LONGEST:
        return Shape("words", text)
    return _read(one_spelling(text), 0)


def _read(text: str, depth: int) -> Shape:
    s = text.strip(" ,;")
    if not s:
        return Shape("empty", "")
    if depth > _DEEPEST:
        return Shape("words", s)
    s = _LEAD.sub("", s)
    s = ("(" + s[1:] if s[0] == "]" else s)
    s = (s[:-1] + ")" if s[-1] == "[" else s)
    pieces = _pieces(s)
    if len(pieces) > _MOST_ITEMS:
        return Shape("words", s)
    if len(pieces) > 1:
        return Shape("list", s, _members(pieces, depth))
    shape = _single(pieces[0] if pieces else s, depth)
    if depth == 0 and shape.kind == "value" and _THOUSANDS.fullmatch(s):
        listed = tuple(_read(part, 1) for part in s.split(","))
        return replace(shape, other=Shape("list", s, listed))
    return shape


def _single(s: str, depth: int) -> Shape:
    """A text without separators at its top level."""
    s = _split(s, _ARROWS)[0][-1].strip() or s
    approximations, _ = _split(s, {r"\approx", r"\simeq"})
    s = next((part for part in map(str.strip, approximations) if part), s)
    sides, operators = _split(s, _RELATIONS)
    if operators:
        return Shape("relation", s, tuple(_read(side, depth + 1) for side in sides), operators=operators)
    united, _ = _split(re.sub(r"(?<=[\])])\s*U\s*(?=[\[(])", r"\\cup ", s), {r"\cup"})
    if len(united) > 1:
        return Shape("union", s, tuple(_read(part, depth + 1) for part in united))
    for reader in (_enclosed, _plus_minus, _matrix, _ratio, _based):
        if (shape := reader(s, depth)) is not None:
            return shape
    return _value_or_words(s)


def _pieces(s: str) -> list[str]:
    """The top-level members of a list. A comma between groups of three digits belongs to a number."""
    grouped = {at for found in _THOUSANDS.finditer(s) for at in range(found.start(), found.end()) if s[at] == ","}
    pieces = [""]
    skip = 0
    for at, token, level in _tokens(s):
        if at < skip:
            continue
        joining = _JOINING.match(s, at) if level == 0 else None
        if joining:
            skip = joining.end()
            pieces.append("")
        elif level == 0 and token in (",", ";") and at not in grouped:
            pieces.append("")
        elif not (level == 0 and at in grouped):
            pieces[-1] += token
    return [piece.strip() for piece in pieces if piece.strip()]


def _tokens(s: str) -> Iterator[tuple[int, str, int]]:
    """(position, token, depth of brackets around it); a bracket itself counts as inside."""
    level = 0
    for found in _TOKEN.finditer(s):
        token = found.group()
        level += token in _OPENING
        yield found.start(), token, level
        level -= token in _CLOSING


def _split(s: str, separators: set[str]) -> tuple[list[str], tuple[str, ...]]:
    if not any(separator in s for separator in separators):
        return [s], ()
    parts = [""]
    found = []
    for _, token, level in _tokens(s):
        if level == 0 and token in separators:
            parts.append("")
            found.append("=" if token == ":=" else token)
        else:
            parts[-1] += token
    return parts, tuple(found)


def _enclosed(s: str, depth: int) -> Shape | None:
    """A text within one pair of brackets: a set, a tuple or interval, or a single item."""
    tokens = list(_tokens(s))
    opening, closing = tokens[0][1], tokens[-1][1]
    if opening not in ("(", "[", r"\{", r"\langle") or closing not in (")", "]", r"\}", r"\rangle"):
        return None
    if any(level == 0 or (token in _CLOSING and level == 1) for _, token, level in tokens[:-1]):
        return None
    inside = s[len(opening) : -len(closing)].strip()
    if opening == r"\{":
        conditions = _split(inside, {"|", r"\mid", ":"})[0]
        if len(conditions) == 2:
            return _read(conditions[1], depth + 1)
        members = _split(inside, {",", ";"})[0] if inside else []
        return Shape("list", s, _members(members, depth), "{}")
    members = _split(inside, {",", ";"})[0]
    if len(members) == 1:
        return replace(_read(inside, depth + 1), text=inside) if inside else Shape("words", s)
    marks = "()" if opening == r"\langle" else opening + closing
    return Shape("group", s, tuple(_read(member, depth + 1) for member in members), marks)


def _members(texts: list[str], depth: int) -> tuple[Shape, ...]:
    r"""Members of a list; `1 \pm \sqrt{5}` is two of them."""
    members: list[Shape] = []
    for one in (_read(text, depth + 1) for text in texts):
        members.extend(one.items if one.kind == "list" and not one.marks else (one,))
    return tuple(members)


def _plus_minus(s: str, depth: int) -> Shape | None:
    if not _EITHER_SIGN.search(s):
        return None
    upper, lower = ({"p": "+", "m": "-"}, {"p": "-", "m": "+"})
    both = (_EITHER_SIGN.sub(lambda sign: upper[sign.group(1)], s), _EITHER_SIGN.sub(lambda sign: lower[sign.group(1)], s))
    return Shape("list", s, tuple(_read(one, depth + 1) for one in both))


def _matrix(s: str, depth: int) -> Shape | None:
    found = re.fullmatch(r"\\begin\{matrix\}(.*)\\end\{matrix\}", s, re.DOTALL)
    if found is None or r"\begin" in found.group(1):
        return None
    rows = [row.split("&") for row in re.split(r"\\\\(?:\[[^\]]*\])?", found.group(1)) if row.strip()]
    if len({len(row) for row in rows}) != 1:
        return None
    cells = tuple(_read(cell, depth + 1) for row in rows for cell in row)
    return Shape("matrix", s, cells, f"{len(rows)}x{len(rows[0])}")


def _ratio(s: str, depth: int) -> Shape | None:
    terms, _ = _split(s, {":"})
    if len(terms) < 2 or not all(term.strip() for term in terms) or words.has_words(s):
        return None
    return Shape("ratio", s, tuple(_read(term, depth + 1) for term in terms))


def _based(s: str, depth: int) -> Shape | None:
    found = _BASED.fullmatch(s)
    if found is None or not (found.group(1)[0].isdigit() or len(found.group(1)) > 1):
        return None
    digits, named = found.group(1), found.group(2) or found.group(3)
    base = int(named) if named.isdigit() and len(named) < 3 else words.number_word(named)
    if base is None or not 2 <= base <= 36 or any(int(digit, 36) >= base for digit in digits):
        return None
    return Shape("based", s, marks=digits.lstrip("0") or "0", base=base)


def _value_or_words(s: str) -> Shape:
    s = re.sub(r"(?<=\d)\s*(?:\\text\{\s*)?(?:st|nd|rd|th)(?:\s*\})?(?![A-Za-z])", "", s)
    stated = words.number_word(s)
    if stated is not None:
        return Shape("value", s, reading=Reading(number(stated), False))
    math, unit, scale = _without_unit(s)
    if words.has_words(math):
        return Shape("words", s)
    try:
        reading = parse(math)
    except Unparsed:
        return Shape("value", s, unit=unit)
    if scale > 1:
        reading = Reading(Node("mul", (reading.node, number(scale))), reading.ambiguous)
    return Shape("value", s, reading=reading, unit=unit)


def _without_unit(s: str) -> tuple[str, str, int]:
    """(what stands before the unit, the unit, a scale such as 10^6 for `million`)."""
    for pattern in (_UNIT_TEXT, _UNIT_PLAIN):
        found = pattern.match(s)
        if found is None or words.has_words(found.group(1)):
            continue
        head, named, power = found.groups()
        first, _, rest = words.canonical(named).partition(" ")
        if first in words.SCALES:
            return head, words.unit(rest) or "", words.SCALES[first]
        unit = words.unit(named)
        if unit is not None and (pattern is _UNIT_TEXT or words.is_word(named.split(" ")[0]) or words.is_known_unit(unit)):
            return head, unit + re.sub(r"[\s{}]", "", power or ""), 1
    return s, "", 1
