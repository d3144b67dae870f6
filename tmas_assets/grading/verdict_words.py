r"""Says what words of judgement mean: right, wrong, unclear, or nothing about the answer judged.

What is said of the gold answer, of a step or of a bare number counts for nothing. A negation that is not understood
makes its sentence unclear. Leaves out which of a reply's sentences decide (`verdict_text.py`).
"""

import re
from typing import Literal

Said = bool | None | Literal["silent"]
"""Right, wrong, unclear, or not a word about it."""
MOST = 100
"""Sentences looked at, the last ones."""
_LONGEST_BARE = 80
_FITS = (r"(?:correct(?:ly)?|right|true|valid|accurate|acceptable|accept(?:ed)?|equivalent|equal|identical|match(?:es|ing|ed)?|agree(?:s|ing)?|"
         r"consistent|same|pass(?:ed|es)?)")
_UNCLEAR = re.compile(
    r"\b(?:partial(?:ly)?|partly|half|almost|nearly|mostly|somewhat|largely|in part|not (?:entirely|fully|completely|quite|wholly|"
    r"exactly|necessarily|sure|clear|certain|determined|available|applicable|attempted|given|possible|enough)|may(?:be)?|might|"
    r"could be|would be|should be|possibly|perhaps|unable|cannot|can['’]t|could not|unclear|undetermined|indeterminate|uncertain|unsure|"
    r"unknown|ambiguous|inconclusive|n/?a|neither|depends|whether|if|unless|(?:not|n['’]t|never|nothing\b[^.,;]{0,30}|"
    r"no(?:ne)?\b[^.,;]{0,30})\s+(?:be |is |are )?(?:incorrect|wrong|false|mistaken|inaccurate|invalid|different)|"
    r"no (?:error|mistake|difference|issue|problem|fault)s?|(?:un|in|im|dis|mis)-" + _FITS + r"|" + _FITS + r" (?:only|except|apart|aside|"
    r"up to|modulo|to within)|in correct(?! \w))\b|n['’]t (?:incorrect|wrong|false)\b|部分|无法|不确定", re.IGNORECASE)
_HEDGED = re.compile(
    r"\b(?:at first|first glance|initially|claim(?:s|ed)?|thinks?|thought|believes?|insists?|supposed(?:ly)?|allegedly|apparently|by mistake|mistakenly|erroneously|"
    r"close to|less than|(?:seem|look|appear)(?:s|ed)?\b[^.;]{0,60}\b(?:but|though|yet|however))\b", re.IGNORECASE)
"""What makes a word of assent no assent."""
_SAID_OF = r"(?:is|was|are|were|would be|looks?|seems?)(?: \w+ly| indeed| also| not| the| a)* (?:in)?(?:correct|right|wrong|true|false|valid|accurate)\b"
_OF_ANOTHER = re.compile(
    r"(?<!gives )(?<!gave )(?<!gets )(?<!got )(?<!reaches )(?<!reached )(?<!states )(?<!obtains )(?<!found )(?<!is )(?<!at )"
    r"\b(?:the|a|this) (?:correct|right|true|wrong|incorrect|same|reference|expected) (?:final )?(?:answer|value|solution|result|"
    r"option|choice|response|side|sign|form|number|method|approach|idea|formula)\b(?:(?: \S{1,20})? " + _SAID_OF + r")?|"
    r"\bright[- ](?:hand|angle|triangle)\w*|\b(?:correct|right) (?:answer|value|solution|result|option|choice)\s*(?::|=|is\b|was\b|would\b|should\b)"
    r"|\b(?:reference|expected|gold(?:en)?|ground[- ]truth|target|official|given key|key|textbook|draft|attempt|step|part|half|line|method|approach|"
    r"working|reasoning|idea|setup|formula|notation|value|number)(?: answer| value| solution| result| standard)?(?: (?:of|in|for) \S{1,20}| \S{1,20})? " + _SAID_OF
    + r"|\b(?:an|any) (?:answer|value) of \S{1,20} " + _SAID_OF
    + r"|(?:(?<=[.;:!,]\s)|^\s*|\bonly )[-−+$]{0,2}\d[\w./^%$]{0,20} " + _SAID_OF + r"|^\W*correct\s*:", re.IGNORECASE)
