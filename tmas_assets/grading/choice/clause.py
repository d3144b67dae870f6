"""Reads which option letters a clause names, and whether it takes them as the answer or turns them down.

A letter is an option only where it stands alone: not the article A, the pronoun I, a unit (25 C), a symbol of a
formula or a name (vitamin C, Figure B). Leaves out where in a reply the answer is stated (`choice_statements.py`).
"""

import re
from dataclasses import dataclass, replace
from typing import Literal

from tmas_assets.grading.choice.text import BOX, BOX_END, FORMULA

LONGEST = 300
"""Characters of a clause that are read."""
_WORD = "A-Za-z0-9À-ɏͰ-ϿЀ-ӿ"
_LETTER = re.compile(
    rf"(?<![{_WORD}_\\°º^@#{FORMULA}])(?<![A-Za-z]['’.])(?<![A-Za-z0-9]-)[A-Za-z](?![{_WORD}_^])(?!['’](?![dt][iıuü]r)[A-Za-z])(?!-[A-Za-z0-9])"
    r"(?!\.[A-Za-z](?![A-Za-z]))")
_OPENERS = rf"\s({{\[\"'“‘«「『【《{BOX}"
_CLOSERS = rf"\s)}}\]\"'”’»」』】》{BOX_END}"
_OPTION = (r"(?:options?|choices?|answers?|alternatives?|letters?|antwort|antwoord|optie|option|opción|opcion|opção|opzione|"
           r"вариант|réponse|respuesta|resposta|risposta|lựa chọn|đáp án)")
_BEFORE = re.compile(
    rf"(?:^|[^{_WORD}])(?:{_OPTION}|is|be|was|are|it['’]s|that['’]s|say|think|believe|guess|choose|chose|choosing|pick|"
    r"picked|picking|select|selected|selecting|mark|marked|leaves?|leaving|makes?(?: it| this| that)?|making|gives?|giving|yields?|get|gets|got|obtain|meant|mean|us|conclude|vote|match(?:es)?|correct|right|so|hence|thus|"
    r"therefore|then|and|or|but|nor|either|neither|both|only|just|not|than|instead of|(?:any|one|both|all|none|either|neither) of|have|over|out|off|maybe|perhaps|probably|"
    r"likely|possibly|definitely|clearly|certainly|surely|simply|actually|rather|because|since|as|while|whereas|that|if|"
    r"though|although|between|unlike|eliminat\w*|exclud\w*|discard\w*|reject\w*|dismiss\w*|remov\w*|cross\w*|drop\w*|ignor\w*|disregard\w*|without|aside|rid of|except|wait|sorry|yes|no|also|even|"
    r"(?:corresponds?|points?|leads?|lean|leaning|narrows?|narrowed|down) (?:it )?(?:down )?(?:to|towards?)|"
    r"(?:chang|switch|revis|updat)\w*[^.,;]{0,30} to|(?:go|going|went|stick|sticking|agree) with|(?:go|opt|opted|settle|vote) (?:for|on)|n['’]t|cannot|"
    r"ist|lautet|nicht|sondern|est|la|le|pas|mais|es|no|sino|é|è|não|non|ma|mas|это|не|а|là|adalah|bukan)$",
    re.IGNORECASE)
_OPTION_BEFORE = re.compile(rf"(?:^|[^{_WORD}]){_OPTION}[{_OPENERS}:]*$", re.IGNORECASE)
_NAMED = re.compile(r"(?:fig(?:ure)?|eq(?:uation)?|part|table|panel|step|case|section|appendix|vitamin)\.?\s*$", re.IGNORECASE)
_NAME_AFTER = re.compile(
    r" (?:cells?|bonds?|terminus|termini|chains?|rings?|orbitals?|bands?|layers?|shells?|lymphocytes?|receptors?|levels?|phases?|sites?|"
    r"peptides?|helix|helices|DNA|RNA|stars?|fields?|mesons?|bosons?|quarks?|particles?|axis|flat|sharp|major|minor|vitamins?)\b")
