r"""Reads a judge's reply as yes or no, three-valued: what is unclear is None, never one of the two.

A field counts first (`{"correct": "false"}`), then the last marked verdict (`Verdict: correct`, `\boxed{Incorrect}`),
then the last line, then words that agree all over the reply. Leaves out asking and what a verdict means.
"""

import re
from collections.abc import Iterator
from typing import Literal

from tmas_assets.grading.choice.text import BOX, BOX_END, plain
from tmas_assets.grading.thinking import split_thinking

Said = bool | None | Literal["silent"]
"""Right, wrong, unclear, or not a word about it."""
_MOST = 100
"""Marks, boxes and sentences looked at, the last ones."""
_LONGEST = 400
"""Characters of a marked verdict."""
_READ = 20_000
"""Characters, from the end, in which an unmarked verdict is looked for."""
_UNCLEAR = re.compile(
    r"\b(?:partial(?:ly)?|partly|half|almost|nearly|mostly|somewhat|largely|in part|not (?:entirely|fully|completely|quite|wholly|"
    r"exactly|necessarily|sure|clear|certain|determined|available|applicable|attempted|given|possible|enough)|may(?:be)?|might|"
    r"could be|would be|possibly|perhaps|unable|cannot|can['’]t|could not|unclear|undetermined|indeterminate|uncertain|unsure|"
    r"unknown|ambiguous|inconclusive|n/?a|neither|depends|whether|if|(?:not|n['’]t|never|nothing\b[^.,;]{0,30}|"
    r"no(?:ne)?\b[^.,;]{0,30})\s+(?:be |is |are )?(?:incorrect|wrong|false|mistaken|inaccurate|invalid|different)|"
    r"no (?:error|mistake|difference|issue|problem|fault)s?)\b|n['’]t (?:incorrect|wrong|false)\b|部分|无法|不确定", re.IGNORECASE)
_OF_ANOTHER = re.compile(
    r"(?<!gives )(?<!gave )(?<!gets )(?<!got )(?<!reaches )(?<!reached )(?<!states )(?<!obtains )(?<!found )(?<!is )(?<!at )"
    r"\b(?:the|a|this) (?:correct|right|true|wrong|incorrect|same|reference|expected) (?:final )?(?:answer|value|solution|result|"
    r"option|choice|response|side|sign|form|number|method|approach|idea|formula)\b|\bright[- ](?:hand|angle|triangle)\w*|"
    r"\b(?:correct|right) (?:answer|value|solution|result|option|choice)\s*(?::|=|is\b|was\b|would\b|should\b)", re.IGNORECASE)
"""Said of the gold answer or of a part of a formula, not of the answer judged."""
_NO = re.compile(
    r"(?:\b(?:not|never|non)\b|n['’]t\b)[\s-]+(?:be |a |an |the |at all |mathematically |logically |strictly )*(?:correct|right|true|"
    r"valid|accurate|acceptable|equivalent|equal|identical|match(?:es|ing)?|agree|consistent|same|pass(?:ed)?|accepted)\b"
    r"|\b(?:incorrect(?:ly)?|inaccurate|wrong(?:ly)?|false|invalid|mistaken|inequivalent|nonequivalent|unequal|mismatch(?:es|ed)?|"
    r"rejected|reject|fail(?:s|ed|ure)?|differs?|different|disagrees?|unacceptable|inconsistent)\b"
    r"|\bno(?: match)?\b(?=[\s*_]*(?:$|[.,;:!)\]}\"'\n–—-]))|[❌✗✘✖]|不正确|错误|错|不对|不等价|不一致|不同|不相等|否", re.IGNORECASE)
_YES = re.compile(
    r"\b(?:correct(?:ly)?|right|true|yes|valid|accurate|acceptable|accepted|accept|equivalent|equal|identical|match(?:es|ed)?|agrees?|"
    r"consistent|pass(?:es|ed)?|same)\b|[✓✔✅]|正确|正確|等价|一致|相同|相等|对|是", re.IGNORECASE)
_SIGNS = {"y": True, "t": True, "1": True, "n": False, "f": False, "0": False}
_GRADES = {"c": True, "i": False}
"""What a grade line calls correct and incorrect; other letters are marks of other scales."""
_KEY = r"(?:verdict|judge?ments?|decision|conclusion|assessment|correctness|grade)"
_FLAG = r"(?:(?:is[_ ])?(?:it |they |the (?:\w+ )?(?:answer|response) )?(?:correct|equivalent|match(?:es|ing)?|equal|same)|equivalence)"
_FIELD = re.compile(
    rf"[\"'](?P<key>(?:final_?)?{_KEY}|{_FLAG}|result|label|evaluation)[\"']\s*:\s*(?:\"(?P<double>[^\"\n]{{0,60}})\"|'(?P<single>[^'\n]{{0,60}})'"
    rf"|(?P<bare>true|false|null|none|[01](?![\d.])))|<(?P<tag>{_KEY}|{_FLAG})>\s*(?P<inside>[^<>\n]{{0,60}})\s*</", re.IGNORECASE)
