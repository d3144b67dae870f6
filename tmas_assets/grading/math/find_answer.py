r"""Finds the answer in a reply: the last box, else a marked answer (`#### 5`, `Answer: 5`), else what stands last.

Works on the answer part, after the thinking is cut off. Leaves out what the answer means.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from tmas_assets.grading.boxes import Box, complete_boxes, unboxed
from tmas_assets.grading.math.answer_field import answer_field
from tmas_assets.grading.math.latex import one_spelling
from tmas_assets.grading.math.plain_text import plain_text
from tmas_assets.grading.math.prose import (
    DENIED,
    NUMBER,
    SENTENCE_END,
    VULGAR,
    Asked,
    last_row,
    leading_formula,
    number_of_sentence,
    stated_last,
)
from tmas_assets.grading.math.shape import read
from tmas_assets.grading.math.structure import Shape
from tmas_assets.grading.math.traits import open_ended
from tmas_assets.grading.math.words import has_words

__all__ = ["Asked", "Found", "find_answer", "number_in"]

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
    r"|(?:答え|こたえ|正解)\s?(?:は|[:：])\s?|정답\s?(?:은|:)\s?|(?<![가-힣])답\s?(?:은|:)\s?|उत्तर\s?(?:है\s?)?[:：]?\s|คำตอบ\s?(?:คือ)?\s?:?\s?|(?:الجواب|الإجابة)\s?(?:هو|هي|:)\s?"
    r"|^[^\w\n]{0,40}_{0,4}(?:final )?answer[^\w\n]{0,40}_{0,4}$",
    re.IGNORECASE | re.MULTILINE)
_SKIPPED = re.compile(r"(?:[\s*_}]|\\\[|\\\(|\$\$?(?=[^$\n]*\$)|(?:is|are)\b)*")
_BLANK = re.compile(r"[\s*_}:：]*")
_EXCLAIMED = re.compile(r"([^$\\]*\d)!\s*")
_LABEL_BEFORE = re.compile(r"([A-Za-z](?:_\{?\w+\}?)?(?:\([A-Za-z]\))?\s*=\s*)$")
_BOLD_LINE = re.compile(r"^\s*(?:\*\*|__)(.+?)(?:\*\*|__)[.\s]*$", re.MULTILINE)
_TAKEN_BACK = re.compile(r"\s*(?:no|not|wait|hmm|actually)\b", re.IGNORECASE)


_LONGEST_BARE = 200
_OR_ELSE = re.compile(r"\?(?=\s{0,3}(?:or|and)\b)")
_VERDICT = re.compile(r"\W{0,10}(yes|no|true|false)\b(?:\W*$|\s*[.,:;!—–-]\W)", re.IGNORECASE)
_TOLD = re.compile(r"\b(?:is|are)\s+(?:\w+ly\s+)?(?P<said>yes|no|true|false)\b|^\W*(?P<first>yes|no|true|false)\b", re.IGNORECASE)
_BLOCK = re.compile(
    r"(?:\$\$(?P<dollars>.+?)\$\$|\\\[(?P<brackets>.+?)\\\]|(?P<lines>\\begin\{(?P<name>equation|align|aligned|gather|gathered)\*?\}.+?"
    r"\\end\{(?P=name)\*?\})|```[\w+-]{0,20}[ \t]*\n(?P<code>.+?)(?:```|\Z))[ \t]*[.,;]?[ \t]*(?=\n|\Z)", re.DOTALL)
_STOP = re.compile(r"[.,;]\s*(?=(?:\\end\{\w+\*?\}\s*)?$)")
_BULLET = re.compile(r"[^\S\n]*\n\s*(?:[-*•+–]|\(?\d{1,2}[.)])[ \t]+(?=\S)")
_BULLETS = re.compile(r"(?:\n[ \t]*(?:[-*•+–]|\(?\d{1,2}[.)])[ \t]+\S[^\n]*)+")


@dataclass(frozen=True)
class Found:
    text: str
    how: Literal["box", "mark", "last"]
    other: str | None = None
    """What the text may say as well: 42 for the `42!` of a sentence, the last of several boxes with names."""


def find_answer(text: str, *, asked: Asked) -> Found | None:
    """The answer as the reply prints it, or None where nothing was answered."""
    boxes, unclosed = complete_boxes(text)
    field = answer_field(text)
    if field is not None and (not boxes or boxes[-1].start < field.end):
        inside, _ = complete_boxes(field.content)
        return _boxed(field.content, inside) if inside else _of_field(field.content, asked)
    if boxes:
        return _boxed(text, boxes)
    if unclosed:
        return None
    found = _unboxed_answer(text, asked)
    if found is not None and (exclaimed := _EXCLAIMED.fullmatch(found.text)) and (
            re.search(rf"{re.escape(found.text)}\W*(?:\Z|\n|\s[A-Z])", plain_text(text))):
        return Found(found.text, found.how, exclaimed.group(1))
    if found is not None and asked == "number" and found.how == "last" and "≈" in found.text:
        return Found(found.text, found.how, found.text.rpartition("≈")[2])
    return found


def _of_field(content: str, asked: Asked) -> Found | None:
    if asked in ("words", "verdict") or _is_readable(read(content)):
        return Found(content, "mark")
    return _unboxed_answer(content, asked) or Found(content, "mark")


def _unboxed_answer(text: str, asked: Asked) -> Found | None:
    bold_lines = [bold.group(1) for bold in _BOLD_LINE.finditer(text[-_SHOWN:])]
    text = _OR_ELSE.sub("", plain_text(text))
    if asked != "words" and _is_bare(text):
        return Found(text.strip(), "last")
    for mark in reversed(list(_MARK.finditer(text))[-_MOST_MARKS:]):
        if (marked := _marked(text, mark, asked)) is not None:
            return Found(marked, "mark")
    if asked == "verdict":
        return _verdict(text)
    text = text[-_SHOWN:]
    for bold in reversed(bold_lines):
        line = plain_text(bold)
        after = text.rpartition(line)[2]
        if asked == "words" or (re.search(r"\d|\\", line) and not (has_words(one_spelling(line)) and re.search(r"\d|\\", after))):
            return Found(line, "last")
    last = stated_last(text, asked)
    return Found(last, "last") if last is not None else None


def _verdict(text: str) -> Found | None:
    """Yes, no, true or false: what the reply opens with, else what its last sentence says."""
    if opened := _VERDICT.match(text):
        return Found(opened.group(1), "last")
    last = stated_last(text[-_SHOWN:], "words")
    if last is None:
        return None
    told = _TOLD.search(last)
    return Found(told["said"] or told["first"] if told and not DENIED.search(last[: told.start()]) else last, "last")


def _is_bare(text: str) -> bool:
    """Whether the reply is nothing but one expression."""
    bare = text.strip()
    if "\n" in bare or "$" in bare or "\\begin" in bare or not 0 < len(bare) <= _LONGEST_BARE or bare.startswith((">", "=", "#")):
        return False
    return not has_words(one_spelling(bare)) and _is_readable(read(bare))


def _is_flood(boxes: Sequence[Box]) -> bool:
    """Whether a reply tries out more boxes than one may."""
    return len({re.sub(r"\s", "", box.content) for box in boxes}) > MOST_BOXES


def number_in(text: str) -> str | None:
    """The number a reply states, in plain digits: `#### $1,250.` is 1250, `12 apples` 12."""
    found = find_answer(text, asked="number")
    stated = re.sub(r"^([-+−])\s+", r"\1", found.text.strip()) if found else ""
    numbers = NUMBER.findall(one_spelling(stated))
    return re.sub(r"^\+|[,$]|\\?%$", "", numbers[-1]) if numbers else None


def _boxed(text: str, boxes: tuple[Box, ...]) -> Found | None:
    """The last box; boxes side by side are one list. None where there are too many to be an answer."""
    if _is_flood(boxes):
        return None
    outer: list[Box] = []
    for box in sorted(boxes, key=lambda box: (box.start, -box.end)):
        if not outer or box.start >= outer[-1].end:
            outer.append(box)
    together = [outer[-1]]  # from the last one back
    labels = [""]
    for box in reversed(outer[:-1]):
        gap = text[box.end : together[-1].start]
        between = _BETWEEN_BOXES.fullmatch(gap) if len(gap) <= _WIDEST_GAP else None
        if between is None:
            break
        together.append(box)
        labels.append(between.group("label") or "")
    together.reverse()
    labels.reverse()
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
    if (block := _BLOCK.match(text, _BLANK.match(text, mark.end()).end())) is not None:  # type: ignore[union-attr]
        content = next(group for name, group in block.groupdict().items() if name != "name" and group is not None)
        return last_row(content) if asked == "number" else _STOP.sub("", content.strip()).strip() or None
    if (bullet := _BULLET.match(text, mark.end())) is not None:
        listed = _BULLETS.search(text, mark.end()).group()  # type: ignore[union-attr]
        items = [re.sub(r"^\s*\S+\s+", "", line).strip(" .,;") for line in listed.strip("\n").split("\n")]
        if len(items) > 1 and all(_is_readable(read(item)) for item in items):
            return ", ".join(items)
    start = _SKIPPED.match(text, bullet.end() if bullet else mark.end()).end()  # type: ignore[union-attr]
    end = SENTENCE_END.search(text, start)
    stated = text[start : end.start() if end else len(text)].strip()
    if not stated or (end and end.group() in "?？" and _TAKEN_BACK.match(text, end.end())):
        return None
    if mark.group().startswith("#") and asked != "words" and (
            has_words(one_spelling(stated)) or re.match(r"\d+[.)]\s+[^\W\d]{2}", text[start:])):
        return None  # a heading
    if asked == "verdict" and (opened := _VERDICT.match(stated + " ")):
        return opened.group(1)
    if asked in ("words", "verdict") or _is_readable(read(stated)) or DENIED.match(stated):
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
