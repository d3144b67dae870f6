r"""Finds the answer in a reply: the last box, else a marked answer (`#### 5`, `Answer: 5`), else what stands last.

Works on the answer part, after the thinking is cut off. Leaves out what the answer means.
"""

import re
from dataclasses import dataclass
from typing import Literal

from tmas_assets.grading.boxes import Box, complete_boxes, unboxed
from tmas_assets.grading.math.latex import one_spelling
from tmas_assets.grading.math.prose import (
    DENIED,
    NUMBER,
    SENTENCE_END,
    VULGAR,
    Asked,
    leading_formula,
    number_of_sentence,
    stated_last,
)
from tmas_assets.grading.math.shape import read
from tmas_assets.grading.math.structure import Shape
from tmas_assets.grading.math.traits import open_ended
from tmas_assets.grading.math.words import has_words

__all__ = ["Asked", "Found", "find_answer", "is_flooded", "number_in"]

MOST_BOXES = 5
"""Different boxes in one reply. More of them is trying answers out, not answering."""
_WIDEST_GAP = 100
"""Characters between boxes that stand side by side."""
_MOST_MARKS = 20
"""Marks looked at, from the last backwards."""
_SHOWN = 2_000
"""Characters from the end in which an unmarked answer is looked for."""
_BETWEEN_BOXES = re.compile(
    r"(?:[\s$,;.&]|\\[\[\]()]|\\\\|\\q?quad(?![A-Za-z])|\\text\{\s*,?\s*(?:and|or)?\s*\}|(?<![A-Za-z])(?:and|or)(?![A-Za-z]))*"
    r"(?P<label>[A-Za-z](?:_\{?\w+\}?)?(?:\([A-Za-z]\))?\s*=\s*)?")
_MARK = re.compile(
    r"####[ \t]*"
    r"|(?<![A-Za-z])(?:answer|antwort|antwoord|réponse|respuesta|resposta|risposta|ответ|答案)"
    r"(?:\s{1,20}(?:to|of|for)\s[^.:\n]{0,80}?)?"
    r"\s{0,20}(?:\*\*|__|\})?\s{0,20}(?:(?:is|are|=)\b\s{0,20}(?:therefore|thus|simply|exactly)?\s{0,20}:?|[:=：]|[是为]\s*[:：]?)"
    r"|^[^\w\n]{0,40}_{0,4}(?:final )?answer[^\w\n]{0,40}_{0,4}$",
    re.IGNORECASE | re.MULTILINE)
_SKIPPED = re.compile(r"(?:[\s*_}]|\\\[|\\\(|\$\$?(?=[^$\n]*\$)|(?:is|are)\b)*")
_EXCLAIMED = re.compile(r"([^$\\]*\d)!\s*")
_LABEL_BEFORE = re.compile(r"([A-Za-z](?:_\{?\w+\}?)?(?:\([A-Za-z]\))?\s*=\s*)$")
_BOLD_LINE = re.compile(r"^\s*(?:\*\*|__)(.+?)(?:\*\*|__)[.\s]*$", re.MULTILINE)
_TAKEN_BACK = re.compile(r"\s*(?:no|not|wait|hmm|actually)\b", re.IGNORECASE)


@dataclass(frozen=True)
class Found:
    text: str
    how: Literal["box", "mark", "last"]
    other: str | None = None
    """What the text may say as well: 42 for the `42!` of a sentence, the last of several boxes with names."""


def find_answer(text: str, *, asked: Asked) -> Found | None:
    """The answer as the reply prints it, or None where nothing was answered."""
    boxes, unclosed = complete_boxes(text)
    if boxes:
        return _boxed(text, boxes)
    if unclosed:
        return None
    found = _unboxed_answer(text, asked)
    if found is not None and (exclaimed := _EXCLAIMED.fullmatch(found.text)):
        return Found(found.text, found.how, exclaimed.group(1))
    return found


def _unboxed_answer(text: str, asked: Asked) -> Found | None:
    for mark in reversed(list(_MARK.finditer(text))[-_MOST_MARKS:]):
        if (marked := _marked(text, mark, asked)) is not None:
            return Found(marked, "mark")
    text = text[-_SHOWN:]
    for bold in reversed(list(_BOLD_LINE.finditer(text))):
        if re.search(r"\d|\\", bold.group(1)) or asked == "words":
            return Found(bold.group(1), "last")
    last = stated_last(text, asked)
    return Found(last, "last") if last is not None else None


def is_flooded(text: str) -> bool:
    """Whether a reply tries out more boxes than one may."""
    return len({re.sub(r"\s", "", box.content) for box in complete_boxes(text)[0]}) > MOST_BOXES


def number_in(text: str) -> str | None:
    """The number a reply states, in plain digits: `#### $1,250.` is 1250, `12 apples` 12."""
    found = find_answer(text, asked="number")
    stated = re.sub(r"^([-+−])\s+", r"\1", found.text.strip()) if found else ""
    numbers = NUMBER.findall(one_spelling(stated))
    return re.sub(r"^\+|[,$]|\\?%$", "", numbers[-1]) if numbers else None


def _boxed(text: str, boxes: tuple[Box, ...]) -> Found | None:
    """The last box; boxes side by side are one list. None where there are too many to be an answer."""
    if is_flooded(text):
        return None
    outer: list[Box] = []
    for box in sorted(boxes, key=lambda box: (box.start, -box.end)):
        if not outer or box.start >= outer[-1].end:
            outer.append(box)
    together = [outer[-1]]
    labels = [""]
    for box in reversed(outer[:-1]):
        gap = text[box.end : together[0].start]
        between = _BETWEEN_BOXES.fullmatch(gap) if len(gap) <= _WIDEST_GAP else None
        if between is None:
            break
        together.insert(0, box)
        labels.insert(0, between.group("label") or "")
    contents = {re.sub(r"\s", "", content): content for content in (unboxed(box.content) for box in together)}
    different = len(set(labels[:-1]) | {_label_before(text, together[0])}) > 1
    return Found(", ".join(contents.values()), "box", unboxed(together[-1].content) if any(labels) and different else None)


def _label_before(text: str, box: Box) -> str:
    found = _LABEL_BEFORE.search(text[max(0, box.start - 40) : box.start])
    return found.group(1) if found else ""


def _is_readable(shape: Shape) -> bool:
    """Whether all of it is mathematics."""
    if shape.kind in ("words", "empty") or (shape.kind == "value" and shape.node is None and "\\" not in shape.text):
        return False
    return not open_ended(shape) and all(map(_is_readable, shape.items))


def _marked(text: str, mark: re.Match[str], asked: Asked) -> str | None:
    """What a mark announces: to the end of the sentence or line. None where that is no answer."""
    start = _SKIPPED.match(text, mark.end()).end()  # type: ignore[union-attr]
    end = SENTENCE_END.search(text, start)
    stated = text[start : end.start() if end else len(text)].strip()
    if not stated or (end and end.group() in "?？" and _TAKEN_BACK.match(text, end.end())):
        return None
    if mark.group().startswith("#") and asked != "words" and has_words(one_spelling(stated)):
        return None  # a heading
    if asked == "words" or _is_readable(read(stated)) or DENIED.match(stated):
        return stated
    if (formula := leading_formula(text[start - 1 : end.start() if end else len(text)].lstrip(" "))) is not None:
        return formula
    if asked != "number":
        return stated
    if not re.search(rf"\d|{VULGAR}", stated):
        return stated if len(stated.split()) <= 4 else None
    number = number_of_sentence(stated)
    announced = mark.group().rstrip().endswith((":", "=", "："))
    return number if number is not None or not announced else stated
