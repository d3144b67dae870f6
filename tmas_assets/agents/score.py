"""Reads a verifier's score: 0, 0.5 or 1, from `Score: \\boxed{...}` or from the text of a JSON field.

Never rounds and never guesses: a number in the reasoning is not the score, a value off the scale is refused. A reply ends with
its score: one that words follow, or that begins with `>`, may be a quotation, and one in a reply that was cut off may go on.
"""

import re
from fractions import Fraction

from pydantic import JsonValue

SCALE = (0.0, 0.5, 1.0)

_BOXED = re.compile(
    r"\bscore\b(?: \([^()\n]{1,20}\))?(?:\s{1,4}(?:is|(?:should|would|must) be))?[\s*_:=$]*(?:\\\(\s*)?"
    r"\\boxed\s*\{([^{}]*(?:\{[^{}]*\}[^{}]*)*)\}", re.IGNORECASE)
_LINE = re.compile(
    r"^[ \t>*_#-]*(?:(?:final|overall|total)[ \t]+){0,2}score(?:[ \t]\([^()\n]{1,20}\))?[*_]*[ \t]*(?:[:=]|-[ \t])[ \t*_$`]*"
    r"([^\s*_$`]{1,40}?)(?:[ \t]+out[ \t]+of[ \t]+1)?[.*_$`]{0,4}[ \t]*$",
    re.IGNORECASE | re.MULTILINE,
)
_REST = re.compile(r"(?:[^\w\n]*(?:out[ \t]+of[ \t]+1|/[ \t]*1)(?!\d))?[\W_]*")
"""What may stand behind a score: no words but `out of 1`."""
_NUMBER = re.compile(r"\d{1,3}(?:\.\d{0,6})?|\.\d{1,6}")
_DRESSED = re.compile(r"^\\(?:text|math)(?:bf|rm)?\s*\{([^{}]*)\}$")
_DECIMAL_COMMA = re.compile(r"^(\d),(\d)$")
_FRACTION = re.compile(r"(?:\\[dt]?frac\s*\{\s*(\d{1,3})\s*\}\s*\{\s*(\d{1,3})\s*\}|(\d{1,3})\s*/\s*(\d{1,3}))")


class ScoreError(ValueError):
    """No score, or one off the scale."""


def is_marked(text: str) -> bool:
    """Whether a score is marked, readable or not."""
    return bool(_BOXED.search(text) or _LINE.search(text))


def marked(text: str, *, cut: bool = False) -> tuple[float, str]:
    """The last marked score of a reply (`Score: \\boxed{0.5}`, else a line `Score: 0.5`) and the text before it. `cut`: whether
    the reply was cut off. Where a line behind the last box says another score, there is none."""
    boxed, lines = [*_BOXED.finditer(text)], [*_LINE.finditer(text)]
    if not boxed and not lines:
        raise ScoreError("no line `Score: \\boxed{...}` in the reply")
    mark = (boxed or lines)[-1]
    value, line = on_scale(mark[1]), text.rfind("\n", 0, mark.start()) + 1
    if lines[-1:] and lines[-1].start() >= mark.end():
        if on_scale(lines[-1][1]) != value:
            raise ScoreError(f"the score is {value:g} in a box and {lines[-1][1]!r} in a line behind it")
        mark, line = lines[-1], lines[-1].start()
    if text[line:].lstrip().startswith(">") or not _REST.fullmatch(text, mark.end()):
        raise ScoreError(f"the score {value:g} may be a quotation: it is not the end of the reply, or stands behind `>`")
    if cut:
        raise ScoreError(f"the score {value:g} may go on")
    return value, text[: mark.start()].rstrip("*_#> \n")


def of_json(value: JsonValue, *, behind: str = "", cut: bool = False) -> float:
    """The value of a JSON field: a number, or a score's text. True and false are no numbers here. `behind`: the reply after
    the object, where a marked score stands in its place; `cut`: whether the reply was cut off there."""
    if is_marked(behind):
        return marked(behind, cut=cut)[0]
    if cut and any(sign.isalnum() for sign in behind):
        raise ScoreError("the object with the score may be a quotation: the reply goes on and was cut off")
    if isinstance(value, str):
        return on_scale(value)
    if isinstance(value, bool) or not isinstance(value, int | float) or value not in SCALE:
        raise ScoreError(f"score {str(value)[:40]} is not 0, 0.5 or 1")
    return float(value)


def on_scale(text: str) -> float:
    """The value of a score's text, in any spelling of 0, 0.5 and 1 (`1.0`, `.5`, `1/2`)."""
    text = _DRESSED.sub(r"\1", text.strip().strip("$").strip())
    text = _DECIMAL_COMMA.sub(r"\1.\2", text)
    if _NUMBER.fullmatch(text):
        value = Fraction(text)
    elif (parts := _FRACTION.fullmatch(text)) and int(parts[2] or parts[4]):
        value = Fraction(int(parts[1] or parts[3]), int(parts[2] or parts[4]))
    else:
        raise ScoreError(f"score {text[:40]!r} is not 0, 0.5 or 1")
    if float(value) not in SCALE:
        raise ScoreError(f"score {text[:40]!r} is not 0, 0.5 or 1")
    return float(value)
