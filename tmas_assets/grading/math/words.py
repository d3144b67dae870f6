r"""Words in answers: number words, closed sets of words, and what makes a run of letters a word.

Texts are in `latex.one_spelling`. Leaves out units (`units.py`) and the structure around the words (`shape.py`).
"""

import re

_NUMBERS = {
    word: value
    for value, words in enumerate((
        "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve",
        "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen", "twenty"))
    for word in (words,)
} | {"thirty": 30, "forty": 40, "fifty": 50, "sixty": 60, "seventy": 70, "eighty": 80, "ninety": 90, "dozen": 12}
SCALES = {"hundred": 100, "thousand": 10**3, "million": 10**6, "billion": 10**9, "trillion": 10**12, "dozen": 12}
_QUANTITIES = {"half", "third", "thirds", "quarter", "quarters", "fifth", "pair", "couple", "single", "once", "twice",
               "double", "triple", "infinite", "infinitely", "none", "no", "nothing"}
_STOP_WORDS = {"is", "of", "or", "and", "the", "all", "for", "any", "no", "not", "odd", "even", "if", "has", "are", "yes",
               "one", "two", "six", "ten", "set", "none", "only", "then", "with", "an", "at", "be", "as", "so", "we", "it"}
_CLOSED = (
    {"yes", "no"}, {"true", "false"}, {"odd", "even", "neither"}, {"north", "south", "east", "west"},
    {"increasing", "decreasing"}, {"convex", "concave"}, {"circle", "ellipse", "parabola", "hyperbola", "line", "point"},
    {"monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"},
    {"left", "right"}, {"positive", "negative"}, {"prime", "composite"}, {"rational", "irrational"},
    {"red", "green", "blue", "yellow", "black", "white", "orange", "purple"}, {"win", "lose", "draw"},
)
_NONE_AT_ALL = re.compile(
    r"(?:there (?:is|are) |(?:[a-z]+ ){0,6}(?:has|have|admits?) )?(?:no|none|no such|without)(?: (?:real|integer|positive|such|valid|possible|nonzero))*"
    r"(?: (?:solutions?|values?|integers?|numbers?|functions?|pairs?|triples?|answers?|n|x|positive integers?))?"
    r"(?: exists?| exist| possible)?|does not exist|do not exist|dne|empty set|not possible|impossible|emptyset|none")
_PUNCTUATION = re.compile(r"\\text|\\[,;:! ]|[{}.,;:!?\"'()$`*\[\]\\]")


def canonical(text: str) -> str:
    """Lower case, without punctuation, articles and LaTeX around the words."""
    plain = re.sub(r"\s+", " ", _PUNCTUATION.sub(" ", text.lower())).strip()
    return " ".join(word for word in plain.split(" ") if word not in ("the", "a", "an"))


def is_word(letters: str) -> bool:
    """Whether a run of letters outside of any command is a word, not a product of symbols."""
    return letters.lower() in _STOP_WORDS or (len(letters) >= 4 and bool(re.search(r"[aeiouyAEIOUY]", letters)))


def has_words(text: str) -> bool:
    marked = any(re.search(r"[^\W\d_]{2}", content) for content in re.findall(r"\\text\{([^{}]*)\}", text))
    rest = re.sub(r"\\[A-Za-z]+|_\{[^{}]*\}", " ", re.sub(r"\\(?:text|unit)\{[^{}]*\}", " ", text))
    return marked or any(is_word(run) for run in re.findall(r"[^\W\d_]+", rest))


def number_word(text: str) -> int | None:
    """`Twelve` is 12, `twenty-one` 21, `two hundred` 200."""
    parts = canonical(text).replace("-", " ").split(" ")
    if not 1 <= len(parts) <= 2 or parts[0] not in _NUMBERS or parts[-1] not in _NUMBERS.keys() | SCALES.keys():
        return None
    if len(parts) == 2 and parts[1] in SCALES:
        return _NUMBERS[parts[0]] * SCALES[parts[1]]
    first, *rest = (_NUMBERS.get(part, 0) for part in parts)
    if not rest:
        return first
    return first + rest[0] if first >= 20 and 0 < rest[0] < 10 else None


def may_state_a_number(text: str) -> bool:
    """Whether words could mean a number in a way that only a reader can tell."""
    parts = set(canonical(text).replace("-", " ").split(" "))
    return bool(re.search(r"\d", text) or parts & (_NUMBERS.keys() | SCALES.keys() | _QUANTITIES))


def is_none_at_all(text: str) -> bool:
    """`no solution`, `none`, `does not exist`, the empty set."""
    return bool(_NONE_AT_ALL.fullmatch(canonical(text)))


def is_everything(text: str) -> bool:
    """`all real numbers`, `infinitely many`: surely not none."""
    return bool(re.match(r"(?:all|any|every|infinitely many|infinite|everything)\b", canonical(text)))


def differ_in_numbers(first: str, second: str) -> bool:
    """Whether two texts say the same of different numbers: all powers of 2, all powers of 3."""
    ours, theirs = (re.findall(r"[0-9]+|[^\W0-9]+|\S", canonical(text)) for text in (first, second))
    different = [(one, other) for one, other in zip(ours, theirs, strict=False) if one.lstrip("0") != other.lstrip("0")]
    return len(ours) == len(theirs) and bool(different) and all(
        re.fullmatch(r"[0-9]+", one) and re.fullmatch(r"[0-9]+", other) for one, other in different)


def opposed(first: str, second: str) -> bool:
    """Whether two texts are different members of one closed set of words, as odd and even are."""
    one, other = canonical(first), canonical(second)
    return one != other and any({one, other} <= members for members in _CLOSED)
