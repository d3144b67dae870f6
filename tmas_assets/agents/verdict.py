r"""Reads an agent's verdict, one of two words, from a line `Verdict: word` or from the text of a JSON field.

The whole value has to be one of the words: "incorrect", "not correct" and "correct, I think" are never read as
"correct". Of several lines the last one counts, readable or not, and words outside such lines never do. A reply ends with its
verdict: a line that words follow, or that begins with `>`, may be a quotation, and one in a reply that was cut off may go
on; they are none. Leaves out judges of answers, whose replies are freer (`grading/verdict_text.py`).
"""

import re
from collections.abc import Sequence

from pydantic import JsonValue

_LINE = re.compile(r"^[ \t>*_#-]*(?:(?:my|final)[ \t]+){0,2}verdict[*_]*[ \t]*[:=]([^\n]*)$", re.IGNORECASE | re.MULTILINE)
_BOXED = re.compile(r"^\\boxed\s*\{([^{}]*(?:\{[^{}]*\})?)\}$")
_DRESSED = re.compile(r"^\\(?:text|math)(?:bf|rm)?\s*\{([^{}]*)\}$")
_DECORATION = " \t*_`$\"'."


class VerdictError(ValueError):
    """No verdict, or one that is none of the words."""


def is_marked(text: str) -> bool:
    """Whether there is a line `Verdict: ...`, readable or not."""
    return _LINE.search(text) is not None


def marked(text: str, words: Sequence[str], *, cut: bool = False) -> tuple[str, str]:
    """The word of the last line `Verdict: word` and the text before it. `cut`: whether the reply was cut off."""
    found = [*_LINE.finditer(text)]
    if not found:
        raise VerdictError("no line `Verdict: ...` in the reply")
    line, behind = found[-1], text[found[-1].end() :]
    word = of_text(line[1], words)
    if ">" in line[0].partition(":")[0] or worded(behind):
        raise VerdictError(f"the verdict {word!r} may be a quotation: it is not the end of the reply, or stands behind `>`")
    if cut:
        raise VerdictError(f"the verdict {word!r} may go on")
    return word, text[: line.start()].rstrip("*_#> \n")


def worded(text: str) -> bool:
    """Whether there is a letter or a digit."""
    return any(sign.isalnum() for sign in text)


def of_json(value: JsonValue, words: Sequence[str], *, behind: str = "", cut: bool = False) -> str:
    """The value of a JSON field; anything but text is refused, true and false too. `behind`: the reply after the object,
    where a line `Verdict: ...` stands in its place; `cut`: whether the reply was cut off there."""
    if is_marked(behind):
        return marked(behind, words, cut=cut)[0]
    if cut and worded(behind):
        raise VerdictError("the object with the verdict may be a quotation: the reply goes on and was cut off")
    if not isinstance(value, str):
        raise VerdictError(f"verdict {str(value)[:40]} is not text; it is {' or '.join(words)}")
    return of_text(value, words)


def of_text(text: str, words: Sequence[str]) -> str:
    """The word that `text` is, whatever its case, in a box or bold."""
    said = text.strip(_DECORATION)
    for dress in (_BOXED, _DRESSED):
        said = dress.sub(r"\1", said).strip(_DECORATION)
    if said.lower() not in words:
        raise VerdictError(f"verdict {text.strip()[:40]!r} is not {' or '.join(words)}")
    return said.lower()