"""Letters that are part of a name: B cells, H bonds."""
_FORMULA_AFTER = re.compile(rf"\s*(?:[=^<>≤≥×·÷%{FORMULA}]|~(?!\s*\(?[A-Z](?![A-Za-z]))|[+/](?!\s*\(?[A-Z](?![A-Za-z])))")
_STOP = re.compile(rf"\s*(?:$|[.,;:!?~|/&{_CLOSERS[2:]}\-–—→✓✔✅❌✗✘、，；：?]|[^\W\d_](?<![{_WORD}]))")
_GOES_ON = re.compile(
    r"[\s)\](]+(?:although|though|even (?:though|if)|while|whereas|unlike|despite|because|since|as|for|is|was|are|were|has|have|rather|instead|not|and|or|but|over|seems|looks?|looked|appears|"
    r"fails?|failed|works|fits|gives|matches|satisfies|violates|would|must|can|cannot|does|doesn|isn|can['’]t|due to|by|"
    r"which|where|alone|remains|it is|weil|da|parce|car|porque|perché|потому)\b", re.IGNORECASE)
_REASON = re.compile(r"[\s)\]]*(?:because|since|as|for|rather|instead|due to|by|(?:and|but) not)\b", re.IGNORECASE)
_FILLER = re.compile(
    rf"(?:[{_OPENERS}{_CLOSERS}:.,;>|→\-–—=]|\b(?:{_OPTION}|the|definitely|probably|clearly|certainly|most|likely|simply|"
    r"guess|vote|it follows|is|be|must|should|would|has|to|therefore|thus|hence|so|and|in|by (?:process of )?elimination|final|finally|overall|conclusion|i|i['’]d|we|think|believe|say|it|it['’]s|that|one|"
    r"labell?ed|given|by|only|just|choose|pick|select|ist|es|est|la|le|die|der|das|é|è|yes|ok|okay)\b)*", re.IGNORECASE)
_JOINED = re.compile(
    rf"[{_CLOSERS}]*(?:,|;|/|&|\+|、|\||→)?[{_OPENERS}]*(?:(?:and/or|and|or|nor|und|oder|et|ou|y|o|e|и|или|as well as|plus|和|与|及|或|以及|أو|او|و|অথবা|বা|या|और)"
    rf"(?![{_WORD}]))?\s*(?:(?:also|possibly|maybe|perhaps|probably|even|both|either)\b\s*){{0,2}}"
    rf"(?:(?:the )?{_OPTION}\b)?[{_OPENERS}]*", re.IGNORECASE)
_JOINER = re.compile(r"[,;/&+|、→和与及或]|أو|او|و|অথবা|বা|या|और|\b(?:and|or|nor|und|oder|et|ou|y|o|e|и|или|plus|as well as)\b", re.IGNORECASE)
_LISTED = re.compile(r"[,;、\s]*")
_CLOSED = re.compile(r"\b(?:and|or|nor|und|oder|et|ou)\b", re.IGNORECASE)
_RANGE = re.compile(rf"[{_CLOSERS}]*(?:–|—|\.{{2,3}}|…|~)[{_OPENERS}]*")
_OWN_VERB = re.compile(r"[\s)\]]*(?:is|was|has|would|fails?|violates|does|can|cannot|looks?|seems?|ignores|remains|stands|wins|works|fits|must|holds)\b", re.IGNORECASE)
_OWN_LIST = re.compile(r"(?:[\s,]*(?:and|or|nor|,)\s*\(?[A-Z]\)?){1,8}[\s)\]]*(?:(?:all|both) )?(?:are|were|fail|violate|have|do|cannot|can['’]t|would|too|wrong|incorrect|out)\b", re.IGNORECASE)
_TAIL = rf"\s*(?:be\s+|to be\s+)?(?:(?:the|both|either)\s+)?(?:{_OPTION}\s*:?)?[{_OPENERS}]*$"
_NOT_THIS = re.compile(r"(?:\b(?:not|rather than|instead of|unlike)|n['’]t(?: be)?)" + _TAIL, re.IGNORECASE)
_ALL_BUT = re.compile(
    r"\b(?:(?P<none>none|nothing|no ?(?:one|body|other|\w+))|all|every\w*|any\w*|others?)\b[^.,;]{0,20}\b(?:but|except(?: for)?|other than)" + _TAIL, re.IGNORECASE)
