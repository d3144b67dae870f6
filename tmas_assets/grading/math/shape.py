r"""Takes an answer apart: `1, 2 and 3`, `\{(1,2),(2,1)\}`, `x \in [0, 2)`, `f(x) = 2x`, `14\text{ kg}`.

Nothing is compared or evaluated here. Texts that fit nothing are words, for a reader to judge.
"""

import re
from collections.abc import Iterator
from dataclasses import replace
from functools import lru_cache

from tmas_assets.grading.math import cases, words
from tmas_assets.grading.math.clauses import definition, quantified, without_gloss
from tmas_assets.grading.math.expression import Reading, Unparsed, parse
from tmas_assets.grading.math.latex import LONGEST, one_spelling
from tmas_assets.grading.math.structure import Shape
from tmas_assets.grading.math.tree import Node, replaced
from tmas_assets.grading.math.values import based, time_of_day, value_or_words

_DEEPEST = 6
_MOST_ITEMS = 200
_OPENING = {"{", "(", "[", r"\{", r"\langle", r"\lfloor", r"\lceil", r"\begin"}
_CLOSING = {"}", ")", "]", r"\}", r"\rangle", r"\rfloor", r"\rceil", r"\end"}
_RELATIONS = {"=", "<", ">", r"\le", r"\ge", r"\ne", r"\in", r"\equiv", ":=", r"\notin"}
_ARROWS = {r"\Rightarrow", r"\implies", r"\to", r"\rightarrow", r"\therefore", r"\iff", r"\Leftrightarrow"}
_JOINING = re.compile(r"\\text\{\s*,?\s*(and|or)\s*,?\s*\}|(?<![A-Za-z\\])(and|or)(?![A-Za-z])")
_TOKEN = re.compile(r":=|\\[A-Za-z]+|\\.|.", re.DOTALL)
_THOUSANDS = re.compile(r"(?<![\d.,])[1-9]\d{0,2}(?:,\d{3})+(?!\d|,\d)")
_CRORES = re.compile(r"[1-9]\d?(?:,\d{2})+,\d{3}")
_DECIMAL_COMMA = re.compile(r"([^,;(\[]*\d),(\d[^,;)\]]*)")
_LEAD = re.compile(
    r"^(?:\\text\{)?\s*(?:(?:the|our|my|final|correct|answer|value|result|solution|is|are|equals|so|thus|hence|therefore"
    r"|we|get|have|there|it|that)\b[\s:,]*)+\}?\s*(?=\S)", re.IGNORECASE)
_EITHER_SIGN = re.compile(r"\\([pm])[pm](?![A-Za-z])")
_REVERSED = tuple((re.compile(rf"(?<![\w}})\]])\{left}([^\[\]()]+[,;][^\[\]()]+)\{right}"), new)
                  for left, right, new in (("]", "[", r"(\1)"), ("[", "[", r"[\1)"), ("]", "]", r"(\1]")))
_NAME = re.compile(r"\\?[A-Za-z]+(?:_\w|_\{\w+\})?'?(?:\([A-Za-z]\))?")
_NAMED_SET = re.compile(r"\(?[A-Za-z](?:_\w)?(?:,\s*[A-Za-z](?:_\w)?)*\)?(?:\s*\\in\s*\\mathbb\{R\}(?:\^\{?\d\}?)?)?")
_MATRIX = re.compile(r"(.*?)\\begin\{matrix\}(.*)\\end\{matrix\}", re.DOTALL)
_POINT = re.compile(r"[ABD-Z]'?\s*(\([^()A-Za-z]*,[^()A-Za-z]*\))")
_RESIDUE = re.compile(r"(.*?)[\s,]*\\pmod\{([^{}]*)\}", re.DOTALL)
_RATIO_TO = re.compile(r"(\S+)\s*(?:\\text\{\s*to\s*\}|(?<![A-Za-z])to(?![A-Za-z]))\s*(\S+)")


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
    for pattern, new in _REVERSED:
        s = pattern.sub(new, s)
    if depth == 0:
        if words.leading_choice(s) is not None and words.has_words(s):
            return Shape("words", s)
        s, free = quantified(without_gloss(s))
        if free:
            return replace(_read(s, 0), free=free)
        if (defined := definition(s)) is not None:
            return _with_definition(s, *defined)
    if (residue := _residue(s, depth)) is not None:
        return residue
    pieces, joined_by_or = _pieces(s)
    if len(pieces) > _MOST_ITEMS:
        return Shape("words", s)
    if len(pieces) > 1:
        listed = _rows(s, depth) or Shape("list", s, _members(pieces, depth), operators=("or",) if joined_by_or else ())
        return replace(listed, other=_other_number(s, depth))
    shape = _single(pieces[0] if pieces else s, depth)
    if depth == 0 and shape.kind == "value" and _THOUSANDS.fullmatch(s):
        parts = tuple(_read(part, 1) for part in s.split(","))
        return replace(shape, other=Shape("list", s, parts))
    return shape


