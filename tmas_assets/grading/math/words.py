r"""Words in answers: number words, closed sets of words, and what makes a run of letters a word.

Texts are in `latex.one_spelling`. Leaves out units (`units.py`) and the structure around the words (`shape.py`).
"""

import re
from fractions import Fraction

_NUMBERS = {
    word: value
    for value, words in enumerate((
        "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve",
        "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen", "twenty"))
    for word in (words,)
} | {"thirty": 30, "forty": 40, "fifty": 50, "sixty": 60, "seventy": 70, "eighty": 80, "ninety": 90, "dozen": 12}
SCALES = {"hundred": 100, "thousand": 10**3, "million": 10**6, "billion": 10**9, "trillion": 10**12, "dozen": 12}
_PARTS = {"half": 2, "third": 3, "quarter": 4, "fourth": 4, "fifth": 5, "sixth": 6, "seventh": 7, "eighth": 8, "ninth": 9, "tenth": 10}
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
_TWO_SIDED = {one: other for pair in (("yes", "no"), ("true", "false"), ("odd", "even"), ("convergent", "divergent"), ("possible", "impossible"))
              for one, other in (pair, pair[::-1])}
_LEADING = re.compile(r"(yes|no|true|false)\s*(?:[,.;:!—–]|$)(?!\s*(?:yes|no|true|false)\b)", re.IGNORECASE)
_STATED = re.compile(r"(?:(?:so|thus|hence|therefore) )?(?:(?:given|above|following|original|final) )*"
                     r"(?:(?:statement|claim|answer|it|this|that|proposition|assertion|conjecture|result|number|value|sum|product|series)"
                     r" (?:is|must be|was) (?:always |necessarily )?)?(not )?(\w+)")
_OPTIONS = re.compile(r"(?:(?:either|both|maybe|perhaps|possibly|option|options) )*[A-J](?: ?(?:,|/|;|or|and|, or|, and) ?(?:option )?[A-J])+")
_LISTED = re.compile(r"(?:(?:either|both|maybe|perhaps|possibly) )?[a-z]+(?: ?(?:,|/|;|or|and|, or|, and) ?[a-z]+)+")
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


def fraction_words(text: str) -> Fraction | None:
    """`One half` is 1/2, `three quarters` 3/4."""
    parts = canonical(text).replace("-", " ").split(" ")
    if parts == ["half"]:
        return Fraction(1, 2)
    if len(parts) != 2 or parts[1].removesuffix("s") not in {*_PARTS, "halve"} or parts[0] not in _NUMBERS:
        return None
    return Fraction(_NUMBERS[parts[0]], _PARTS.get(parts[1].removesuffix("s"), 2))


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


def leading_choice(text: str) -> str | None:
    """The `no` of `No, it is not possible`."""
    found = _LEADING.match(re.sub(r"\\text|[{}$*\\]", " ", text[:40]).strip())
    return found.group(1).lower() if found else None


def stated_choice(text: str) -> str | None:
    """The `false` of `The statement is false`, the `no` of `No, it is not possible`."""
    if (leading := leading_choice(text)) is not None:
        return leading
    found = _STATED.fullmatch(canonical(text))
    if found is None or found.group(2) not in _TWO_SIDED:
        return None
    return _TWO_SIDED[found.group(2)] if found.group(1) else found.group(2)


def names_several(text: str) -> bool:
    """Whether options or closed words are listed where one is asked for: A or B, yes or no."""
    plain = re.sub(r"\s+", " ", re.sub(r"\\text|[{}$*\\.()]", " ", text)).strip()
    if _OPTIONS.fullmatch(plain):
        return True
    named = set(re.findall(r"[a-z]+", plain.lower())) - {"or", "and", "either", "both", "maybe", "perhaps"}
    return len(named) > 1 and bool(_LISTED.fullmatch(plain.lower())) and any(named <= members for members in _CLOSED)


def is_closed(text: str) -> bool:
    """Whether the text is one word of a closed set, as `yes`."""
    return any(canonical(text) in members for members in _CLOSED)


def opposed(first: str, second: str) -> bool:
    """Whether two texts are different members of one closed set of words, as odd and even are."""
    one, other = canonical(first), canonical(second)
    return one != other and any({one, other} <= members for members in _CLOSED)