_LETTING_GO = re.compile(r"\b(?:rul|eliminat|exclud|discard|reject|dismiss|strik|struck|cross|remov|drop)\w*(?: out)?\b", re.IGNORECASE)
_FAULT = re.compile(r"[^.;]{0,60}?\b(?:wrong|incorrect|false|fail|violat|contradict|eliminat|rul(?:es?|ed|ing) out|exclud|reject|invalid|out|impossible|discard|distractor|"
                    r"ignor|neglect|lack|miss|cannot|do(?:es)?n['’]t|do(?:es)? not|inconsistent|implausible|unlikely)", re.IGNORECASE)
_CONCEDED = re.compile(r"\b(?:although|though|even if|despite|albeit|while|whereas)\b[^.,;)]{0,40}$", re.IGNORECASE)
_SEEMS = re.compile(r"[\s)\]]*(?:looks?|looked|seems?|seemed|appears?|appeared|is close|was close|might|may|could|would)\b", re.IGNORECASE)
_CONCLUDED = re.compile(r"\b(?:conclude|follows|find|means|implies)(?: that)?" + _TAIL, re.IGNORECASE)
_HOLDS = re.compile(r"[\s)\]]*(?:holds|is it|is so)?[\s)\].!]*(?:$|[,;])")
_DOWN_BEFORE = re.compile(
    r"(?:\bnot|n['’]t|\bcannot|\brather than|\binstead of|\bthan|\bover|\bunlike|\bagainst|\bneither|\bnor|\bnever|\bexcept|"
    r"\b(?:rul|eliminat|exclud|discard|reject|dismiss|strik|struck|cross|remov|toss|throw|thrown|rais|drop|ignor|disregard|knock|tak(?=\w+ (?:out|away)))\w*"
    r"(?: out| off| away)?|\b(?:set|sett|lay|laid|put|putt|leav|left)(?:ing)? (?:aside|out)|\b(?:get|gett|got)(?:ing)? rid of|\bwithout|"
    r"\bnicht|\bniet|\bpas(?: la)?|\bnão|\bне|\bno es|\bnon|\bbukan|不是|不选|不應選|而不是|而非|并非|排除)" + _TAIL, re.IGNORECASE)
_VERB = (rf"[{_CLOSERS}]*(?:(?:both|all|clearly|obviously|simply|therefore|thus|alone|are|is|was|were|being|also|would|to|be|"
         r"must|has|have|which|that|because it|seems?|appears?|looks?|ist|est|es|é)\s+)*")
_DOWN_AFTER = re.compile(
    _VERB + r"(?:(?:wrong|incorrect|false|not|invalid|out|ruled out|eliminated|excluded|rejected|discarded|impossible|"
    r"implausible|inconsistent|unlikely|tempting|tempts|distractor|trap|too|fails?|failed|violates?|violated|contradicts?|"
    r"ignores?|ignored|neglects?|cannot|could not|couldn['’]t|can['’]t|isn['’]t|wasn['’]t|aren['’]t|doesn['’]t|don['’]t|"
    r"does not|do not|did not|didn['’]t|misses|lacks|close(?=\s*(?:$|[.,;)]|but\b|second\b))|overlooks|overestimates?|underestimates?|falsch|fout|faux|incorrecta)\b"
    r"|(?:a|the) (?:trap|distractor|wrong|incorrect)\b|[❌✗✘✖]|(?:选项|项)?(?:是|为)?(?:错|不|排除)|ではな|ではあり|じゃな|[이가] 아니)"
    rf"|[{_CLOSERS}]*\s*\?|(?:(?!\b(?:although|though|while|whereas|even|but|than|and|or|[A-J])\b)[^.;,(]){{0,40}}\b(?:at first|initially|tempting)\b"
    r"|\s*(?:looks?|looked|seems?|seemed|appears?|appeared)\b[^.;]{0,40}\bbut\b|[^.,;\w]{0,6}[❌✗✘✖]", re.IGNORECASE)