"""Said of the gold answer, of a step or of a part of a formula, not of the answer judged."""
_EITHER = re.compile(
    r"[\"'“‘*\[(]{0,4}\b(?P<one>(?:in)?correct|yes|no|right|wrong|true|false|pass|fail)\b[\"'”’*\])]{0,4}\s{0,3}(?:\bor\b|\band\b|/|\||\bvs?\b\.?)\s{0,3}[\"'“‘*\[(]{0,4}(?:not )?\b"
    r"(?!(?P=one)\b)(?:(?:in)?correct|yes|no|right|wrong|true|false|pass|fail)\b[\"'”’*\])]{0,4}", re.IGNORECASE)
"""Both words offered, as the question does."""
_DENIED = re.compile(
    r"(?:\b(?:not|never|cannot|can['’]t|could not|couldn['’]t|should not|must not)|n['’]t)\s+(?:(?:be|been|to be|really|actually|even|at all)\s+){0,2}"
    r"(?:(?:seem|appear|look|count|qualify|considered|regarded|deemed|counted|called|marked|graded|judged|treated|taken|seen)\s+)?"
    r"(?:to be\s+|as\s+|being\s+|the\s+|an?\s+)*" + _FITS + r"\b"
    r"|\b(?:far from|nowhere near|anything but|hardly|barely|scarcely|by no means|in no way|not even close to|no longer|fail(?:s|ed)? to(?: be| give| reach| agree)?)\s+"
    r"(?:being\s+|to\s+)?(?:the\s+|an?\s+)?" + _FITS + r"\b", re.IGNORECASE)
_NO_WORDS = (
    r"(?:(?:\b(?:not|never|non)\b|n['’]t\b)[\s_-]+(?:be |a |an |the |at all |mathematically |logically |strictly )*(?:correct|right|true|"
    r"valid|accurate|acceptable|equivalent|equal|identical|match(?:es|ing)?|agree|consistent|same|pass(?:ed)?|accepted)\b"
    r"|\b(?:incorrect(?:ly)?|inaccurate|wrong(?:ly)?|false|invalid|mistaken|inequivalent|nonequivalent|unequal|mismatch(?:es|ed)?|"
    r"rejected|reject|fail(?:s|ed|ure)?|differs?|different|disagrees?|unacceptable|inconsistent)\b"
    r"|\bno(?: match)?\b(?=[\s*_]*(?:$|[.,;:!)\]}\"'\n–—-]))|[❌✗✘✖]|不正确|错误|错|不对|不等价|不一致|不同|不相等|否)")
_YES_WORDS = (
    r"(?:\b(?:correct(?:ly)?|right|true|yes|valid|accurate|acceptable|accepted|accept|equivalent|equal|identical|match(?:es|ed)?|agrees?|"
    r"consistent|pass(?:es|ed)?|same)\b|[✓✔✅]|正确|正確|等价|一致|相同|相等|对|是)")
