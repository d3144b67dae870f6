"""Makes Python of code that only looks broken: how a reply was typeset, never what it says.

Marks around the code go first (some parse as Python). Each further step is taken only where the code does not parse
without it, so that what parses is not touched.
"""

import html
import re
import textwrap
from collections.abc import Callable

from tmas_assets.grading.code.names import parse

_LONGEST = 1 << 18
"""Characters. No answer to a problem of these kinds is longer, and parsing takes memory a hundred times that."""
_BLANKS: dict[int, str | None] = {
    **{ord(blank): " " for blank in "\u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u202f\u205f\u3000"},
    **{ord(mark): None for mark in "\u200b\u200c\u200d\u2060\ufeff\u00ad\u0000"},
}
_TYPESET = str.maketrans({"“": '"', "”": '"', "„": '"', "‘": "'", "’": "'", "‚": "'", "−": "-", "–": "-", "×": "*", "÷": "/",
                          "≤": "<=", "≥": ">=", "≠": "!=", "（": "(", "）": ")", "：": ":", "，": ",", "［": "[", "］": "]"})
_PROMPT = re.compile(r"^[ \t]*(?:>>>|\.\.\.)(?: |$)", re.MULTILINE)
_CELL = re.compile(r"^[ \t]*(?:In|Out)[ ]?\[\d*\]:[ ]?", re.MULTILINE)
_NUMBERED = re.compile(r"^[ \t]*\d+(?:[.:|]|[ ]{1,2}(?=[ \t]|\S))[ ]?", re.MULTILINE)
_LANGUAGE = re.compile(r"\A\s*(?:python3?|py)[ \t]*\n", re.IGNORECASE)
_MARKS = re.compile(
    r"\A(?:\s*(?:\[(?:BEGIN|PYTHON|ANSWER|SOLUTION|CODE)\]|<(?:code|answer|pre|solution|python)(?:\s[^<>\n]*)?>))+[ \t]*\n?"
    r"|(?:\n[ \t]*(?:\[/?(?:DONE|PYTHON|ANSWER|SOLUTION|CODE)\]|</(?:code|answer|pre|solution|python)>)\s*)+\Z",
    re.IGNORECASE,
)
_CELLS = re.compile(r"\A\s*In ?\[\d*\]:")


def repaired(code: str) -> str | None:
    """Code that parses and holds a statement, None where no repair leads there.

    >>> repaired(">>> def f(v):\\n...     return v\\n")
    'def f(v):\\n    return v\\n'
    """
    if len(code) > _LONGEST:
        return None
    code = _LANGUAGE.sub("", _MARKS.sub("", code.replace("\r\n", "\n").replace("\r", "\n")))
    if _CELLS.match(code):
        code = _CELL.sub("", code)
    tried = set()
    for steps in _TRIES:
        made = code
        for step in steps:
            made = step(made)
        if made not in tried and (tree := parse(made)) is not None:
            return made if tree.body else None
        tried.add(made)
    return None


def plain_blanks(code: str) -> str:
    """Without the blanks and invisible characters that no keyboard makes."""
    return code.translate(_BLANKS)


def _dedented(code: str) -> str:
    return textwrap.dedent(code.strip("\n"))


def _tabs(code: str) -> str:
    return code.expandtabs(4)


def _wide_tabs(code: str) -> str:
    return code.expandtabs(8)


def _typeset(code: str) -> str:
    return code.translate(_TYPESET)


def _session(code: str) -> str:
    """What was typed at a prompt, without what was printed."""
    if not _PROMPT.search(code):
        return code
    typed = [_PROMPT.sub("", line) for line in _CELL.sub("", code).split("\n") if _PROMPT.match(line)]
    return "\n".join(typed) + "\n"


def _without_numbers(code: str) -> str:
    lines = [line for line in code.split("\n") if line.strip()]
    numbered = sum(bool(_NUMBERED.match(line)) for line in lines)
    return _NUMBERED.sub("", code) if lines and numbered == len(lines) else code


_Step = Callable[[str], str]
_TRIES: tuple[tuple[_Step, ...], ...] = (
    (),
    (_dedented,),
    (plain_blanks,),
    (plain_blanks, _dedented),
    (_tabs,),
    (_wide_tabs,),
    (_tabs, _dedented),
    (plain_blanks, _typeset),
    (plain_blanks, _typeset, _dedented),
    (html.unescape,),
    (html.unescape, plain_blanks, _typeset, _dedented),
    (_session,),
    (_session, plain_blanks, _typeset),
    (_without_numbers,),
    (_without_numbers, _dedented),
    (html.unescape, plain_blanks, _typeset, _tabs, _dedented),
)