_TAKEN_AFTER = re.compile(
    rf"[{_CLOSERS}]*(?:(?:is|are|was|must be|has to be|seems|remains|looks|ist|est|es)\s+(?:the |an? |also |clearly |indeed |"
    r"therefore |thus |hence |most |definitely |my |final )*(?:correct|right|best|answer|true|only|one|left|choice|pick|"
    r"option|richtig|correcta|correcte)\b(?!\s+(?:about|in|that|only|at|for|to|if))|(?:is|was|seems) (?:the )?(?:closest|nearest|most (?!likely wrong)\w+)\b|(?:has to|must) be (?:it|true)\b|it is\b|fits\b|works\b|wins\b|remains?\b|"
    r"stands\b|as (?:the|my) (?:\w+ ){0,2}(?:answer|choice|option)\b|(?:richtig|korrekt|correct[aoe]|corrett[ao]|juist|верн\w*|правильн\w*)\b|[✓✔✅]|(?:选项|項|项)?\s*(?:是|为)?(?:正确|正確|对|符合))", re.IGNORECASE)
_TAKEN_BEFORE = re.compile(
    r"(?:\b(?:must|has to|have to|had to|(?:can|could) only|should|ought to) be|\bleav(?:es|ing)(?: us with| me with)?(?: only)?|"
    r"\bactually,?|\bmeant|\b(?:confident|sure|certain|convinced)(?: (?:in|of|about) \w+)?:|\btells? (?:us|me)(?: that)?(?: it is)?|\binstead,?|\bno\s*[,:–—-]|\bchoose|\bchose|\bpick(?:ed)?|\bselect(?:ed)?|\bgo(?:ing)? (?:with|for)|"
    r"\bwent with|\bopt(?:ed|ing)? for|\bsettled? (?:on|for)|\bstick(?:ing)? with|\bvote for|\blean(?:ing)? (?:towards?|to)|"
    r"\bonly|\bmak(?:es|ing)(?: it| this| that)?|\bvote|\b(?:i|we)(?:['’](?:ll|d))? say|\b(?:chang|switch|revis|updat)\w*[^.,;]{0,30} to|\b(?:answer|option|choice|one|pick|guess) (?:is|was|would be|seems to be)|\bdown to|"
    r"\b(?:corresponds?|points?) to|\bmatches|(?<!不)(?<!不应)(?:应选|故选|选择|选(?!项)))\s*(?:just|only|simply)?" + _TAIL,
    re.IGNORECASE)
_LEANS_BEFORE = re.compile(r"(?:\bis|\bwe get|\bwe obtain|\b(?:it|that)['’]s|\bso|\bhence|\bthus|\btherefore|\bbut|\bsondern|\bsino|\bbe|→|\bthen|(?<!不)是|所以)[\s,:]*" + _TAIL,
                           re.IGNORECASE)
_SUPPOSED = re.compile(
    r"\b(?:if|unless|suppose|were|never|not|tempt\w*|might|could|may|some|people|students?|many)\b|n['’]t\b", re.IGNORECASE)
_REASONED = re.compile(r"\W*(?:since|because|as|given|thus|so|therefore|hence|by|based|after)\b", re.IGNORECASE)
_PERHAPS = re.compile(r"\b(?:might|could|may)(?: \w+)? be\b", re.IGNORECASE)
_ROMAN = re.compile(r"\b(?:II|III|IV|VI{0,3})\b")
_RUN = re.compile(r"[^\w]*([A-Z]{2,6})[^\w]*")
SPECIES = (
    r"(?:coli|elegans|subtilis|melanogaster|pylori|difficile|albicans|burgdorferi|anthracis|cereus|thaliana|rerio|fumigatus|"
    r"influenzae|sapiens|botulinum|perfringens|tetani|diphtheriae|faecalis|baumannii|discoideum|niger|flavus|aegypti|gambiae|"
    r"jejuni|glabrata|trachomatis|histolytica)\b")
