"""Takes off what surrounds code in a reply: marks, indentation of the whole, prompts, blanks that nobody sees.

Nothing is mended: what Python rejects then (tabs among blanks, typeset quotes, numbered lines) is no Python. Marks go
first (some parse as Python); each further step is taken only where the code does not parse without it.
"""

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
_PROMPT = re.compile(r"^[ \t]*(?:>>>|\.\.\.)(?: |$)", re.MULTILINE)
_LANGUAGE = re.compile(r"\A\s*(?:python3?|py)[ \t]*\n", re.IGNORECASE)
_MARKS = re.compile(
    r"\A(?:\s*(?:\[(?:BEGIN|PYTHON|ANSWER|SOLUTION|CODE)\]|<(?:code|answer|pre|solution|python)(?:\s[^<>\n]*)?>))+[ \t]*\n?"
    r"|(?:\n[ \t]*(?:\[/?(?:DONE|PYTHON|ANSWER|SOLUTION|CODE)\]|</(?:code|answer|pre|solution|python)>)\s*)+\Z",
    re.IGNORECASE,
)


def unwrapped(code: str) -> str | None:
    """Code that parses and holds a statement, None where there is none.

    >>> unwrapped(">>> def f(v):\\n...     return v\\n")
    'def f(v):\\n    return v\\n'
    """
    if len(code) > _LONGEST:
        return None
    code = _LANGUAGE.sub("", _MARKS.sub("", code.replace("\r\n", "\n").replace("\r", "\n")))
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


def _session(code: str) -> str:
    """What was typed at a prompt, without what was printed."""
    if not _PROMPT.search(code):
        return code
    typed = [_PROMPT.sub("", line) for line in code.split("\n") if _PROMPT.match(line)]
    return "\n".join(typed) + "\n"


_TRIES: tuple[tuple[Callable[[str], str], ...], ...] = (
    (), (_dedented,), (plain_blanks,), (plain_blanks, _dedented), (_session,), (_session, plain_blanks),
)
