r"""Takes off what a text says after its answer: `, attained at x = 2`, `of the 20 students`, `Note that 73 is prime.`

Works on sentences and clauses of running text. Leaves out which expression of the rest is the answer (`prose.py`).
"""

import re

from tmas_assets.grading.math.stretches import FORMULA

SENTENCE_END = re.compile(r"(?<=[\w)}\]$%°*!])\.(?=\s|$|\$|\*)|[。।]|[?？؟](?=\s|$)|\n")
_ENDS = re.compile(SENTENCE_END.pattern + r"|!(?=\s+[A-Z])|;(?=\s+[A-Za-z]{2})")
_MASK = "¤"
_LONGEST = 600
"""Characters of a sentence that is looked into."""
_VALUE = re.compile(rf"\d|{_MASK}|[½⅓⅔¼¾⅕⅛]")
_REMARK = re.compile(
    r"\W*(?:(?P<open>note|notice|observe|recall|remark|indeed|here|moreover|in particular)\b"
    r"|check(?:ing)?\b|verif\w+|as a (?:\w+ )?check|sanity check|see |confidence|equality (?:holds|occurs|is)"
    r"|(?:this|that|it|we|one|you|which) (?:can|may|could) (?:also |easily |now )*(?:be )?(?:check|verif|confirm|seen?)\w*"
    r"|(?:this|that|these|the (?:above|proof|argument|solution|computation)) "
    r"(?:also )?(?:completes?|concludes?|finishes|match(?:es)?|agrees?|confirms?|shows?|proves?|used?|uses|follows?|holds?|"
    r"satisf\w+|was|works?|(?:is|are) (?:because|since|consistent|attained|achieved|obtained|true|reached|the \d+(?:st|nd|rd|th)))"
    r"|(?:the |a )?(?:\w+ ){0,3}(?:is|are) (?:attained|achieved|reached) (?:at|when|for|if|by|with)"
    r"|注意|注[:：]|验证|验算|检验|此时)", re.IGNORECASE)
_DENIAL = re.compile(r"\b(?:is|are|was|does|do|can|could|will|would)(?:\s?n[o']t|not)\b", re.IGNORECASE)
_CONCLUDES = re.compile(
    r"\b(?:so|thus|hence|therefore|giving|gives?|leaving|leaves?|answer|total|altogether|in all|yields?|yielding|making|makes?)\b|⇒|→|=>"
    r"|所以|因此|故|共", re.IGNORECASE)
_STATES = re.compile(
    r"\b(?:is|are|was|were|be|equals?|get|gets|got|has|have|had|obtain|obtains|find|finds|there|then|we|results?|resulting|remain\w*"
    r"|count|counts|reach|reaches|comes?|amounts?|conclude|must|need|needs)\b", re.IGNORECASE)
_REASON = re.compile(
    r"(?:,?\s*(?:\(?\b(?:since|because|as (?:we|it|this|they|the|required|desired|claimed|shown|wanted|expected|before|above)|where|given|which"
    r"|when|whenever|while|whereas|iff|if|provided|assuming|although|though)\b)|[，,]\s*(?:其中|因为|当|此时|且当|等号))", re.IGNORECASE)
"""Opens a clause with a verb of its own."""
_ADDITION = re.compile(
    r",?\s*\(?\b(?:attained|achieved|obtained|reached|realized|found|occurring|with|for|between|on the|on|over|in(?! (?:\S+ (?:\w+ )?)?(?:ways?|total|all)\b)|among|rounded|correct to|accurate|to the nearest|modulo|not|instead|rather"
    r"|as opposed|by|via|using|see|from|(?<=[\d¤%] )of (?:the |these |those |our |all )?(?=\d|¤)|of (?:length|size|degree|order|the form)|out of|at|such that|subject to|under|after|within"
    r"|up to|unlike|compared)\b", re.IGNORECASE)
"""Opens a phrase, which has no verb of its own."""
_CASES = re.compile(r"\b(?:otherwise|else|or)\b", re.IGNORECASE)
_OPENS_DEPENDENT = re.compile(
    r"\W*(?:(?:so|thus|hence|therefore|and|but|now|then|finally),?\s+)*(?:if|when|for|since|because|as|with|given|suppose|let|consider|among|of|out of|using|by|from|assuming|at|where"
    r"|in (?!total\b|all\b|summary|conclusion|fact|other words|short))\b", re.IGNORECASE)
