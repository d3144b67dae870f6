r"""Takes the dress off a reply to a multiple-choice question: LaTeX, markdown, HTML, and other shapes of A to Z.

What is left is text in which an option letter stands as itself. Leaves out which letter is the answer.
"""

import re
import unicodedata
from dataclasses import dataclass

from tmas_assets.grading.boxes import complete_boxes, unboxed

BOX, BOX_END, FORMULA = "\ue000", "\ue001", "\ue002"
"""What a box and the backslash of a LaTeX command become: characters that stand in no text of their own."""
_MOST = 100_000
"""Characters read, from the end of the reply."""
_LONGEST_BOX = 400
_SHAPES = (
    range(0xFF01, 0xFF5F),  # full-width
    range(0x249C, 0x24EA),  # parenthesised and circled
    range(0x1D400, 0x1D6A4),  # mathematical bold, italic, script, ...
    range(0x1F110, 0x1F14A),  # parenthesised and squared
)
_TABLE: dict[int, str | int] = {code: unicodedata.normalize("NFKC", chr(code)) for shape in _SHAPES for code in shape}
_TABLE |= {0x1F150 + place: chr(65 + place) for place in range(26)}  # negative circled
_TABLE |= {0x1F170 + place: chr(65 + place) for place in range(26)}  # negative squared
# Cyrillic and Greek capitals that are drawn like the Latin letter and count as the same option in their own order.
_TABLE |= {0x410: "A", 0x421: "C", 0x415: "E", 0x391: "A", 0x392: "B", 0x395: "E"}
_TABLE |= {0xA0: " ", 0x2028: "\n", 0x2029: "\n", 0x85: "\n", 0x2011: "-", 0xFF0C: ",", 0x3002: ".\n"}
_TABLE |= dict.fromkeys([0x200B, 0x200C, 0x200D, 0x2060, 0xFEFF, 0xAD, 0xFE0E, 0xFE0F, 0xE000, 0xE001, 0xE002], "")

_OWN_LETTERS = {"A": "أاঅকअक", "B": "بবখबख", "C": "جডগसग", "D": "دঢঘदघ"}
"""Arabic, Bengali and Devanagari letters that number options: those of simple-evals, and each script's own series."""
_OWN = {own: letter for letter, many in _OWN_LETTERS.items() for own in many}
_SIGNS = r"\u064b-\u0652\u0900-\u0903\u093a-\u094f\u0981-\u0983\u09bc-\u09cd"
_OWN_LETTER = re.compile(rf"(?<![\w{_SIGNS}])[{''.join(_OWN)}](?![\w{_SIGNS}])")
"""Alone: no letter or vowel sign beside it."""

_DRESS = tuple((re.compile(pattern, re.IGNORECASE), dress) for pattern, dress in (
    (r"\r\n?|<br\s*/?>", "\n"),
    (r"<(?:final[_ ]?)?(?:answer|choice|option)>", "\nAnswer: "),
    (r"(?-i:<([A-Z])>)(?=[ \t*_.,;)]*(?:\n|$))", r"(\1)"),
    (r"(?<![\w/:.])/(?-i:([A-Z]))/(?![\w/])", r"(\1)"),
    (r"</?[a-z][a-z0-9_]{0,20}(?: [^<>\n]{0,80})?>|<\|[^|<>\n]{1,40}\|>", " "),
    (r"~~[^~\n]{1,80}~~", " "),
    (r"\\(?:text|math)(?:bf|it|rm|sf|tt|cal|bb|normal|up)?\b\*?|\\(?:mbox|hbox|bm|bf|rm|emph|underline|boldsymbol|"
     r"displaystyle|left|right|big|large|bfseries|operatorname)\b\*?", " "),
    (r"\\(?:[Rr]ightarrow|[Ll]ongrightarrow|implies|therefore|to)\b|=>|->", "→"),
    (r"\\checkmark\b", "✓"),
    (r"\\(?:q?quad|[,;:! ])", " "),
    (r"\\\\", "\n"),
    (r"\\[()\[\]]|[$`*]", " "),
    (r"\\(?=[a-z{}])", FORMULA),
    (r"(?<![^\W_])_{1,2}([^_\n]{1,80})_{1,2}(?![^\W_])", r"\1"),
    (r"^[ \t]*[>#]+[ \t]*", ""),
    (r"[ \t]+", " "),
))  # fmt: skip


@dataclass(frozen=True)
class Plain:
    """`text` with every box as BOX content BOX_END; `boxes` holds their contents as they were, in order."""

    text: str
    boxes: tuple[str, ...]


def plain(text: str) -> Plain:
    """A reply's answer part without dress. Empty where its only box never closes: the text was cut there."""
    text = text[-_MOST:].translate(_TABLE)
    boxes, unclosed = complete_boxes(text)
    if unclosed and not boxes:
        return Plain("", ())
    parts, contents, at = [], [], 0
    for box in sorted(boxes, key=lambda box: (box.start, -box.end)):
        if box.start >= at:
            content = unboxed(box.content)
            contents.append(content)
            parts += [text[at : box.start], BOX, content if len(content) <= _LONGEST_BOX else FORMULA, BOX_END]
            at = box.end
    return Plain(undressed("".join([*parts, text[at:]])), tuple(contents))


def undressed(text: str) -> str:
    text = _OWN_LETTER.sub(lambda own: _OWN[own.group()], text)
    for pattern, dress in _DRESS:
        text = pattern.sub(dress, text)
    return text