def _other_number(s: str, depth: int) -> Shape | None:
    """12,5 and 1,23,45,678 as the numbers they may be."""
    if _CRORES.fullmatch(s):
        return value_or_words(s.replace(",", ""))
    comma = _DECIMAL_COMMA.fullmatch(s)
    return _single(f"{comma.group(1)}.{comma.group(2)}", depth) if comma else None


def _with_definition(whole: str, rest: str, symbol: str, meaning: str) -> Shape:
    try:
        node = parse(meaning).node
    except Unparsed:
        return Shape("words", whole)

    def defined(shape: Shape) -> Shape:
        items = tuple(map(defined, shape.items))
        if shape.reading is None:
            return replace(shape, items=items)
        tree: Node = replaced(shape.reading.node, {symbol: node})
        return replace(shape, items=items, reading=Reading(tree, shape.reading.ambiguous))

    return replace(defined(_read(rest, 1)), text=whole)


def _single(s: str, depth: int) -> Shape:
    """A text without separators at its top level."""
    s = _split(s, _ARROWS)[0][-1].strip() or s
    parts = [part for part in map(str.strip, _split(s, {r"\approx", r"\simeq"})[0]) if part] or [s]
    s = parts[1] if len(parts) > 1 and _NAME.fullmatch(parts[0]) and not parts[0].startswith((r"\pi", "e")) else parts[0]
    if (point := _POINT.fullmatch(s)) is not None:
        s = point.group(1)
    sides, operators = _split(s, _RELATIONS)
    if operators:
        same = tuple("=" if operator == r"\equiv" else operator for operator in operators)
        return Shape("relation", s, tuple(_read(side, depth + 1) for side in sides), operators=same)
    sets = re.sub(r"(?<=\\mathbb\{R\})\s*-\s*(?=\\\{)", r"\\setminus ", re.sub(r"(?<=[\])])\s*U\s*(?=[\[(])", r"\\cup ", s))
    for kind, sign in (("union", r"\cup"), ("difference", r"\setminus")):
        united, _ = _split(sets, {sign})
        if len(united) > 1:
            return Shape(kind, s, tuple(_read(part, depth + 1) for part in united))  # type: ignore[arg-type]
    for reader in (_cases, _enclosed, _plus_minus, _matrix, _time_or_ratio):
        if (shape := reader(s, depth)) is not None:
            return shape
    return based(s) or value_or_words(s)


def _pieces(s: str) -> tuple[list[str], bool]:
    """(the top-level members of a list, whether an `or` joins them). A comma may belong to a number."""
    grouped = {at for found in _THOUSANDS.finditer(s) for at in range(found.start(), found.end()) if s[at] == ","}
    pieces = [""]
    skip = 0
    joined_by_or = False
    for at, token, level in _tokens(s):
        if at < skip:
            continue
        joining = _JOINING.match(s, at) if level == 0 else None
        if joining:
            skip = joining.end()
            joined_by_or |= "or" in joining.groups()
            pieces.append("")
        elif level == 0 and token in (",", ";", r"\\") and at not in grouped:
            pieces.append("")
        elif not (level == 0 and at in grouped):
            pieces[-1] += token
    return [piece.strip() for piece in pieces if piece.strip()], joined_by_or


def _rows(s: str, depth: int) -> Shape | None:
    """p=5, q=2; p=7, q=2 as two tuples."""
    rows = _split(s, {";"})[0] if ";" in s and "," in s else []
    parts = [_pieces(row)[0] for row in rows if row.strip()]
    if len(parts) < 2 or len(parts[0]) < 2 or len({len(part) for part in parts}) > 1:
        return None
    return Shape("list", s, tuple(Shape("group", f"({','.join(part)})", tuple(_read(one, depth + 2) for one in part), "()")
                                  for part in parts))


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
    if opening not in ("(", "[", "{", r"\{", r"\langle") or closing not in (")", "]", "}", r"\}", r"\rangle"):
        return None
    if any(level == 0 or (token in _CLOSING and level == 1) for _, token, level in tokens[:-1]):
        return None
    inside = s[len(opening) : -len(closing)].strip()
    members = _split(inside, {",", ";"})[0] if inside else []
    if opening == r"\{" or (opening == "{" and (len(members) != 1 or ":" in inside)):
        return _set(s, inside, members, depth)
    if len(members) == 1:
        return replace(_read(inside, depth + 1), text=inside)
    if not members:
        return Shape("words", s)
    marks = "()" if opening == r"\langle" else opening + closing
    items = tuple(_read(member, depth + 1) for member in members)
    if marks == "[]" and all(item.kind == "group" and item.marks == "[]" for item in items):
        return _of_rows(s, [item.items for item in items])
    return Shape("group", s, items, marks)