_MARK = re.compile(
    rf"(?<![\w\"'])(?P<key>{_KEY})(?P<link>[^\w\n:=]{{0,4}}(?:[:=]|-(?=\s)|–|—|→|\b(?:is|was)\b:?)|[^\w\n]{{0,6}}\n)\s*"
    rf"|^[^\w\n]{{0,8}}(?:(?P<flag>{_FLAG})[^\w\n:=?]{{0,4}}[:=?]|(?:(?:final )?answer|result|evaluation|label)[^\w\n:=]{{0,4}}[:=])[ \t]*",
    re.IGNORECASE | re.MULTILINE)
_BOXED = re.compile(rf"{BOX}([^{BOX}{BOX_END}]{{0,100}}){BOX_END}|\[\[([^\[\]\n]{{1,40}})\]\]")
_FLAGGED = re.compile(r"\W*(yes|no|true|false|[01])(?![\w.])", re.IGNORECASE)
_LEAD = re.compile(r"[\s*_\"'(\[{]*(?:the (?:\w+ )?(?:answer|response|solution)s? (?:is|are) |(?:it|they|both|this) (?:is|are) |is )?",
                   re.IGNORECASE)
_PAUSE = re.compile(r"[\s*_\"')\]}]*(?:$|[.,;:!\n(–—]|-\s|\bbecause\b|\bsince\b|\bas\b)")
_END = re.compile(r"(?<=\S)[.!?](?=\s|$)|\n")


def read_verdict(text: str) -> bool | None:
    r"""True for right, False for wrong, None where the reply does not clearly say one.

    >>> read_verdict("Odd notation, yet nothing here is incorrect.\nVerdict: correct")
    True
    >>> read_verdict("I was unable to compare the two answers.") is None
    True
    """
    answer = split_thinking(text)[1] or ""
    if fields := _fields(answer):
        return fields.pop() if len(fields) == 1 else None
    reply = plain(answer).text
    marked = sorted([*_boxes(reply), *_marks(reply)], key=lambda found: found[0])
    if marked:
        return marked[-1][1]
    last = reply.rstrip()[-_READ:].rpartition("\n")[2]
    for part in (last, reply[-_READ:]):
        said = _agreed(part)
        if said != "silent":
            return said
    return None


def _fields(text: str) -> set[bool | None]:
    """What the fields of a JSON object, or tags, say; of fields with one name the last counts."""
    said: dict[str, bool | None] = {}
    for field in _FIELD.finditer(text[-_READ * 5 :]):
        key = (field["key"] or field["tag"]).lower()
        value = next(part for part in (field["double"], field["single"], field["bare"], field["inside"]) if part is not None)
        one = None if value.lower() in ("null", "none", "") else _phrase(value, grade=key == "grade")
        if one != "silent":
            said[key] = one
    return set(said.values())


def _boxes(reply: str) -> Iterator[tuple[int, bool | None]]:
    for box in list(_BOXED.finditer(reply))[-_MOST:]:
        said = _phrase(box[1] if box[1] is not None else box[2])
        if said != "silent":
            yield box.start(), said


def _marks(reply: str) -> Iterator[tuple[int, bool | None]]:
    for mark in list(_MARK.finditer(reply))[-_MOST:]:
        stop = _END.search(reply, mark.end(), mark.end() + _LONGEST)
        clause = reply[mark.end() : stop.end() if stop else mark.end() + _LONGEST]
        if mark["flag"]:
            flagged = _FLAGGED.match(clause)
            if flagged:
                yield mark.start(), flagged[1].lower() in ("yes", "true", "1")
            continue
        said = _phrase(clause, grade=mark["key"] is not None and mark["key"].lower() == "grade")
        if said != "silent":
            yield mark.start(), said


def _phrase(text: str, *, grade: bool = False) -> Said:
    """What a marked verdict says: its first word where a pause follows, else all of its words if they agree."""
    text = text.strip(f" \t\n.!*_\"'()[]{{}}{BOX}{BOX_END}")
    if len(text) == 1:
        return (_GRADES if grade else _SIGNS).get(text.lower(), "silent")
    lead = _LEAD.match(text)
    at = lead.end() if lead else 0
    if not _UNCLEAR.match(text, at):
        for words, said in ((_NO, False), (_YES, True)):
            if (first := words.match(text, at)) and _PAUSE.match(text, first.end()):
                return said
    said_by_all = _agreed(text)
    return None if said_by_all == "silent" and _UNCLEAR.search(text) else said_by_all


def _agreed(text: str) -> Said:
    """What all sentences say that say anything; unclear where one does, or where they differ."""
    said: set[bool | None] = set()
    starts = [0, *(end.end() for end in _END.finditer(text))]
    for start, end in zip(starts[-_MOST:], [*starts[1:], len(text)][-_MOST:], strict=True):
        sentence = _OF_ANOTHER.sub(" ", text[start:end])
        rest, denials = _NO.subn(" ", sentence)
        affirmed = _YES.search(rest) is not None
        if not (denials or affirmed) or sentence.rstrip().endswith("?"):
            continue
        unclear = _UNCLEAR.search(sentence) or (denials and affirmed)
        said.add(None if unclear else not denials)
    if not said:
        return "silent"
    return said.pop() if len(said) == 1 else None
