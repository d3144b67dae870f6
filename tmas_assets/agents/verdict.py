r"""Reads an agent's verdict, one of two words, from a line `Verdict: word` or from the text of a JSON field.

The whole value has to be one of the words: "incorrect", "not correct" and "correct, I think" are never read as
"correct". Of several lines the last one counts, readable or not, and words outside such lines never do. Leaves out
judges of answers, whose replies are freer (`grading/verdict_text.py`).
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


def marked(text: str, words: Sequence[str]) -> tuple[str, str]:
    """The word of the last line `Verdict: word` and the text before it."""
    found = [*_LINE.finditer(text)]
    if not found:
        raise VerdictError("no line `Verdict: ...` in the reply")
    return of_text(found[-1][1], words), text[: found[-1].start()].rstrip("*_#> \n")


def of_json(value: JsonValue, words: Sequence[str]) -> str:
    """The value of a JSON field; anything but text is refused, true and false too."""
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
