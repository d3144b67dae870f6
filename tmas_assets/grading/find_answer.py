r"""Finds the answer in a reply: the last box, else a marked answer (`#### 5`, `Answer: 5`), else what stands last.

Works on the answer part, after the thinking is cut off. Leaves out what the answer means.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from tmas_assets.grading.boxes import Box, complete_boxes, unboxed
from tmas_assets.grading.latex import one_spelling
from tmas_assets.grading.shape import read
from tmas_assets.grading.words import has_words

MOST_BOXES = 5
"""Different boxes in one reply. More of them is trying answers out, not answering."""
_MOST_MARKS = 20
"""Marks looked at, from the last backwards."""
_SHOWN = 2_000
"""Characters from the end in which an unmarked answer is looked for."""
_BETWEEN_BOXES = re.compile(
    r"[\s$,;.&]*(?:\\[\[\]()]|\\text\{)?\s*(?:and|or|\\q?quad)?\s*\}?[\s$,;&]*(?:\\[\[\]()])?[\s$]*")
_MARK = re.compile(
    r"####[ \t]*"
    r"|(?<![A-Za-z])(?:answer|antwort|antwoord|réponse|respuesta|resposta|risposta|ответ|答案)"
    r"(?:\s+(?:to|of|for)\s[^.:\n]{0,80}?)?"
    r"\s*(?:\*\*|__|\})?\s*(?:(?:is|are|=)\b\s*(?:therefore|thus|simply|exactly)?\s*:?|[:=：]|[是为]\s*[:：]?)"
    r"|^[^\w\n]*_*(?:final )?answer[^\w\n]*_*$",
    re.IGNORECASE | re.MULTILINE)
_SKIPPED = re.compile(r"(?:[\s*_}]|\\\[|\\\(|\$\$?(?=[^$\n]*\$)|(?:is|are)\b)*")
_SENTENCE_END = re.compile(r"(?<=[\w)}\]$%°*])\.(?=\s|$|\$|\*)|[。?？](?=\s|$)|\n")
_BOLD_LINE = re.compile(r"^\s*(?:\*\*|__)(.+?)(?:\*\*|__)[.\s]*$", re.MULTILINE)
_FORMULA = re.compile(r"\$\$(.+?)\$\$|\$(?!\s)([^$\n]+?)(?<!\s)\$|\\\((.+?)\\\)|\\\[(.+?)\\\]", re.DOTALL)
_PLAIN = r"\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?|\.\d+"
_VULGAR = "[½⅓⅔¼¾⅕⅖⅗⅘⅙⅚⅐⅛⅜⅝⅞⅑⅒]"
_ROOT = rf"√\s*(?:{_PLAIN})|\\sqrt\s*\{{\d+\}}"
_NUMBER = re.compile(
    rf"(?<![\w.,])(?:(?<![\w)}}\]])[-−+])?\$?(?:\\frac\{{[^{{}}]*\}}\{{[^{{}}]*\}}|(?:{_ROOT})|{_VULGAR}"
    rf"|(?:{_PLAIN})(?:\s?{_VULGAR}|\s+\d+/\d+(?!\d)|/\d+(?:\.\d+)?|\s?(?:{_ROOT})|\s?π|\\frac\{{[^{{}}]*\}}\{{[^{{}}]*\}})?)"
    r"(?:!|\s?\\?%|°)?(?![\w]*\d)")
_JOINED = re.compile(r"\s*(?:,|;|,?\s*(?:or|and)(?![A-Za-z])|[-−+*/×·÷^=])\s*")
"""Between numbers that are one statement: a list of candidates, a sum, an equation."""


_MATHEMATICAL = re.compile(r"[\d=<>≤≥√^\\+/*∞π]|[a-zA-Z]\(|\([a-zA-Z]\)|(?<![A-Za-z'])(?![aAI]\b)[A-Za-z](?![A-Za-z'])")
Asked = Literal["number", "formula", "words"]


@dataclass(frozen=True)
class Found:
    text: str
    how: Literal["box", "mark", "last"]


def find_answer(text: str, *, asked: Asked) -> Found | None:
    """The answer as the reply prints it, or None where nothing was answered."""
    boxes, unclosed = complete_boxes(text)
    if boxes:
        boxed = _boxed(text, boxes)
        return Found(boxed, "box") if boxed is not None else None
    if unclosed:
        return None
    for mark in reversed(list(_MARK.finditer(text))[-_MOST_MARKS:]):
        if (marked := _marked(text, mark, asked)) is not None:
            return Found(marked, "mark")
    text = text[-_SHOWN:]
    for bold in reversed(list(_BOLD_LINE.finditer(text))):
        if re.search(r"\d|\\", bold.group(1)) or asked == "words":
            return Found(bold.group(1), "last")
    last = _last_number(text) if asked == "number" else _last_formula(text, asked)
    return Found(last, "last") if last is not None else None


def is_flooded(text: str) -> bool:
    """Whether a reply tries out more boxes than one may."""
    return len({re.sub(r"\s", "", box.content) for box in complete_boxes(text)[0]}) > MOST_BOXES


def number_in(text: str) -> str | None:
    """The number a reply states, in plain digits: `#### $1,250.` is 1250, `12 apples` 12."""
    found = find_answer(text, asked="number")
    numbers = _NUMBER.findall(one_spelling(found.text)) if found else []
    return numbers[-1].replace(",", "") if numbers else None


def _boxed(text: str, boxes: tuple[Box, ...]) -> str | None:
    """The last box; boxes side by side are one list. None where there are too many to be an answer."""
    if is_flooded(text):
        return None
    outer: list[Box] = []
    for box in sorted(boxes, key=lambda box: (box.start, -box.end)):
        if not outer or box.start >= outer[-1].end:
            outer.append(box)
    together = [outer[-1]]
    for box in reversed(outer[:-1]):
        if not _BETWEEN_BOXES.fullmatch(text[box.end : together[0].start]):
            break
        together.insert(0, box)
    contents = {re.sub(r"\s", "", content): content for content in (unboxed(box.content) for box in together)}
    return ", ".join(contents.values())


def _marked(text: str, mark: re.Match[str], asked: Asked) -> str | None:
    """What a mark announces: to the end of the sentence or line. None where that is no answer."""
    start = _SKIPPED.match(text, mark.end()).end()  # type: ignore[union-attr]
    end = _SENTENCE_END.search(text, start)
    stated = text[start : end.start() if end else len(text)].strip()
    if not stated:
        return None
    if mark.group().startswith("#") and asked != "words" and has_words(one_spelling(stated)):
        return None  # a heading
    if read(stated).kind not in ("words", "empty"):
        return stated
    if asked != "number":
        return stated
    if not re.search(rf"\d|{_VULGAR}", stated):
        return stated if len(stated.split()) <= 4 else None
    number = _number_of_sentence(stated)
    announced = mark.group().rstrip().endswith((":", "=", "："))
    return number if number is not None or not announced else stated


def _number_of_sentence(sentence: str) -> str | None:
    """`5 because 2 + 3 = 5` states 5, `the total is 58 apples` 58; None where it is not clear which."""
    runs = list(_runs(sentence))
    leading = [run for run in runs if not sentence[: run[0]].strip(" ($*")]
    if leading and not re.match(r"\s*(?:to|less|more|or|if|when|not)\b", sentence[leading[0][1] :]):
        return sentence[leading[0][0] : leading[0][1]]
    if len({sentence[start:end] for start, end in runs}) == 1:
        return sentence[runs[0][0] : runs[0][1]]
    return None


def _runs(text: str) -> Iterator[tuple[int, int]]:
    """Where numbers stand; numbers joined by a comma, `or`, `and` or an operator are one run."""
    start = end = -1
    for number in _NUMBER.finditer(text):
        if end >= 0 and _JOINED.fullmatch(text, end, number.start()):
            end = number.end()
            continue
        if end >= 0:
            yield start, end
        start, end = number.span()
    if end >= 0:
        yield start, end


def _last_number(text: str) -> str | None:
    formulas = [found for found in _FORMULA.finditer(text) if re.search(r"\d|\\", found.group())]
    runs = list(_runs(text))
    if formulas and (not runs or runs[-1][0] < formulas[-1].end()):
        return _inside(formulas[-1])
    return text[runs[-1][0] : runs[-1][1]] if runs else None


def _last_formula(text: str, asked: Asked) -> str | None:
    formulas = list(_FORMULA.finditer(text))
    if formulas:
        return _inside(formulas[-1])
    sentences = [sentence.strip() for sentence in _SENTENCE_END.split(text) if sentence.strip()]
    if not sentences or (asked == "formula" and not _MATHEMATICAL.search(sentences[-1])):
        return None
    return sentences[-1]


def _inside(formula: re.Match[str]) -> str:
    return next(group for group in formula.groups() if group is not None).strip()
