r"""Numbers and formulas in running text: which of them is the one that a sentence or a reply states.

Leaves out marks such as `Answer:` and boxes (`find_answer.py`), and how far an expression reaches (`stretches.py`).
"""

import re
from dataclasses import dataclass
from typing import Literal

from tmas_assets.grading.math.remarks import SENTENCE_END, without_clauses, without_remarks
from tmas_assets.grading.math.stretches import FORMULA, NUMBER, VULGAR, stretches
from tmas_assets.grading.math.words import is_word, number_word

__all__ = ["DENIED", "NUMBER", "SENTENCE_END", "VULGAR", "Asked", "last_row", "leading_formula", "number_of_sentence", "stated_last"]

_JOINED = re.compile(r"\s*(?:[,;،、]|,?\s*(?P<either>or|and)(?![A-Za-z]))\s*")
"""Between expressions that are one statement: a list of candidates."""
_RELATED = re.compile(r"(.*?)\s*(?:!=|<=|>=|\\[lg]eq?|[=<>≤≥≠])")
_BY_CASES = re.compile(r"\b(?:if|when)\b[^.\n]*\b(?:otherwise|else)\b|\b(if|when)\b[^.\n]*(?:\band|,|;)\s*(?:is |to )?\S+ \1\b", re.IGNORECASE)
_ORDINAL = re.compile(r"(?:st|nd|rd|th)\b")
_FRACTIONS = {"half", "third", "thirds", "fourth", "quarter", "quarters", "fifth", "fifths", "sixth", "sixths", "eighth", "eighths", "tenth", "tenths"}
_BETWEEN_FORMULAS = re.compile(r"\s*,?\s*(?:and|or)?\s*")
_STOP = re.compile(r"[.,;]\s*(?=(?:\\end\{\w+\*?\}\s*)?$)")
_ROWS = re.compile(r"\\(?:begin|end)\{(?:aligned|align|gathered|gather|split|equation|multline)\*?\}")
_SOLVED = re.compile(r"\s*([A-Za-z])\s*&?=\s*&?\s*[-\d./]+\s*$")
_TURNED = re.compile(r"\s*(?:to|less|more|or|if|when|not)\b")
DENIED = re.compile(r"\b(?:not|isn't|no|never|cannot)\b", re.IGNORECASE)
_MATHEMATICAL = re.compile(r"\bpi\b|[\d=<>≤≥√^\\+/*∞π]|[a-zA-Z]\(|\([a-zA-Z]\)|(?<![A-Za-z'])(?![aAI]\b)[A-Za-z](?![A-Za-z'])")
_PIECE = re.compile(r"\\[A-Za-z]+|[^\W\d_]+|\d+|\S")
_NAMES = {"sqrt", "exp", "sin", "cos", "tan", "log", "ln", "pi", "floor", "ceil", "abs", "infinity", "max", "min", "gcd"}
_ROUNDED = re.compile(r"\b(?:about|approximately|roughly|approx\.?)\s*$")
_ASIDE = re.compile(r"\s\([^()$\\]*[A-Za-z]{3}[^()$\\]*\)")
"""What is said in brackets, in words."""
_SURE = re.compile(r"\bpi\b|[\d=<>≤≥≠^/+*√π∞²³½°!\\]|[a-zA-Z]\(")
Asked = Literal["number", "formula", "words", "verdict"]


@dataclass(frozen=True)
class _Value:
    """An expression or a formula of a text, and where it stands."""

    start: int
    end: int
    text: str
    is_formula: bool


def number_of_sentence(sentence: str) -> str | None:
    """`5 because 2 + 3 = 5` states 5, `the total is 58 apples` 58; None where it is not clear which."""
    values = _values(sentence)
    if not values:
        return None
    leading = values[0]
    if not sentence[: leading.start].strip(" ($*\\[") and not _TURNED.match(sentence, leading.end):
        return leading.text
    kept = _values(without_clauses(sentence))
    if len({value.text for value in kept}) == 1 and not DENIED.search(sentence[: kept[0].start]):
        return kept[0].text
    return None


def leading_formula(sentence: str) -> str | None:
    """`$x = 12$ where x is the length` states x = 12."""
    found = FORMULA.match(sentence)
    if found is None:
        return None
    texts, end = _followed(sentence, found, list(FORMULA.finditer(sentence)))
    rest = sentence[end:]
    return ", ".join(texts) if rest and not _TURNED.match(rest) and rest.lstrip()[:1].isalpha() else None


def stated_last(text: str, asked: Asked) -> str | None:
    """What a text without marks says at its end."""
    if asked == "number":
        return _last_number(without_remarks(_ASIDE.sub("", text)))
    return _last_formula(without_remarks(text) if asked == "formula" else text, asked)


def _last_number(text: str) -> str | None:
    values = _values(text)
    if len(values) > 1 and _BY_CASES.search(text, values[-2].start):
        return f"{values[-2].text}, {values[-1].text}"
    return values[-1].text if values else _spelled(text)


def _values(text: str) -> list[_Value]:
    """What in a text may be a number, lists of them as one: 3 and 4 of `the roots are $3$ and $4$`."""
    formulas = [_Value(found.start(), found.end(), last_row(_inside(found)), True)
                for found in FORMULA.finditer(text) if re.search(r"\d|\\", found.group())]
    plain = [_Value(start, end, text[start:end], False) for start, end in stretches(text)
             if re.search(rf"\d|{VULGAR}|[π√∛∞]|\\[a-z]|\bpi\b", text[start:end])]
    values = sorted(formulas + plain, key=lambda value: value.start)
    values = [value for value in values if not _ORDINAL.match(text, value.end)] or values
    joined: list[_Value] = []
    for value in values:
        if joined and _is_one_list(text, joined[-1], value):
            before = joined.pop()
            value = _Value(before.start, value.end, _listed(text, before, value), value.is_formula)
        joined.append(value)
    return joined