"""What follows the initial of a genus: `E. coli` is no option E."""
_GENUS = re.compile(rf"[A-Z]\. {SPECIES}")

Stance = Literal["down", "neutral", "leans", "taken"]


@dataclass(frozen=True)
class Group:
    """Letters named together (`B`, `A or C`) and how the clause stands to them."""

    letters: tuple[str, ...]
    start: int
    end: int
    stance: Stance
    leads: bool
    """Whether nothing but filler comes before."""
    stops: bool
    """Whether the clause ends, pauses or goes on with a reason after it."""


def _narrowed(letters: tuple[str, ...], later: list[Group]) -> tuple[str, ...]:
    """`A and C are left; C is larger, so C`: several letters, of which the clause goes on to take one."""
    chosen = [group.letters for group in later if group.stance in ("taken", "leans") and set(group.letters) < set(letters)]
    return chosen[-1] if chosen else letters


def announced(clause: str, letters: str) -> tuple[str, ...] | None:
    """Letters that a clause behind `Answer:` names: one is an answer, several are none. None where it names no letter."""
    run = _RUN.fullmatch(clause)
    if run and len(set(run[1])) == len(run[1]) and set(run[1]) <= set(letters):
        return tuple(run[1])
    named = groups(clause, letters)
    for stance in ("taken", "lead", "leans"):
        if fitting := [group for group in named if group.stance == stance or (
                stance == "lead" and group.leads and group.stance != "down")]:
            return _narrowed(fitting[-1].letters, named[named.index(fitting[-1]) + 1 :])
    down = {letter for group in named if group.stance == "down" for letter in group.letters}
    neutral = dict.fromkeys(letter for group in named if group.stance == "neutral" for letter in group.letters)
    return tuple(letter for letter in neutral if letter not in down) or None


def taken(sentence: str, letters: str, *, last: bool = False) -> tuple[str, ...] | None:
    """Letters that a sentence takes as the answer by its own words. `last`: a letter that leads it, or stands after
    `so` or `is`, is enough."""
    named = groups(sentence, letters)
    stances = ("taken", "leans") if last else ("taken",)
    for stance in stances:
        if fitting := [group for group in named if group.stance == stance and not (stance == "leans" and not group.stops)]:
            return fitting[-1].letters
    if last and named and named[0].leads and named[0].stops and named[0].stance != "down":
        return named[0].letters
    called = [group for group in named if last and group.stops and group.stance == "neutral" and _OPTION_BEFORE.search(
        sentence[max(0, group.start - 40) : group.start])]
    if called:
        return called[-1].letters
    closing = named[-1] if last and named and _REASONED.match(sentence) else None
    ends = closing and closing.stance == "neutral" and re.search(r",\s*\W?$", sentence[: closing.start]) and not re.search(
        r"\w", sentence[closing.end :])
    return closing.letters if closing and ends else None


def groups(clause: str, letters: str) -> list[Group]:
    clause = _GENUS.sub(FORMULA, clause[:LONGEST])
    found: list[Group] = []
    for mention in _mentions(clause, letters):
        letter, start, end = mention.group().upper(), mention.start(), mention.end()
        if found and _joined(clause, found[-1], start, end):
            joined = found[-1].letters if letter in found[-1].letters else (*found[-1].letters, letter)
            found[-1] = replace(found[-1], letters=joined, end=end)
        else:
            found.append(Group((letter,), start, end, "neutral", _FILLER.fullmatch(clause, 0, start) is not None, False))
    return [replace(group, stance=_stance(clause, group), stops=_stops(clause, group.end)) for group in found]


