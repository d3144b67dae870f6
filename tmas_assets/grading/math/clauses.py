r"""Takes off what an answer says besides its value: a gloss, `for all x`, `where \varphi = ...`.

Texts are in `latex.one_spelling`. A clause that restricts the answer (`for x > 2`, `where c \ne 1`) is left in place:
it is part of it.
"""

import re

_GLOSS = re.compile(
    r"\s*(?:\(|\\text\{\s*\()\s*(?:\\text\{\s*)?(?:\\approx|or\b|approx|about|i\.e|that is|since|because)[^()]*(?:\([^()]*\)[^()]*)*\)\s*\}?\s*$")
_SECOND = re.compile(r"(?:^|=)\s*(-?\d+)\s*(?:\(|\\text\{\s*\()\s*(?:\\text\{)?\s*or\s*\}?\s*(-?\d+)\s*\)\s*\}?\s*$")
_ONLY = re.compile(r"(?:\\text\{[\s,(]*|(?<=[\s\d)}])\(?)only[\s.)]*\}?[\s.]*$")
_REMARK = re.compile(
    r"(?<=[\w)}\]])\s*(?:\(|\\text\{\s*\()(?![^()]*\b(?:if|when|where|for|unless|odd|even|mod|modulo|base|except|not|times|per|each|or|and|over|of|am|pm)\b)"
    r"(?:\s*\\text\{)?[\s,]*[A-Za-z]{4,}(?:[\s,'-]+[A-Za-z]+){0,5}[\s.!]*\}?\s*\)\s*\}?\s*$")
_GAP = r"(?:\s|\\text\{|\}|\$)*+"
_KIND = (rf"(?:(?:an?|any|some|all|every|each|fixed|arbitrary|real|integers?|reals|rational|complex|natural|constants?|numbers?|parameters?"
         rf"|values?|of|free|(?:positive|nonnegative|non-negative) integers?)(?![A-Za-z]){_GAP})")
_LETTERS = rf"([A-Za-z](?:_\w)?(?:{_GAP}(?:,|and){_GAP}[A-Za-z](?:_\w)?){{0,5}})"
_DOMAIN = rf"\\in{_GAP}\\mathbb\{{([RZNQC])\}}(?![\s{{}}]*[\^_\\])"
_QUANTIFIED = re.compile(
    rf"(?:[\s,;]|\\text\{{[\s,;]*)*\(?(?:\s|\\text\{{)*(?:"
    rf"(?P<forall>\\forall|(?<![A-Za-z])for(?![A-Za-z]){_GAP}(?:all|any|every|each|some|arbitrary)(?![A-Za-z])){_GAP}(?P<kind>{_KIND}*){_LETTERS}(?:{_GAP}{_DOMAIN})?"
    rf"|(?P<lead>(?<=[,;(]){_GAP}|(?<![A-Za-z])(?:where|with|for|and)(?![A-Za-z]){_GAP}){_LETTERS}{_GAP}"
    rf"(?:{_DOMAIN}|(?:is|are|being|=|:)?{_GAP}(?P<is>{_KIND}+))"
    rf"){_GAP}\)?{_GAP}$")
_LONGEST = 160
"""Characters of a clause."""
_MAY_QUANTIFY = re.compile(r"\\in(?![A-Za-z])|\\forall|\b(?:for|where|with|and|real|integer|constant|arbitrary)\b")
_SORTS = (("integer", "Z"), ("natural", "N"), ("positive", "N"), ("rational", "Q"), ("complex", "C"), ("real", "R"))
_WHERE = re.compile(
    r"^(.*?)[\s,]*(?:\\text\{[\s,]*)?\bwhere\s*\}?\s*(\\?[A-Za-z]+)\s*=\s*([^=<>,]+)$", re.DOTALL)


def without_gloss(s: str) -> str:
    r"""`\frac13 (\approx 0.33)` and `5 (since 2 + 3 = 5)` without what is said in brackets, and `5 only` without its end."""
    if "only" in s:
        s = _ONLY.sub("", s)
    if ")" not in s:
        return s
    if (second := _SECOND.search(s)) and int(second.group(1)) != int(second.group(2)):
        return rf"{s[: second.end(1)]} \text{{ or }} {second.group(2)}"  # 7 (or 8) is two candidates
    return _REMARK.sub("", _GLOSS.sub("", s))


def quantified(s: str) -> tuple[str, tuple[tuple[str, str], ...]]:
    r"""(the rest, its free letters with the set each runs through) of `4k + 1, k \in \mathbb{Z}`.

    A clause that restricts what the answer asks for stays where it is: x > 2, x \in \mathbb{Z}.
    """
    found = _QUANTIFIED.search(s, max(0, len(s) - _LONGEST)) if _MAY_QUANTIFY.search(s) else None
    if found is None:
        return s, ()
    first, inside, second, within = found.group(3, 4, 6, 7)
    domain = inside or within or next((sort for word, sort in _SORTS if word in (found.group("kind") or found.group("is") or "")), "")
    names = re.findall(r"[A-Za-z](?:_\w)?", re.sub(r"\\text|and", " ", first or second))
    rest = s[: found.start()]
    if not all(re.search(rf"(?<![A-Za-z\\]){name}(?![A-Za-z_])|(?<![\\A-Za-z])[A-Za-z]?{name}[A-Za-z]?(?![A-Za-z])", rest) for name in names):
        return s, ()
    restricts = domain not in ("", "R") and (
        re.search(r"[<>]|\\(?:le|ge|ne|in)(?![A-Za-z])", rest) or any(re.match(rf"\s*{name}\s*(?:=|\\equiv)", rest) for name in names))
    return (s, ()) if restricts else (rest, tuple((name, domain) for name in names))


def definition(s: str) -> tuple[str, str, str] | None:
    r"""(the rest, the symbol, what it stands for) of `\lfloor\varphi n\rfloor, where \varphi = ...`, else None."""
    found = _WHERE.match(s) if "where" in s else None
    return (found.group(1), found.group(2).removeprefix("\\"), found.group(3)) if found else None