_OPENS_WITH_VALUE = re.compile(
    rf"\W*(?:(?:so|thus|hence|therefore|in total|in all|in conclusion|finally|and|exactly|precisely|only|just|overall|altogether|about|then|we get)[,:]?\s+)*"
    rf"[^\w\s{_MASK}]{{0,3}}(?:\w{{1,3}}\s?=\s?)?[\d{_MASK}½⅓⅔¼¾]", re.IGNORECASE)
_NAMED_LAST = re.compile(rf"[^\w{_MASK}]{{0,6}}[\w.,/^ +*-]{{0,40}}?[\d{_MASK}][\d{_MASK}.,/]{{0,400}} is (?:the|our|your) (?:\w+ ){{0,3}}(?:answer|value|result|solution|total|maximum|minimum)\b", re.IGNORECASE)
_STATEMENT = re.compile(_STATES.pattern + r"|\b(?:gives?|yields?|makes?|total|exactly|precisely|only|answer|costs?|takes?|pays?|weighs?|earns?|spends?|holds?|contains?|requires?|produces?)\b|=|:|：|[是为有共得即故]|は|が", re.IGNORECASE)


def without_remarks(text: str) -> str:
    """`text` up to where its last statement ends that is no remark on another one."""
    masked = FORMULA.sub(lambda found: (_MASK if re.search(r"\d|\\", found.group()) else "x") * len(found.group()), text)
    sentences = _sentences(masked)
    telling = [(start, end) for start, end in sentences if _VALUE.search(masked, start, end)]
    if not telling:
        return text
    while len(telling) > 1 and _is_remark(masked[slice(*telling[-1])]):
        telling.pop()
    start, end = telling[-1]
    return text[: start + main_clause_end(masked[start:end])] + text[end : end + 1]


def without_clauses(sentence: str) -> str:
    """One statement without what is added to it."""
    masked = FORMULA.sub(lambda found: (_MASK if re.search(r"\d|\\", found.group()) else "x") * len(found.group()), sentence)
    return sentence[: main_clause_end(masked)]


def _sentences(masked: str) -> list[tuple[int, int]]:
    spans, start = [], 0
    for end in _ENDS.finditer(masked):
        spans.append((start, end.start()))
        start = end.end()
    return [*spans, (start, len(masked))]


def _is_remark(sentence: str) -> bool:
    found = _REMARK.match(sentence)
    if found:
        return not (found.group("open") and _CONCLUDES.search(sentence))
    return bool(_DENIAL.search(sentence)) and not _CONCLUDES.search(sentence) and len(re.findall(rf"\d+|{_MASK}+", sentence)) == 1


def main_clause_end(masked: str) -> int:
    """Where the clause ends that states a value; the length of the sentence where nothing is added to it."""
    if len(masked) > _LONGEST:
        return len(masked)
    if named := _NAMED_LAST.match(masked):
        return named.end()
    openings = sorted([*((found, True) for found in _REASON.finditer(masked)), *((found, False) for found in _ADDITION.finditer(masked))],
                      key=lambda opening: opening[0].start())
    for found, is_clause in openings:
        head, tail = masked[: found.start()], masked[found.end() :]
        if _states_a_value(head) and _VALUE.search(tail) and _is_added(found.group(), tail, is_clause):
            return found.start()
    return len(masked)


def _states_a_value(head: str) -> bool:
    if _OPENS_DEPENDENT.match(head):
        head = head.partition(",")[2]
    value = _VALUE.search(head)
    if value is None:
        return False
    if _OPENS_WITH_VALUE.match(head):
        return True
    stated = _STATEMENT.search(head)
    return stated is not None and _VALUE.search(head, stated.end()) is not None


def _is_added(opening: str, tail: str, is_clause: bool) -> bool:
    """Whether nothing in the tail states a value again."""
    word = opening.strip(" ,(").lower()
    if _CONCLUDES.search(tail) or (word in ("if", "when", "for") and (_CASES.search(tail) or re.search(rf"\b{word}\b", tail, re.IGNORECASE))):
        return False
    if is_clause:
        return not any(_STATES.search(later) for later in tail.split(", ")[1:])
    return not _STATES.search(tail)
