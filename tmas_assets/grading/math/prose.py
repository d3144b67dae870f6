r"""Numbers and formulas in running text: which of them is the one that a sentence or a reply states.

Leaves out marks such as `Answer:` and boxes (`find_answer.py`).
"""

import re
from collections.abc import Iterator
from typing import Literal

from tmas_assets.grading.math.words import is_word

VULGAR = "[½⅓⅔¼¾⅕⅖⅗⅘⅙⅚⅐⅛⅜⅝⅞⅑⅒]"
SENTENCE_END = re.compile(r"(?<=[\w)}\]$%°*!])\.(?=\s|$|\$|\*)|[。?？](?=\s|$)|\n")
FORMULA = re.compile(
    r"\$\$(.+?)\$\$|\$(?!\s)([^$\n]+?)(?<!\s)\$|\$\s*([^$\n]*?\\[A-Za-z][^$\n]*?)\s*\$|\$[ ]([^$\n]+?)[ ]\$"
    r"|\\\((.+?)\\\)|\\\[(.+?)\\\]", re.DOTALL)
_PLAIN = r"\d{1,3}(?:,\d{3})+(?:\.\d+)?(?![\d,]*\d)|\d{1,3}(?:[ \u00a0\u202f']\d{3})+(?:[.,]\d+)?(?![\d])|\d+,\d+(?![\d,])|\d+(?:\.\d+)?|\.\d+"
_ROOT = rf"√\s*(?:{_PLAIN})|\\sqrt\s*\{{\d+\}}"
NUMBER = re.compile(
    rf"(?<![\w.])(?:(?<![\w)}}\]])[-−+]|(?<!\d )(?:minus|negative) )?\$?(?:\\frac\{{[^{{}}]*\}}\{{[^{{}}]*\}}|(?:{_ROOT})|{VULGAR}"
    rf"|(?:{_PLAIN})(?:\s?{VULGAR}|[ \t]+\d+/\d+(?!\d)|/\d+(?:\.\d+)?|\s?(?:{_ROOT})|\s?π|\\frac\{{[^{{}}]*\}}\{{[^{{}}]*\}})?)"
    r"(?:!|\s?\\?%|°| (?:hundred|thousand|million|billion|trillion)\b)?(?![\w]*\d)")
_JOINED = re.compile(r"\s*(?:,|;|,?\s*(?:or|and)(?![A-Za-z])|[-−+*/×·÷^=])\s*")
"""Between numbers that are one statement: a list of candidates, a sum, an equation."""
_BETWEEN_FORMULAS = re.compile(r"\s*,?\s*(?:and|or)?\s*")
_TURNED = re.compile(r"\s*(?:to|less|more|or|if|when|not)\b")
DENIED = re.compile(r"\b(?:not|isn't|no|never|cannot)\b", re.IGNORECASE)
_MATHEMATICAL = re.compile(r"\bpi\b|[\d=<>≤≥√^\\+/*∞π]|[a-zA-Z]\(|\([a-zA-Z]\)|(?<![A-Za-z'])(?![aAI]\b)[A-Za-z](?![A-Za-z'])")
_PIECE = re.compile(r"\\[A-Za-z]+|[^\W\d_]+|\d+|\S")
_NAMES = {"sqrt", "exp", "sin", "cos", "tan", "log", "ln", "pi", "floor", "ceil", "abs", "infinity", "max", "min", "gcd"}
_ROUNDED = re.compile(r"\b(?:about|approximately|roughly|approx\.?)\s*$")
_ASIDE = re.compile(r"\s\([^()$\\]*[A-Za-z]{3}[^()$\\]*\)")
"""What is said in brackets, in words."""
_REACH = 3
"""Characters after a number in which its formula may close."""
_SURE = re.compile(r"\bpi\b|[\d=<>≤≥≠^/+*√π∞²³½°!\\]|[a-zA-Z]\(")
Asked = Literal["number", "formula", "words"]


def number_of_sentence(sentence: str) -> str | None:
    """`5 because 2 + 3 = 5` states 5, `the total is 58 apples` 58; None where it is not clear which."""
    runs = list(_runs(sentence))
    leading = [run for run in runs if not sentence[: run[0]].strip(" ($*\\[")]
    if leading and not _TURNED.match(sentence, leading[0][1]):
        return sentence[leading[0][0] : leading[0][1]]
    if len({sentence[start:end] for start, end in runs}) == 1 and not DENIED.search(sentence[: runs[0][0]]):
        return sentence[runs[0][0] : runs[0][1]]
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
    return _last_number(text) if asked == "number" else _last_formula(text, asked)


def _runs(text: str) -> Iterator[tuple[int, int]]:
    """Where numbers stand; numbers joined by a comma, `or`, `and` or an operator are one run."""
    start = end = -1
    for number in NUMBER.finditer(text):
        if end >= 0 and _JOINED.fullmatch(text, end, number.start()):
            end = number.end()
            continue
        if end >= 0:
            yield start, end
        start, end = number.span()
    if end >= 0:
        yield start, end


def _last_number(text: str) -> str | None:
    text = _ASIDE.sub("", text)
    formulas = [found for found in FORMULA.finditer(text) if re.search(r"\d|\\", found.group())]
    runs = list(_runs(text))
    if formulas and (not runs or runs[-1][0] < formulas[-1].end()):
        return _joined(text, formulas)
    if not runs:
        return None
    told = text[runs[-1][0] : runs[-1][1]]
    stretch = _plain_formula(text[: runs[-1][1] + _REACH].splitlines()[-1]) or ""
    return stretch if told in stretch and re.search(r"[\^\\√]", stretch) and "=" not in stretch else told


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
    return next(group for group in formula.groups() if group is not None).strip()


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