_NO, _YES = re.compile(_NO_WORDS, re.IGNORECASE), re.compile(_YES_WORDS, re.IGNORECASE)
_STRAY = re.compile(r"(?:\b(?:not|never|no|none|nothing|nobody|nor|neither|cannot|hardly|barely|without|lacks?|few)|n['’]t)\b[^.,;:()\n]{0,60}?" + _YES_WORDS, re.IGNORECASE)
"""A negation before a word of assent that says no more than that something is denied."""
_DANGLING = re.compile(r"(?:\bnot|(?:is|was|does|did|are|do|has)n['’]t)[\s*_\"')]*(?:$|[.,;!\n])", re.IGNORECASE)
"""A denial of what was said before."""
_ALL_NO, _ALL_YES = (re.compile(rf"(?:[A-Z\d]{{1,2}}[.):]\s+)?(?:an? )?(?:{words}[\s,.!:*_-]*){{1,4}}", re.IGNORECASE) for words in (_NO_WORDS, _YES_WORDS))
_SUBJECT = re.compile(
    r"(?:(?:so|thus|therefore|hence|overall|but|and|however|in (?:conclusion|summary|short|fact)|(?:i|we) (?:\w+ )?(?:think|conclude|say|find|judge)(?: that)?|"
    r"(?:which|this) means(?: that)?|wait|actually)\b[,:]?\s+){0,3}(?:it|this|that|they|both|these|(?:the|this|that|your|his|her|their|both)\s+(?:(?:final|given|submitted|"
    r"proposed|predicted|generated|provided|(?:student|model|candidate|user|assistant|respondent|ai|system)(?:['’]s)?)\s+){0,3}"
    r"(?:answer|response|solution|result|prediction|candidate|submission|output|expression|student|model)s?(?:\s+\(?[\d$\\]\S{0,30})?)"
    r"(?:['’]s|['’]re|\s+(?:is|are|was|were|must be|does|do|cannot|can['’]t)(?=\s|n['’]t))\s*(?:\w+ly |therefore |thus |indeed |also |hence )*"
    rf"(?:{_NO_WORDS}|{_YES_WORDS}|be {_FITS}\b)", re.IGNORECASE)
END = re.compile(r"(?<=\S)[.!?](?=\s|$)|\n")
_PAUSE = re.compile(r"[\s*_\"')\]}]*(?:$|[.,;:!\n(–—]|-\s|\bbecause\b|\bsince\b|\bas\b)")


def starts_with(text: str, at: int) -> bool | None:
    """What the word at this place says where a pause follows; None where there is no such word."""
    if not _UNCLEAR.match(text, at):
        for words, said in ((_NO, False), (_YES, True)):
            if (first := words.match(text, at)) and _PAUSE.match(text, first.end()):
                return said
    return None


def bare(text: str) -> bool | None:
    """What a text says that is nothing but a word of judgement: `**INCORRECT**`, `Yes.`, `❌ Wrong`. None for another."""
    text = text.strip(" \t\n.!*_\"'“”‘’()[]{}<>#:,;–—-")
    if len(text) > _LONGEST_BARE or _EITHER.search(text):
        return None
    return False if _ALL_NO.fullmatch(text) else True if _ALL_YES.fullmatch(text) else None


def of_the_answer(sentence: str) -> Said:
    """What a sentence says whose subject is the answer judged: `So the response is wrong.` Silent for another one."""
    return agreed(sentence) if _SUBJECT.match(sentence.lstrip(" \t\n*_\"'(")) else "silent"


def sentences(text: str) -> list[str]:
    """The last of them, with the sign that ends each."""
    starts = [0, *(end.end() for end in END.finditer(text))]
    return [text[start:end] for start, end in zip(starts[-MOST:], [*starts[1:], len(text)][-MOST:], strict=True)]


def agreed(text: str) -> Said:
    """What all sentences say that say anything; unclear where one does, or where they differ."""
    said: set[bool | None] = set()
    for written in sentences(text):
        if written.rstrip().endswith("?"):
            continue
        sentence = _DENIED.sub(" incorrect ", _EITHER.sub(" ", _OF_ANOTHER.sub(" ", written)))
        rest, denials = _NO.subn(" ", sentence)
        affirmed = _YES.search(rest) is not None
        dangling = _DANGLING.search(rest) is not None
        if not (denials or affirmed or dangling):
            continue
        hedged = _UNCLEAR.search(sentence) or (denials and affirmed) or (dangling and not denials) or (affirmed and (_STRAY.search(rest) or _HEDGED.search(sentence)))
        said.add(None if hedged else not denials)
    if not said:
        return "silent"
    return said.pop() if len(said) == 1 else None


def unclear(text: str) -> bool:
    """Whether a text hedges, or offers both words."""
    return _UNCLEAR.search(text) is not None or _EITHER.search(text) is not None
