r"""Reads a judge's reply as yes or no, three-valued: what is unclear is None, never one of the two.

A field counts first (`{"correct": "false"}`), then marked verdicts (`Verdict: correct`, `\boxed{Incorrect}`, a first
sentence that is `INCORRECT` or the like), then the last line, then words that agree all over the reply.

Where marked verdicts contradict each other, the last one decides only if words of revision (`wait`, `on reflection`,
`final`) come before it, or if it is a `Verdict:` line that ends the reply. A first word alone is taken back by a
sentence of the opposite about the answer judged, and then the reply is unclear; what else is called right or wrong (the
gold, a step, a number) takes nothing back. Leaves out asking, what a verdict means, and words (`verdict_words.py`).
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from tmas_assets.grading.choice.text import BOX, BOX_END, plain
from tmas_assets.grading.thinking import split_thinking
from tmas_assets.grading.verdict_words import (
    END,
    MOST,
    Said,
    agreed,
    bare,
    of_the_answer,
    sentences,
    starts_with,
    unclear,
)

_LONGEST = 400
"""Characters of a marked verdict."""
_READ = 20_000
"""Characters, from the end, in which an unmarked verdict is looked for."""
_NO_REPLY = re.compile(r"\s*(?:<!doctype|<html|(?:```(?:json)?\s*)?\{[^}]*\Z)", re.IGNORECASE)
"""A page of a gateway, or an object that was cut off before its verdict."""
_IN_PART = re.compile(r"\b(?:partial(?:ly)?(?! (?:sum|fraction|derivative|product))|partly|in part)\b|\d\s*%", re.IGNORECASE)
_SIGNS = {"y": True, "t": True, "1": True, "n": False, "f": False, "0": False}
_GRADES = {"c": True, "i": False}
"""What a grade line calls correct and incorrect; other letters are marks of other scales."""
_KEY = r"(?:verdict|judge?ments?|decision|conclusion|assessment|correctness|grade)"
_FLAG = r"(?:(?:is[_ ])?(?:it |they |the (?:\w+ )?(?:answer|response) )?(?:correct|equivalent|match(?:es|ing)?|equal|same)|equivalence)"
_FIELD = re.compile(
    rf"[\"'](?P<key>(?:final_?)?{_KEY}|{_FLAG}|result|label|evaluation)[\"']\s*:\s*(?:\"(?P<double>[^\"\n]{{0,400}})\"|'(?P<single>[^'\n]{{0,400}})'"
    rf"|(?P<bare>true|false|null|none|[01](?![\d.]))|(?P<other>[\[{{]|-?[\d.]+))|<(?P<tag>{_KEY}|{_FLAG})>\s*(?P<inside>[^<>\n]{{0,60}})\s*</", re.IGNORECASE)
_MARK = re.compile(
    rf"(?<![\w\"'])(?P<key>{_KEY})(?P<link>[^\w\n:=]{{0,4}}(?:[:=]|-(?=\s)|–|—|→|\b(?:is|was)\b:?)|[^\w\n]{{0,6}}\n)\s*"
    rf"|^[^\w\n]{{0,8}}(?:(?P<flag>{_FLAG})[^\w\n:=?]{{0,4}}[:=?]|(?:(?:final )?answer|result|evaluation|label)[^\w\n:=]{{0,4}}[:=])[ \t]*",
    re.IGNORECASE | re.MULTILINE)
_BOXED = re.compile(rf"{BOX}([^{BOX}{BOX_END}]{{0,100}}){BOX_END}|\[\[([^\[\]\n]{{1,40}})\]\]")
_FLAGGED = re.compile(r"\W*(yes|no|true|false|[01])(?![\w.])", re.IGNORECASE)
_LEAD = re.compile(r"[\s*_\"'(\[{]*(?:the (?:\w+ )?(?:answer|response|solution)s? (?:is|are) |(?:it|they|both|this) (?:is|are) |is )?",
                   re.IGNORECASE)
_REVISED = re.compile(
    r"\b(?:wait|actually|instead|on (?:\w+ )?(?:reflection|thought|look|inspection)|closer|correction|then|but|however|final(?:ly)?|sorry|oops|scratch|"
    r"revis\w+|reconsider\w*|after all|hold on|hmm|re-?check\w*|mistake)\b|\bno[,.:;]", re.IGNORECASE)
_TURN = re.compile(r"[\s*_\"'(]*(?:wait|but|yet|however|actually|hmm|correction|though|although|no[,.])\b", re.IGNORECASE)
_HEAD = re.compile(r"([^:;,–—(\n]{1,60}?)(\s*[:;,–—(]|\s+-\s)")


@dataclass(frozen=True)
class _Mark:
    start: int
    end: int
    said: bool | None
    line: bool = False
    """Whether it is a `Verdict:` at the start of its line."""


def read_verdict(text: str) -> bool | None:
    r"""True for right, False for wrong, None where the reply does not clearly say one.

    >>> read_verdict("Odd notation, yet nothing here is incorrect.\nVerdict: correct")
    True
    >>> read_verdict("I was unable to compare the two answers.") is None
    True
    """
    answer = split_thinking(text)[1] or ""
    fields, unread = _fields(answer)
    if fields:
        return fields.pop() if len(fields) == 1 else None
    if _NO_REPLY.match(answer):
        return None
    reply = plain(answer).text
    marks = sorted([*_boxes(reply), *_marks(reply)], key=lambda mark: mark.start)
    first, alone = _first(reply)
    if marks:
        lead = [_Mark(0, 0, first)] if alone and first is not None else []
        return _last_clear([*lead, *marks], reply)
    if unread:
        return None
    if first is not None or alone:
        return first
    return _last_words(reply)


def _fields(text: str) -> tuple[set[bool | None], bool]:
    """What the fields of a JSON object, or tags, say, and whether one says what is no verdict. Of fields with one name
    the last counts, where words of revision stand before it; otherwise they have to agree."""
    text = text[-_READ * 5 :]
    said: dict[str, list[_Mark]] = {}
    unread = False
    for field in _FIELD.finditer(text):
        key = (field["key"] or field["tag"]).lower()
        value = next(part for part in (field["double"], field["single"], field["bare"], field["other"], field["inside"]) if part is not None)
        one = None if value.lower() in ("null", "none", "", "[", "{") else _phrase(value, grade=key == "grade")
        if one == "silent":
            unread = unread or re.fullmatch(rf"(?:final_?)?{_KEY}|{_FLAG}", key) is not None
        else:
            said.setdefault(key, []).append(_Mark(field.start(), field.end(), one))
    return {_last_clear(marks, text) for marks in said.values()}, unread


def _last_clear(marks: list[_Mark], text: str) -> bool | None:
    """What the marks say; where they differ, what the last one says if it is clearly the last word."""
    last = marks[-1]
    others = [mark for mark in marks if mark.said is not last.said]
    if not others:
        return last.said
    between = text[others[-1].end : last.start]
    ends = last.line and "\n" in between and not text[last.end :].partition("\n")[2].strip()
    return last.said if ends or _REVISED.search(between[-_READ:] + text[last.start : last.start + 8]) else None


def _boxes(reply: str) -> Iterator[_Mark]:
    for box in list(_BOXED.finditer(reply))[-MOST:]:
        said = _phrase(box[1] if box[1] is not None else box[2])
        if said != "silent":
            yield _Mark(box.start(), box.end(), said)


def _marks(reply: str) -> Iterator[_Mark]:
    for mark in list(_MARK.finditer(reply))[-MOST:]:
        stop = END.search(reply, mark.end(), mark.end() + _LONGEST)
        end = stop.end() if stop else mark.end() + _LONGEST
        clause = reply[mark.end() : end]
        line = re.search(r"(?:^|\n)[^\w\n]*(?:(?:my|the|final|so|overall|,)\s*){0,3}$", reply[max(0, mark.start() - 40) : mark.start()], re.IGNORECASE)
        if mark["flag"]:
            flagged = _FLAGGED.match(clause)
            if flagged:
                yield _Mark(mark.start(), end, flagged[1].lower() in ("yes", "true", "1"), line is not None)
            continue
        said = _phrase(clause, grade=mark["key"] is not None and mark["key"].lower() == "grade")
        if said != "silent":
            yield _Mark(mark.start(), len(reply[:end].rstrip()), said, line is not None)


def _phrase(text: str, *, grade: bool = False) -> Said:
    """What a marked verdict says: its first word where a pause follows, else all of its words if they agree."""
    text = text.strip(f" \t\n.!*_\"'()[]{{}}{BOX}{BOX_END}").replace("_", " ")
    if len(text) == 1:
        return (_GRADES if grade else _SIGNS).get(text.lower(), "silent")
    if _IN_PART.search(text[:60]):
        return None
    lead = _LEAD.match(text)
    first = starts_with(text, lead.end() if lead else 0)
    if first is not None:
        return first
    said_by_all = agreed(text)
    return None if said_by_all == "silent" and unclear(text) else said_by_all


def _first(reply: str) -> tuple[bool | None, bool]:
    """What the first sentence says where it is a verdict, and whether it is nothing but one (`INCORRECT: ...` too).

    None and True where it is one, and what follows takes it back or says the same of another thing than clearly.
    """
    reply = reply.lstrip()
    stop = END.search(reply, 0, _LONGEST)
    sentence, rest = reply[: stop.end() if stop else _LONGEST], reply[stop.end() :] if stop else reply[_LONGEST:]
    said = bare(sentence)
    if said is None and (head := _HEAD.match(sentence)) and (begun := bare(head[1])) is not None:
        tail = sentence[head.end() :]
        named = begun and (head[2].strip() == "," or (head[2].strip() == ":" and not re.search(r"pass|yes|accept|✓|✅", head[1], re.IGNORECASE)))
        if not (named or _TURN.match(tail)) and (not begun or agreed(tail) in (True, "silent")):
            said, rest = begun, tail + "\n" + rest
    if said is not None:
        return (None if _taken_back(rest[-_READ:], said) else said), True
    of_it = of_the_answer(sentence)
    if isinstance(of_it, bool):
        return (None if agreed(_last_line(rest)) is not of_it and agreed(_last_line(rest)) != "silent" else of_it), False
    return None, False


def _taken_back(rest: str, said: bool) -> bool:
    for sentence in sentences(rest):
        of_it = of_the_answer(sentence)
        if bare(sentence) is (not said) or of_it is (not said) or (of_it is None and said):
            return True
        if _TURN.match(sentence) and agreed(sentence) not in (said, "silent"):
            return True
    return False


def _last_line(text: str) -> str:
    return text.rstrip()[-_READ:].rpartition("\n")[2]


def _last_words(reply: str) -> bool | None:
    """What the last line says, else what agrees all over the reply."""
    for part in (_last_line(reply), reply[-_READ:]):
        said = agreed(part)
        if said != "silent":
            return said
    return None
