r"""Takes off what an answer says besides its value: a gloss, `for all x`, `where \varphi = ...`.

Texts are in `latex.one_spelling`. A clause that restricts the answer (`for x > 2`, `where c \ne 1`) is left in place:
it is part of it.
"""

import re

_GLOSS = re.compile(
    r"\s*(?:\(|\\text\{\s*\()\s*(?:\\text\{\s*)?(?:\\approx|or\b|approx|about|i\.e|that is|since|because)[^()]*(?:\([^()]*\)[^()]*)*\)\s*\}?\s*$")
_EVERYWHERE = re.compile(
    r"[\s,]*\(?\s*(?:\\text\{[\s,]*)?(?:\\forall\s*|for (?:all|any|every)\s*(?:real\s*)?(?:numbers?\s*)?(?:values? of\s*)?)\s*\}?\s*"
    r"([A-Za-z])\s*(?:\\in\s*\\mathbb\{R\}|\\text\{\s*\})?\s*\)?\s*$")
_IN_REALS = re.compile(r"\s*(?:,\s*|\()\s*([A-Za-z])\s*\\in\s*\\mathbb\{R\}\s*\)?\s*$")
_IN_INTEGERS = re.compile(r"\s*(?:,\s*|\()\s*([A-Za-z])\s*\\in\s*\\mathbb\{Z\}\s*\)?\s*$")
_WHERE = re.compile(
    r"^(.*?)[\s,]*(?:\\text\{[\s,]*)?\bwhere\s*\}?\s*(\\?[A-Za-z]+)\s*=\s*([^=<>,]+)$", re.DOTALL)


def without_gloss(s: str) -> str:
    r"""`\frac13 (\approx 0.33)` and `5 (since 2 + 3 = 5)` without what is said in brackets."""
    return _GLOSS.sub("", s) if ")" in s else s


def without_quantifier(s: str) -> str:
    r"""`f(x) = x + 1 \text{ for all } x` says no more than `f(x) = x + 1`, which has that x."""
    for pattern in (_EVERYWHERE, _IN_REALS):
        found = pattern.search(s)
        if found and re.search(rf"(?<![A-Za-z\\]){found.group(1)}(?![A-Za-z])", s[: found.start()]):
            return s[: found.start()]
    parameter = _IN_INTEGERS.search(s)
    if parameter and re.match(rf"\s*(?!{parameter.group(1)}\s*=)[A-Za-z]\w*\s*=.*(?<![A-Za-z\\]){parameter.group(1)}(?![A-Za-z])", s):
        return s[: parameter.start()]  # x = \frac{\pi}{4} + n\pi, n \in \mathbb{Z}
    return s


def definition(s: str) -> tuple[str, str, str] | None:
    r"""(the rest, the symbol, what it stands for) of `\lfloor\varphi n\rfloor, where \varphi = ...`, else None."""
    found = _WHERE.match(s) if "where" in s else None
    return (found.group(1), found.group(2).removeprefix("\\"), found.group(3)) if found else None
