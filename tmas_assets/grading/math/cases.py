r"""Takes `\begin{cases} ... \end{cases}` apart: a system of equations, or the pieces of a function with their conditions.

Texts are in `latex.one_spelling`. Leaves out what the lines mean (`shape.py`).
"""

import re

_ENVIRONMENT = re.compile(r"\\begin\{[dr]?cases\*?\}(.*)\\end\{[dr]?cases\*?\}", re.DOTALL)
_SIGN = r"(?:[=<>]|\\(?:le|ge|ne|equiv|in)(?![A-Za-z]))"
_ALIGNED = re.compile(rf"\s*&\s*(?={_SIGN})|(?<=[=<>])\s*&\s*")
_WORD = r"(?:if|for|when|where|whenever|otherwise|else|and|in case)"
_CONDITION = re.compile(rf"^(.*?)[\s,;]*(\\text\{{[\s,]*{_WORD}\b.*|(?<![A-Za-z\\]){_WORD}(?![A-Za-z]).*)$", re.DOTALL)
_LEAD = re.compile(rf"^(?:[\s,]|\\text\{{[\s,]*{_WORD}?[\s,]*\}}|\\text\{{[\s,]*(?={_WORD}\b)|{_WORD}(?![A-Za-z]))*")
_OTHERWISE = re.compile(r"(?:\\text\{)?[\s,]*(?:otherwise|else|in all other cases|elsewhere)[\s.]*\}?[\s.]*")


def lines(s: str) -> list[tuple[str, str | None]] | None:
    """(text, condition) of each line: None for no condition, empty for all the rest. None where `s` is no such thing."""
    found = _ENVIRONMENT.fullmatch(s.rstrip(" ."))
    if found is None:
        return None
    parted = [_parted(line) for line in re.split(r"\\\\(?:\[[^\]]*\])?", found.group(1)) if line.strip(" &,.;")]
    if {condition is None for _, condition in parted} == {True, False}:
        # The last line may leave out its condition's word.
        return None
    return parted


def _parted(line: str) -> tuple[str, str | None]:
    text, mark, condition = _ALIGNED.sub(" ", line).strip(" ,;").partition("&")
    if not mark:
        worded = _CONDITION.match(text)
        if worded is None:
            return text.strip(" ,;"), None
        text, condition = worded.groups()
    condition = condition.replace("&", " ").strip(" ,;.")
    if _OTHERWISE.fullmatch(condition):
        return text.strip(" ,;"), ""
    bare = _LEAD.sub("", condition)
    bare = bare if bare.count("{") == bare.count("}") else bare.replace("}", "", 1)
    return text.strip(" ,;"), bare.strip(" ,;.")
