r"""Finds the boxes of an answer: `\boxed{...}`, `\fbox{...}`, `\framebox{...}`, `\answer{...}` with nested braces, and `\boxed 5` without any.

Leaves out what the content means. One pass over the text, whatever is in it.
"""

import re
from dataclasses import dataclass

_OPENING = re.compile(r"\\(?:(?:[bB]oxed|fbox|framebox)(?![A-Za-z])\s*|answer(?=\{))")
_BARE = re.compile(r"[+\-−]?(?:\d[\d,]*(?:\.\d+)?(?:/\d+)?|[A-Za-z]\b|\\(?![bB]oxed|fbox|framebox)[A-Za-z]+)")
_DEEPEST = 5
"""Boxes within boxes. Deeper ones are not looked at: each holds all that the next one holds."""
_ESCAPED = re.compile(r"\\.|[{}]", re.DOTALL)


@dataclass(frozen=True)
class Box:
    """A complete box: its trimmed content and where the whole of it stands in the text."""

    content: str
    start: int
    end: int


def complete_boxes(text: str) -> tuple[tuple[Box, ...], bool]:
    """(every complete box in order of its end, whether some box never closes). An inner box counts as its own."""
    openings = list(_OPENING.finditer(text))
    if not openings:
        return (), False
    closing = _closing_braces(text)
    boxes = []
    around: list[int] = []  # where the boxes end that this one stands in
    unclosed = False
    for opening in openings:
        at = opening.end()
        if at < len(text) and text[at] == "{":
            while around and around[-1] <= at:
                around.pop()
            if at not in closing:
                unclosed = True
            elif len(around) < _DEEPEST:
                boxes.append(Box(text[at + 1 : closing[at]].strip(), opening.start(), closing[at] + 1))
                around.append(closing[at])
        elif bare := _BARE.match(text, at):
            boxes.append(Box(bare.group().rstrip(","), opening.start(), bare.end()))
    boxes.sort(key=lambda box: box.end)
    return tuple(boxes), unclosed


def last_box(text: str) -> str | None:
    """Content of the last complete box, or None. A box that never closes is no box: the text was cut."""
    boxes, _ = complete_boxes(text)
    return unboxed(boxes[-1].content) if boxes else None


def unboxed(content: str) -> str:
    r"""`content` without boxes that wrap all of it: `\boxed{5}` inside a box is 5."""
    for _ in range(_DEEPEST):
        boxes, _ = complete_boxes(content)
        if not boxes or (boxes[-1].start, boxes[-1].end) != (0, len(content)):
            break
        content = boxes[-1].content
    return content


def _closing_braces(text: str) -> dict[int, int]:
    r"""Position of the closing brace by that of the opening one; `\{` and `\}` are not braces."""
    open_at: list[int] = []
    closing: dict[int, int] = {}
    for found in _ESCAPED.finditer(text):
        if found.group() == "{":
            open_at.append(found.start())
        elif found.group() == "}" and open_at:
            closing[open_at.pop()] = found.start()
    return closing