def _is_one_list(text: str, one: _Value, other: _Value) -> bool:
    if one.is_formula and other.is_formula:
        return _BETWEEN_FORMULAS.fullmatch(text, one.end, other.start) is not None
    between = _JOINED.fullmatch(text, one.end, other.start)
    if between is None:
        return False
    heads = [found.group(1) if (found := _RELATED.match(value.text)) else None for value in (one, other)]
    return between.group("either") == "or" or heads[0] == heads[1]


def _listed(text: str, one: _Value, other: _Value) -> str:
    if one.is_formula or other.is_formula:
        return f"{one.text}, {other.text}"
    return text[one.start : other.end]


def last_row(formula: str) -> str:
    """Of the rows of a derivation the last, with the row before where it goes on with `=`."""
    if r"\\" not in formula or re.search(r"\\begin\{(?:\w?matrix|cases|array)", formula):
        return formula
    rows = [row for row in re.split(r"\\\\(?:\[[^\]]*\])?", _ROWS.sub("", formula)) if row.strip()]
    while len(rows) > 1 and re.match(r"\s*&?\s*[=<>≤≥]", rows[-1]):
        rows[-2:] = [f"{rows[-2]} {rows[-1]}"]
    if not rows or (len(rows) > 1 and _SOLVED.match(rows[-1]) and (before := _SOLVED.match(rows[-2])) and rows[-1].strip().startswith(before.group(1))):
        return formula
    return _STOP.sub("", rows[-1].replace("&", "").strip())


def _spelled(text: str) -> str | None:
    """`one half` and `twelve` where no digit stands, in the last sentence that has such a word."""
    for sentence in reversed(SENTENCE_END.split(text)):
        words = re.findall(r"[A-Za-z]+(?:-[A-Za-z]+)?", sentence or "")
        told = []
        for word, after in zip(words, [*words[1:], ""], strict=False):
            count = number_word(word)
            if count is not None and after.lower() in _FRACTIONS:
                told.append(f"{word} {after}")
            elif count is not None and count != 1:
                told.append(str(count))
        if told:
            return told[0] if len(told) == 1 and not DENIED.search(sentence) else None
    return None


def _last_formula(text: str, asked: Asked) -> str | None:
    formulas = list(FORMULA.finditer(text))
    if formulas:
        telling = [found for found in formulas if len(_inside(found)) > 1]
        return _joined(text, telling or formulas)
    sentences = [sentence.strip() for sentence in SENTENCE_END.split(text) if sentence.strip()]
    if not sentences or (asked == "formula" and not _MATHEMATICAL.search(sentences[-1])):
        return None
    plain = _plain_formula(sentences[-1]) if asked == "formula" else None
    return plain or sentences[-1]


def _joined(text: str, formulas: list[re.Match[str]]) -> str:
    """The last formula, with those before it that make one list with it."""
    first = len(formulas) - 1
    while first and _BETWEEN_FORMULAS.fullmatch(text, formulas[first - 1].end(), formulas[first].start()):
        first -= 1
    return ", ".join(map(_inside, formulas[first:]))


def _followed(text: str, found: re.Match[str], formulas: list[re.Match[str]]) -> tuple[list[str], int]:
    """The formula with those after it that make one list with it, and where they end."""
    texts, end = [_inside(found)], found.end()
    for later in formulas:
        if later.start() >= end and _BETWEEN_FORMULAS.fullmatch(text, end, later.start()):
            texts.append(_inside(later))
            end = later.end()
    return texts, end


def _inside(formula: re.Match[str]) -> str:
    return _STOP.sub("", next(group for group in formula.groups() if group is not None)).strip()


def _plain_formula(sentence: str) -> str | None:
    """The last stretch of a sentence that is mathematics: x^2 + 1 of `the polynomial is x^2 + 1 in full`."""
    stretches: list[tuple[int, int]] = []
    start = end = -1
    for piece in _PIECE.finditer(sentence):
        if _is_mathematical(piece.group(), sentence, piece.end()):
            start = piece.start() if start < 0 else start
            end = piece.end()
        elif piece.group() not in ("and", "or") or start < 0:
            if start >= 0:
                stretches.append((start, end))
            start = end = -1
    if start >= 0:
        stretches.append((start, end))
    told = [(sentence[one:other].strip(" ,;:."), sentence[:one]) for one, other in stretches]
    sure = [(text, before) for text, before in told if _SURE.search(text) or re.fullmatch(r"[(\[{].*,.*[)\]}]", text)]
    while len(sure) > 1 and _ROUNDED.search(sure[-1][1]):
        sure.pop()
    return sure[-1][0] if sure else None


def _is_mathematical(piece: str, sentence: str, end: int) -> bool:
    if not piece[0].isalpha():
        return piece not in ("'", '"', "’")
    after = sentence[end : end + 2].lstrip()[:1]
    if len(piece) == 1:
        return piece not in "aAI" or (bool(after) and not after.isalnum())
    return piece in _NAMES or (len(piece) <= 4 and not is_word(piece) and after in ("=", "<", ">", "/", "^", "+", "*", "(", "≥", "≤"))