def _set(s: str, inside: str, members: list[str], depth: int) -> Shape:
    conditions = _split(inside, {"|", r"\mid", ":"})[0]
    if len(conditions) == 2:
        head, condition = (part.strip() for part in conditions)
        if _NAMED_SET.fullmatch(head):
            return _read(condition, depth + 1)
        return Shape("builder", s, (_read(head, depth + 1), _read(condition, depth + 1)))
    return Shape("list", s, _members(members, depth), "{}")


def _members(texts: list[str], depth: int) -> tuple[Shape, ...]:
    r"""Members of a list; `1 \pm \sqrt{5}` is two of them, and so is `x = 1 \pm \sqrt{5}`."""
    members: list[Shape] = []
    for one in (_read(text, depth + 1) for text in texts):
        last = one.items[-1] if one.kind == "relation" else one
        if last.kind != "list" or last.marks:
            members.append(one)
        elif last is one:
            members.extend(one.items)
        else:
            members.extend(replace(one, text=f"{one.text} {value.text}", items=(*one.items[:-1], value)) for value in last.items)
    return tuple(members)


def _plus_minus(s: str, depth: int) -> Shape | None:
    if not _EITHER_SIGN.search(s):
        return None
    upper, lower = ({"p": "+", "m": "-"}, {"p": "-", "m": "+"})
    both = (_EITHER_SIGN.sub(lambda sign: upper[sign.group(1)], s), _EITHER_SIGN.sub(lambda sign: lower[sign.group(1)], s))
    return Shape("list", s, tuple(_read(one, depth + 1) for one in both))


def _cases(s: str, depth: int) -> Shape | None:
    lines = cases.lines(s) if r"cases" in s else None
    if not lines:
        return None
    if lines[0][1] is None:
        return _read(" , ".join(text for text, _ in lines), depth + 1)
    items = [(_read(text, depth + 1), _read(condition, depth + 1) if condition else Shape("empty", "otherwise"))
             for text, condition in lines if condition is not None]
    return Shape("piecewise", s, tuple(item for pair in items for item in pair))


def _matrix(s: str, depth: int) -> Shape | None:
    found = _MATRIX.fullmatch(s)
    if found is None or r"\begin" in found.group(2):
        return None
    rows = [row.split("&") for row in re.split(r"\\\\(?:\[[^\]]*\])?", found.group(2)) if row.strip()]
    cells = [[_read(cell, depth + 1) for cell in row] for row in rows]
    if found.group(1).strip():
        factor = _read(re.sub(r"\\cdot\s*$", "", found.group(1)), depth + 1)
        if factor.node is None:
            return None
        cells = [[_times(factor, cell) for cell in row] for row in cells]
    return _of_rows(s, [tuple(row) for row in cells])


def _times(factor: Shape, cell: Shape) -> Shape:
    if factor.node is None or cell.node is None:
        return cell
    tree = Node("mul", (factor.node, cell.node))
    return replace(cell, text=f"{factor.text}({cell.text})", reading=Reading(tree, False))


def _of_rows(s: str, rows: list[tuple[Shape, ...]]) -> Shape | None:
    if len({len(row) for row in rows}) != 1:
        return None
    if len(rows) == len(rows[0]) == 1:
        return rows[0][0]
    return Shape("matrix", s, tuple(cell for row in rows for cell in row), f"{len(rows)}x{len(rows[0])}")


def _time_or_ratio(s: str, depth: int) -> Shape | None:
    if (time := time_of_day(s)) is not None:
        return time
    to = _RATIO_TO.fullmatch(s)
    terms = list(to.groups()) if to else _split(s, {":"})[0]
    if len(terms) < 2 or not all(term.strip() for term in terms) or (not to and words.has_words(s)):
        return None
    return Shape("ratio", s, tuple(_read(term, depth + 1) for term in terms))


def _residue(s: str, depth: int) -> Shape | None:
    found = _RESIDUE.fullmatch(s) if s.count(r"\pmod") == 1 else None
    if found is None or not found.group(1).strip():
        return None
    said, modulus = _read(found.group(1), depth + 1), _read(found.group(2), depth + 1)
    members = [one.items[-1] if one.kind == "relation" else one for one in (said.items if said.kind == "list" else (said,))]
    value = members[0] if len(members) == 1 else Shape("list", said.text, tuple(members))
    return Shape("residue", s, (value, modulus))