def _joined(clause: str, group: Group, start: int, end: int) -> bool:
    """Whether the letter from `start` to `end` is named together with the group before it."""
    between = clause[group.end : start]
    if _RANGE.fullmatch(between):
        return _STOP.match(clause, end) is not None
    if not _JOINED.fullmatch(between) or not _JOINER.search(between):
        return False
    if not _LISTED.fullmatch(between):
        return True
    if _OWN_VERB.match(clause, end) or (";" in between and _OWN_LIST.match(clause, end)):
        return False
    # `excluding B, C and D, A` and `not C, D`: what a turned down list is followed by is no part of it
    turned_down = _DOWN_BEFORE.search(clause[: group.start][-80:]) is not None
    closed = _CLOSED.search(clause, group.start, group.end) is not None or ";" in between
    pair = len(group.letters) == 1 and _NOT_THIS.search(clause[: group.start][-80:]) and re.fullmatch(r"[\s)\].!]*", clause[end:])
    return not (turned_down and (closed or pair))


def _mentions(clause: str, letters: str) -> list[re.Match[str]]:
    found: list[re.Match[str]] = []
    for letter in _LETTER.finditer(clause):
        if letter.group().upper() in letters and _is_option(clause, letter, found):
            found.append(letter)
    return found


def _is_option(clause: str, letter: re.Match[str], before: list[re.Match[str]]) -> bool:
    start, end = letter.span()
    if start >= 2 and re.search(rf"(?<![{_WORD}])[A-Za-z](?:\s*[,/&+](?:\s*(?:and|or))?|\s+(?:and|or))\s*$", clause[max(0, start - 12) : start]) and not (
            before and start - before[-1].end() <= 12):
        return False  # joined to a letter that is no option, as in `vitamins C and D`
    bracketed = clause[start - 1 : start] in ("(", "[", "【", BOX) and clause[end : end + 1] in (")", "]", "】", BOX_END)
    lead = re.sub(rf"[{_OPENERS}]+$", "", clause[:start][-60:])
    option = _OPTION_BEFORE.search(clause[max(0, start - 40) : start]) is not None
    if bracketed:
        return not _NAMED.search(lead)
    if _NAME_AFTER.match(clause, end) or _FORMULA_AFTER.match(clause, end) or (clause[end : end + 1] == "(" and not _FILLER.fullmatch(clause, 0, start)):
        return False
    if _FILLER.fullmatch(lead):
        lead = lead.strip(" {}")
    if lead and not (option or re.search(rf"[^{_WORD}\s=^_<}}{FORMULA}]$", lead) or _BEFORE.search(lead)):
        return False
    stops = _STOP.match(clause, end) is not None
    if letter.group().islower():
        return option or (stops and not (lead and before)) or (not lead and _GOES_ON.match(clause, end) is not None)
    goes_on = stops or _GOES_ON.match(clause, end) is not None
    if letter.group() == "A":
        return option or goes_on or not (not lead or lead[-1] in ".!?:;–—")
    if letter.group() == "I":
        return (stops or re.match(r"\s+(?:because|since|as|is|and|or|rather|instead)\b", clause[end:]) is not None) and not _ROMAN.search(clause) and (option or not lead or lead[-1] in ":→" or (
            stops and re.search(r"\b(?:is|be|choose|pick|select|with)$", lead) is not None))
    return True


def _stops(clause: str, end: int) -> bool:
    return _STOP.match(clause, end) is not None or _REASON.match(clause, end) is not None


def _stance(clause: str, group: Group) -> Stance:
    lead, rest = clause[: group.start], clause[group.end :]
    short = lead[-80:]
    if all_but := _ALL_BUT.search(short):
        let_go = _LETTING_GO.search(short[: all_but.start()]) or _FAULT.match(rest)
        return "taken" if all_but["none"] or let_go else "down"
    if _CONCEDED.search(short) and _SEEMS.match(rest):
        return "down"
    if _DOWN_BEFORE.search(short) or _DOWN_AFTER.match(rest):
        return "down"
    if _TAKEN_AFTER.match(rest) or (_CONCLUDED.search(short) and _HOLDS.match(rest)):
        return "taken"
    if chosen := _TAKEN_BEFORE.search(short):
        return "neutral" if _SUPPOSED.search(short[: chosen.start()][-30:]) else "taken"
    leaning = _LEANS_BEFORE.search(short)
    return "leans" if leaning and not _PERHAPS.search(short[: leaning.end()][-30:]) else "neutral"
