r"""Finds where a reply states its answer to a multiple-choice question, and which letters it names there.

In order: the last explicit statement (a box, `Answer: B`, `the correct option is B`, a last line that is a letter);
else the last sentence that takes a letter as the answer (`it has to be C`, `B is correct`); else a letter that stands
alone on a line, is the only one called correct in a list, or leads the first or the last line.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from itertools import pairwise

from tmas_assets.grading.choice.clause import LONGEST, SPECIES, announced, taken
from tmas_assets.grading.choice.listing import lists_options
from tmas_assets.grading.choice.text import BOX, BOX_END, Plain

MOST_BOXED = 3
"""Different letters in boxes in one reply. More of them is trying letters out, not answering."""
_MOST_STATEMENTS = 100
"""Statements and sentences looked at, from the last backwards."""
_MOST_REVISIONS = 10
_LONGEST_ALONE = 60
_READ = 20_000
"""Characters in which a statement that is not explicit is looked for."""
_LINK = (
    r"(?::|=|–|—|-(?=\s)|→|\b(?:is|was|are|(?:would|should|must|will|can only|ought to) be|has to be|(?:seems?|appears?)(?: to be)?|"
    r"remains|becomes)\b)"
    r"(?:\s+(?:clearly|therefore|thus|hence|simply|indeed|definitely|then|actually|just|obviously|now|still|most likely|likely|"
    r"probably|given by)\b)*\s*[:–—]?")
_NOUN = r"(?:answer|ans|options?|choice|alternative|response|selection|pick|guess|letter)"
_ELSEWHERE = (
    r"antwort|lösung|soluci[oó]n|soluzione|solução|antwoord|réponse|reponse|respuesta|resposta|risposta|ответ|відповідь|odpowiedź|odpověď|odpoveď|svar|vastaus|cevap|"
    r"yanıt|jawaban|jibu|đáp án|trả lời|απάντηση|válasz|răspuns|odgovor|отговор|одговор|ìdáhùn|idahun|उत्तर|الإجابة|إجابة|الاجابة|"
    r"الجواب|جواب|پاسخ|תשובה|উত্তর|คำตอบ|정답|답변|답|答え|答案|回答|解答|正解|答|正确选项|正確選項|正确的是|选项(?=[应是:为])|選項(?=[應是:為])|opción|opcion|opção|alternativa|opzione|optie|l['’]option|вариант|विकल्प|"
    r"선택지|選択肢|lựa chọn|seçenek|pilihan|الخيار")
_LINK_ELSEWHERE = (
    r"(?::|=|-(?=\s)|–|—|→|\b(?:ist|lautet|wäre|is|es|sería|est|é|è|seria|это|є|je|jest|este|är|er|là|adalah|είναι|hiyo ni|ni|to)\b|"
    r"应该是|应该为|应为|应是|(?<!不)是|为|為|选|選|は|が|은|는|है|هي|هو|היא|হল|คือ)\s*[:,]?(?:\s*(?:donc|also|daher|somit|por tanto|entonces|portanto|quindi|dus|(?-i:la|el|le|die|a|o|il))\s)*")
_ANNOUNCED = re.compile(
    rf"(?<![^\W\d_]){_NOUN}(?:s|\(s\)|[_ ](?:letter|choice|option|key|is)| ?#?\d{{1,3}})?"
    r"(?:\s+(?:to|for|of|here|in|among|that|which|i|we)\b[^.:\n]{0,60}?)?"
    rf"(?: ?[\[(][A-Z](?:\s?[-–/|,]\s?[A-Z]){{1,25}}[\])])?[\s\"')\]{BOX_END}]{{0,4}}{_LINK}"
    rf"|(?<![^\W\d_])(?:final|correct|right|best)\s+{_NOUN}\s+(?=\(?[A-Z]\)?\s*(?:[.,;\n]|$))"
    r"|(?<![^\W\d_])(?:correct|solution|conclusion|result|verdict|final)\s*:"
    rf"|^[^\w\n{BOX}]{{0,8}}(?:(?:my|the|final|correct)\s+){{0,2}}answer[^\w\n{BOX}]{{0,8}}$"
    rf"|(?<![A-Za-zÀ-ɏЀ-ӿ])(?:{_ELSEWHERE})(?:[\s()\[\]】」』]*(?=[A-Z](?![A-Za-z]))|[^\n:.]{{0,40}}?{_LINK_ELSEWHERE})"
    r"|(?<![不未])(?<!不应)(?<!不能)(?:[应應故当當可]|本题|因此|所以|应该)?[选選](?:择|擇)?(?![项項])\s*(?:[是:为為])?",
    re.IGNORECASE | re.MULTILINE)
_IS_THE_ANSWER = re.compile(
    r"\b(?:is|must be|seems|remains)\s+(?:therefore |thus |clearly )?(?:the|my)\s+(?:\w+ ){0,2}(?:answer|option|choice)\b"
    r"(?!\s*(?:is|:|=))", re.IGNORECASE)
_BOXES = re.compile(rf"{BOX}([^{BOX}{BOX_END}]*){BOX_END}")
_BETWEEN_BOXES = re.compile(r"[\s,;&/.]*(?:and|or|和|或)?\s*(?:also|maybe|perhaps|possibly|even)?[\s,;&/]*", re.IGNORECASE)
_END = re.compile(rf"(?<=\S)[.!?](?=\s|$)(?! {SPECIES})|\n")
_NONE_OF_THEM = re.compile(
    r"[\W_]*(?:none\b|neither\b|no (?:correct |valid |right |such |suitable )?(?:option|answer|choice)|not (?:listed|given|possible|"
    r"among|enough)|(?:it )?(?:cannot|can['’]t) be|unable|undetermined|unknown|unclear|insufficient|i (?:don['’]t|do not|cannot)\b|"
    r"n/?a\b|以上|无法|都不)", re.IGNORECASE)
_SUPPOSED = re.compile(
    r"\b(?:if|unless|suppos\w+|assuming|were|had|might|tempt\w*|at first|initially|first (?:thought|guess)|some(?:one)?|students?|"
    r"people|others)\b", re.IGNORECASE)
_TURN = (r"(?:no,? )?(?:wait|actually|correction|scratch that|on (?:second thought|reflection|closer look)|hold on|hmm+|sorry|oops|my mistake|(?:or )?i mean|make that|"
         r"or rather|no(?=[,.:;–—-]))(?![\w-])")
_REVISION = re.compile(rf"(?<=[.!?\n])\s{{0,4}}{_TURN}[\s,.:!—–-]*(?:(?:{_TURN})[\s,.:!—–-]*){{0,3}}", re.IGNORECASE)
_TURNED = re.compile(rf"[\s,;:(–—-]\s{{0,3}}{_TURN}[\s,.:!—–-]*(?:(?:{_TURN})[\s,.:!—–-]*){{0,3}}(?=\S)", re.IGNORECASE)
"""A revision within a clause."""
_FIRST_THOUGHT = re.compile(r"[\s,]*(?:is|was) (?:only |just )?(?:what|the|my)\b[^.;\n]{0,30}\b(?:first|initial\w*|original\w*)\b", re.IGNORECASE)
_NAMED_BEFORE = re.compile(r"[\s(\[]*([A-Z])[\s)\]]*(?:[,;.:/|&]|\band\b|\bor\b|\s)*(?:the |my |final |correct )*", re.IGNORECASE)
"""All that stands between two marks that name a letter each."""
_IS = re.compile(r"\b(?:is|are|be|was|gives?|get|obtain|equals?|yields?)\s+(?:about |approximately |roughly |therefore )?", re.IGNORECASE)
_MOST_ENDS = 6
_ALONE = re.compile(rf"(?![^A-Za-z]*{BOX}\s*-)(?:(?:q(?:uestion)?\s?)?\d{{1,3}}[.):]\s)?[\s({{\[\"'{BOX}.:→-]*(?:option |choice |answer )?[\s({{\[\"'{BOX}]*([A-Za-z])[\s)}}\]\"'{BOX_END}.,!]*", re.IGNORECASE)
_LED = re.compile(r"[\s(\[|•·–-]*(?:option\s+)?\(?([A-Za-z])(?:[).:\]]|\s*[|–—→✓✔✅❌✗✘-]|\s+(?=is\b))(?=\s|[✓✔✅❌✗✘]|$)", re.IGNORECASE)
_CALLED_RIGHT = re.compile(r"(?<!not )(?<!in)\b(?:correct|right|true|yes)\b|[✓✔✅]|正确", re.IGNORECASE)
_CALLED_WRONG = re.compile(r"\b(?:incorrect|wrong|false|no|not)\b|n['’]t\b|[❌✗✘✖]|错误|不正确", re.IGNORECASE)


@dataclass(frozen=True)
class Statement:
    """A place that may state the answer: the clause, its box as it was written, and whether it only supposes."""

    start: int
    clause: str
    line: str
    """The clause to the end of its line, since a full stop may belong to the text of an option."""
    box: str | None
    supposed: bool
    rest: str = ""
    """The clause and the lines after it, for options that are listed there."""
    offers: bool = False
    """Whether it announces options and no answer."""


Read = Callable[[Statement], tuple[str, ...] | None]


def stated(reply: Plain, letters: str, by_text: Callable[[str, bool], str | None]) -> tuple[str, ...]:
    """The letters the reply gives as its answer: one, several where it names several, none where it gives none.

    `by_text(text, whole)` is the letter of the option that has this text (or, unless `whole`, whose text it begins
    with), None where that is no single one.
    """
    if _boxed_letters(reply, letters) > MOST_BOXED:
        return ()
    supposed = None
    for statement in _statements(reply):
        read = _read(statement, letters, by_text)
        if read is None:
            continue
        if not statement.supposed:
            return _revised(reply.text[statement.start :], letters) or read
        supposed = supposed or read
    if supposed:
        return supposed
    for sentence in reversed(_sentences(reply.text[-_READ:])[-_MOST_STATEMENTS:]):
        if named := taken(sentence, letters):
            return named
    return _lines(reply.text, letters) or _by_text(reply, by_text)


def _revised(rest: str, letters: str) -> tuple[str, ...] | None:
    """What a statement is taken back for: `Answer: A. Wait, no. It must be C.`"""
    for revision in reversed(list(_REVISION.finditer(rest, 0, _READ))[-_MOST_REVISIONS:]):
        sentences = _sentences(rest[revision.end() : _READ])[:_MOST_STATEMENTS]
        # the words right behind the revision need say no more than a letter
        later = (taken(sentence, letters, last=place == 0) for place, sentence in enumerate(sentences))
        if named := next(filter(None, later), None):
            return named
    return None


def _turned(clause: str, letters: str) -> tuple[str, ...] | None:
    """What a clause ends on after it takes its first letter back: `C, no wait, D`."""
    turns = [turn for turn in _TURNED.finditer(clause) if re.search(r"\w", clause[: turn.start()])]
    return taken(clause[turns[-1].end() :], letters, last=True) if turns else None


def _read(statement: Statement, letters: str, by_text: Callable[[str, bool], str | None]) -> tuple[str, ...] | None:
    if statement.box is not None and re.match(r"\s*[-−+±]\s?[A-Za-z](?![A-Za-z])", statement.box):
        return ()  # a formula
    if lists_options(statement.rest, letters):
        return None if statement.offers else ()
    alone = _alone(statement.clause)
    if alone and alone[1].upper() in letters:
        return (alone[1].upper(),)
    written = statement.box if statement.box is not None else statement.clause
    for text in dict.fromkeys((written, statement.line)):
        if letter := by_text(text, True):
            return (letter,)
    if turned := _turned(statement.clause, letters):
        return turned
    if named := announced(statement.clause, letters):
        return named
    if letter := by_text(written, False):
        return (letter,)
    # letters that are only turned down are no word about the rest
    return () if _NONE_OF_THEM.match(statement.clause) and not re.search(r"(?<!\w)[A-HJ-Z](?!\w)", statement.clause) else None


def _statements(reply: Plain) -> Iterator[Statement]:
    """From the last backwards."""
    text = reply.text
    places = [(mark.start(), mark.end()) for mark in _ANNOUNCED.finditer(text)][-_MOST_STATEMENTS:]
    found = _marked(text, places)
    found += [_around(text, mark) for mark in list(_IS_THE_ANSWER.finditer(text))[-_MOST_STATEMENTS:]]
    found += _boxed(reply)
    if alone := _last_alone(text):
        found.append(alone)
    yield from sorted(found, key=lambda statement: statement.start, reverse=True)[:_MOST_STATEMENTS]


def _marked(text: str, places: list[tuple[int, int]]) -> list[Statement]:
    """What stands behind the marks. Marks of one line with a letter each and nothing between are one statement; more
    of them than a reply may box are one over lines too."""
    found: list[Statement] = []
    run: list[str] = []
    of_line: list[str] = []
    for place, (start, end) in enumerate(places):
        statement = _after(text, start, end)
        if together := of_line or (run if len({*run, statement.clause[:1]}) > MOST_BOXED else []):
            clause = ", ".join(dict.fromkeys([*together, statement.clause]))
            statement = replace(statement, clause=clause, line=clause, rest=clause)
        found.append(statement)
        before = places[place + 1][0] if place + 1 < len(places) else end
        named = _NAMED_BEFORE.fullmatch(text, end, before) if end < before <= end + _LONGEST_ALONE else None
        run = [*run, named[1]] if named else []
        of_line = [*of_line, named[1]] if named and "\n" not in text[end:before] else []
    return found


def _alone(line: str) -> re.Match[str] | None:
    return _ALONE.fullmatch(line) if len(line) <= _LONGEST_ALONE else None


def _last_alone(text: str) -> Statement | None:
    """The last line where it is nothing but a letter, with the lines before it that are such too."""
    start = len(text.rstrip())
    letters: list[str] = []
    while len(letters) < _MOST_STATEMENTS:
        line_start = text.rfind("\n", 0, start) + 1
        line = text[line_start:start]
        if line.strip():
            if not (alone := _alone(line)):
                break
            letters.insert(0, alone[1])
        if line_start == 0:
            break
        start = line_start - 1
    clause = ", ".join(letters)
    return Statement(start, clause, clause, None, False) if letters else None


def _after(text: str, start: int, end: int) -> Statement:
    lead = re.compile(r"[\s.:]*").match(text, end)
    begin = lead.end() if lead else end
    stop = _END.search(text, begin, begin + LONGEST)
    clause = text[begin : stop.end() if stop else begin + LONGEST].rstrip(" \n")
    line = text[begin : begin + LONGEST].partition("\n")[0]
    before = text[max(0, start - 120) : start]
    offers = re.search(r"\b(?:options|choices|alternatives)\b", text[start:end], re.IGNORECASE) is not None
    supposed = _SUPPOSED.search(_END.split(before)[-1]) is not None
    return Statement(start, clause, line, None, supposed, text[begin : begin + LONGEST], offers)


def _around(text: str, mark: re.Match[str]) -> Statement:
    """The sentence up to the mark, whose subject is the answer: `B is the correct option`."""
    before = _END.split(text[max(0, mark.start() - LONGEST + 60) : mark.start()])[-1]
    clause = before + mark.group()
    return Statement(mark.start(), clause, clause, None, _SUPPOSED.search(before) is not None)


def _boxed(reply: Plain) -> list[Statement]:
    """Boxes; those side by side are one statement."""
    found: list[Statement] = []
    spans = list(_BOXES.finditer(reply.text))
    if len(spans) != len(reply.boxes):
        return []
    ends: list[int] = []
    for span, written in list(zip(spans, reply.boxes, strict=True))[-_MOST_STATEMENTS:]:
        clause = span[1].strip()
        if _FIRST_THOUGHT.match(reply.text, span.end()):
            continue
        if found and _BETWEEN_BOXES.fullmatch(reply.text, ends[-1], span.start()):
            earlier = found.pop()
            if earlier.clause != clause:
                clause = f"{earlier.clause}, {clause}"
                written = clause
        found.append(Statement(span.start(), clause, clause, written, False, clause))
        ends.append(span.end())
    return found


def _sentences(text: str) -> list[str]:
    """With the sign that ends each."""
    ends = [0, *(end.end() for end in _END.finditer(text)), len(text)]
    return [part for start, end in pairwise(ends) if (part := text[start:end].strip())]


def _boxed_letters(reply: Plain, letters: str) -> int:
    alone = (_alone(box[1]) for box in _BOXES.finditer(reply.text))
    return len({found[1].upper() for found in alone if found and found[1].upper() in letters})


def _lines(text: str, letters: str) -> tuple[str, ...]:
    """What lines alone say: a letter on a line of its own, the one called correct, the first or last line's lead."""
    lines = [line for line in text.split("\n") if line.strip()]
    alone = [found[1].upper() for line in lines if (found := _alone(line)) and found[1].upper() in letters]
    if alone:
        return tuple(dict.fromkeys(alone)) if len(alone) == len(lines) else (alone[-1],)
    led = [(found[1].upper(), line) for line in lines if (found := _LED.match(line)) and found[1].upper() in letters]
    if len({letter for letter, _ in led}) > 1:
        right = {letter for letter, line in led if _CALLED_RIGHT.search(line) and not _CALLED_WRONG.search(line)}
        return tuple(right) if len(right) == 1 else ()
    for line in dict.fromkeys([*lines[:1], *lines[-1:]]):
        sentences = _sentences(line[-_READ:])
        for sentence in dict.fromkeys([*sentences[-1:], *sentences[:1]]):
            if named := taken(sentence, letters, last=True):
                return named
    return ()


def _by_text(reply: Plain, by_text: Callable[[str, bool], str | None]) -> tuple[str, ...]:
    """A reply or a last line that is the text of an option."""
    line = reply.text.strip().rpartition("\n")[2]
    sentence = _END.split(line.rstrip(". "))[-1][-LONGEST:]
    ends = [sentence[verb.end() :] for verb in list(_IS.finditer(sentence))[-_MOST_ENDS:]]
    for text in (line, sentence, sentence.rpartition("=")[2], *reversed(ends)):
        if letter := by_text(text, True):
            return (letter,)
    return ()
