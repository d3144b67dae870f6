"""A statement as comparable words: one spelling for what LaTeX, Unicode and prose write in several ways.

Delimiters, layout, articles and punctuation are gone, `\\dfrac12`, `\\frac{1}{2}` and `1/2` read alike, `twelve` is 12,
and letters that stand for something (variables, points) are told from words. Leaves out what is made of the words
(`signatures.py`).
"""

import re
import unicodedata
from collections.abc import Iterator
from functools import lru_cache
from typing import Literal, NamedTuple

Kind = Literal["word", "number", "letter", "sign"]


class Token(NamedTuple):
    text: str
    kind: Kind


_RAISED = str.maketrans({**{raised: f"^{plain}" for raised, plain in zip("⁰¹²³⁴⁵⁶⁷⁸⁹", "0123456789", strict=True)},
                         **{low: f"_{plain}" for low, plain in zip("₀₁₂₃₄₅₆₇₈₉", "0123456789", strict=True)}})
_FIGURE = re.compile(r"\[asy\].*?\[/asy\]|\\begin\{asy\}.*?\\end\{asy\}", re.DOTALL)
_ENVIRONMENT = re.compile(r"\\(?:begin|end)\s*\{[^{}]*\}(?:\{[lcr|@\s]*\})?")
_PROSE = re.compile(r"\\(?:text|textrm|textbf|textit|textsf|mbox|emph|hbox)\s*\{([^{}]*)\}")
_FONT = re.compile(
    r"\\(?:mathrm|mathbf|mathbb|mathcal|mathit|mathsf|mathfrak|boldsymbol|bm|operatorname\*?|overline|overrightarrow|overarc"
    r"|widehat|bar|vec|hat|left|right|[Bb]igg?[lrm]?|displaystyle|textstyle|limits|nolimits|quad|qquad|hspace|vspace"
    r"|phantom|ldots|dots|cdots|dotsc|dotsb|ddots|vdots|hline|cline|item|underline|boxed|noindent|par|mid)(?![A-Za-z])"
)
_SPACING = re.compile(r"\\[,;:! >]|~|\\\\(?:\[[^\]]*\])?|&")
_THOUSANDS = re.compile(r"(?<=\d)(?:,|\{,\}|\\,|\\!)+(?=\d{3}(?!\d))")
_SHORT_FRACTION = re.compile(r"\\[dtc]?frac\s*([0-9A-Za-z])\s*([0-9A-Za-z])")
_FRACTION = re.compile(r"\\[dtc]?frac\s*\{([^{}]*)\}\s*\{([^{}]*)\}")
_MIXED_FRACTION = re.compile(r"\\[dtc]?frac\s*(?:\{([^{}]*)\}\s*(\w)|(\w)\s*\{([^{}]*)\})")
_INNERMOST = re.compile(r"\{([^{}]*)\}")
_TOKEN = re.compile(
    r"\\[()\[\]]|\$+|[#@*█▓░.]{3,}|(?:[^\x00-\x7f\w\s‘’“”…•≤≥≠→∈∞√∠△°×·÷−–]){3,}|[\ue000\ue001]|\\[A-Za-z]+|\d+(?:\.\d+)?|\.\d+|[^\W\d_]+(?:['’][^\W\d_]+)?"
    r"|->|<=|>=|!=|==|\*\*|[-+*/=<>%!|#@:]|[^\x00-\x7f\w\s‘’“”…•]"
)
_HYPHEN = re.compile(r"(?<=[A-Za-z]{2})[-\u2010-\u2013](?=[A-Za-z]{2})")
_PROSE_OFF, _PROSE_ON = "\ue000", "\ue001"

_NAMES = {
    "leq": "<=", "le": "<=", "leqslant": "<=", "geq": ">=", "ge": ">=", "geqslant": ">=", "neq": "!=", "ne": "!=", "lt": "<",
    "gt": ">", "cdot": "*", "times": "*", "ast": "*", "div": "/", "to": "->", "rightarrow": "->", "longrightarrow": "->",
    "mapsto": "->", "in": "∈", "infty": "infinity", "circ": "degree", "angle": "angle", "measuredangle": "angle",
    "triangle": "triangle", "lvert": "|", "rvert": "|", "vert": "|", "pmod": "mod", "bmod": "mod", "varepsilon": "epsilon",
    "varphi": "phi", "vartheta": "theta", "perp": "perpendicular", "parallel": "parallel", "pm": "+-",
}  # fmt: skip
_SIGNS = {
    "≤": "<=", "≥": ">=", "≠": "!=", "→": "->", "×": "*", "·": "*", "÷": "/", "−": "-", "–": "-", "==": "=", "**": "",
    "∞": "infinity", "√": "sqrt", "∠": "angle", "△": "triangle", "°": "degree", ":": "", "⇒": "->", "⟶": "->", "⌊": "lfloor", "⌋": "rfloor", "⌈": "lceil", "⌉": "rceil", "′": "",
}  # fmt: skip
_GREEK = frozenset(
    ["alpha", "beta", "gamma", "delta", "epsilon", "zeta", "eta", "theta", "iota", "kappa", "lambda", "mu", "nu", "xi", "rho",
     "sigma", "tau", "upsilon", "phi", "chi", "psi", "omega", "ell"]
)  # fmt: skip
_SAID = {"plus": "+", "minus": "-", "equals": "=", "percent": "%", "squared": "2", "cubed": "3"}
_UNITS = {name: value for value, name in enumerate(
    ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve", "thirteen",
     "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen"]
)}  # fmt: skip
_TENS = {name: 10 * value for value, name in enumerate(
    ["twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"], start=2
)}  # fmt: skip
_POWERS = {"hundred": 100, "thousand": 1000, "million": 1_000_000, "billion": 1_000_000_000}
_SHORT_WORDS = frozenset(
    ["of", "to", "in", "is", "be", "by", "as", "at", "an", "or", "if", "it", "on", "we", "he", "so", "up", "no", "do", "us",
     "my", "me", "go", "am", "pm", "mm", "cm", "km", "kg", "mr", "ms", "dr", "th", "st", "nd", "rd", "vs", "ad", "bc", "ok",
     "re", "pi", "ln", "id", "tv", "uk", "hi", "oh"]
)  # fmt: skip
_CAPITAL_WORDS = frozenset(["A", "I", "IF", "IN", "IS", "IT", "OF", "ON", "OR", "TO", "ALL", "AND", "ANY", "NOT", "THE", "SUM",
                            "GCD", "LCM", "FIND", "EACH", "ONLY", "USA", "IMO", "NO", "YES", "XOR", "TRUE"])  # fmt: skip
_ARTICLES = frozenset(["the", "an"])


@lru_cache(maxsize=4096)
def words(statement: str) -> tuple[Token, ...]:
    """The statement's tokens in order, across its lines; none for one of layout alone."""
    return tuple(_spelled_numbers(_read(_one_spelling(statement))))


def _one_spelling(statement: str) -> str:
    text = unicodedata.normalize("NFKC", statement.translate(_RAISED))
    text = "".join(sign for sign in unicodedata.normalize("NFKD", text) if not unicodedata.combining(sign)) if not text.isascii() else text
    text = text.replace("⁄", "/").replace("ﬁ", "fi")
    text = _HYPHEN.sub(" ", _FIGURE.sub(" ", text))
    text = _THOUSANDS.sub("", text)
    text = _ENVIRONMENT.sub(" ", text)
    text = _FONT.sub(" ", _PROSE.sub(rf" {_PROSE_OFF} \1 {_PROSE_ON} ", text))
    text = _SPACING.sub(" ", text)
    text = text.replace("\\{", "(").replace("\\}", ")").replace("\\|", "|").replace("\\%", "%").replace("\\$", " ")
    text = _SHORT_FRACTION.sub(r" \1 / \2 ", text)
    for _ in range(6):  # innermost braces first; deeper ones are read without their structure
        resolved = _FRACTION.sub(r" (\1) / (\2) ", text)
        resolved = _MIXED_FRACTION.sub(lambda found: f" ({found[1] or found[3]}) / ({found[2] or found[4]}) ", resolved)
        if resolved == text:
            resolved = _INNERMOST.sub(r" (\1) ", text)
            if resolved == text:
                break
        text = resolved
    return text


def _read(text: str) -> Iterator[Token]:
    letters = [sign for sign in text if sign.isalpha()]
    if letters and sum(sign.isupper() for sign in letters) > 0.6 * len(letters) and len(letters) > 40:
        text = text.lower()
    formula = False
    found = list(_TOKEN.finditer(text))
    for at, match in enumerate(found):
        token = match.group()
        if token[0] == "$":
            formula = not formula
        elif token in ("\\(", "\\["):
            formula = True
        elif token in ("\\)", "\\]"):
            formula = False
        elif token in (_PROSE_OFF, _PROSE_ON):
            formula = token == _PROSE_ON
        elif token[0] == "\\":
            yield from _command(token[1:])
        elif token[0].isdigit() or token[0] == ".":
            yield Token(token if token[0] != "." else f"0{token}", "number")
        elif token[0].isalpha():
            following = found[at + 1].group() if at + 1 < len(found) else ""
            yield from _letters(token, formula, following)
        elif token.strip(".") and (said := _SIGNS.get(token, token)):
            yield Token(said, "word" if said.isalpha() else "sign")


def _command(name: str) -> Iterator[Token]:
    name = _NAMES.get(name, name)
    if name.casefold() in _GREEK:
        yield Token(name, "letter")
    elif not name.isalpha():
        yield Token(name, "sign")
    elif name not in ("frac", "dfrac", "tfrac", "cfrac", "choose"):
        yield Token(name.casefold(), "word")
    elif name != "choose":
        yield Token("/", "sign")


def _letters(token: str, formula: bool, following: str) -> Iterator[Token]:
    low = token.casefold()
    if low in ("a", *_ARTICLES) and not formula and (low != "a" or (len(following) > 1 and following[0].isalpha())):
        return
    points = token.isupper() and len(token) <= 4 and token not in _CAPITAL_WORDS
    product = low not in _SHORT_WORDS and (len(token) == 2 or (formula and len(token) <= 3)) and low not in _FUNCTIONS
    if len(token) == 1 or points or product:
        for letter in token:
            if letter.isalpha():
                yield Token(letter, "letter")
    elif low in _SAID:
        yield Token(_SAID[low], "number" if _SAID[low].isdigit() else "sign")
    else:
        yield Token(_singular(low), "word")


_FUNCTIONS = frozenset(["sin", "cos", "tan", "cot", "sec", "csc", "log", "exp", "gcd", "lcm", "max", "min", "mod", "det", "deg", "lim",
                        "sup", "inf", "arg", "dim", "ker", "and", "for", "all", "not", "the", "two", "one", "six", "ten"])  # fmt: skip


@lru_cache(maxsize=65536)
def _singular(word: str) -> str:
    word = re.sub(r"['’]s?$", "", re.sub(r"['’]s$", "", word))
    if len(word) > 4 and word.endswith("ies"):
        return word[:-3] + "y"
    if len(word) > 3 and word.endswith("s") and not word.endswith(("ss", "us", "is")):
        return word[:-1]
    return word


def _spelled_numbers(tokens: Iterator[Token]) -> Iterator[Token]:
    """`twenty five` as 25 and `2 hundred` as 200; still of kind word, since prose counts loosely (`one`, `two of them`)."""
    value: int | None = None
    for token in tokens:
        said = _UNITS.get(token.text, _TENS.get(token.text)) if token.kind == "word" else None
        if said is not None:
            joins = value is not None and value > 0 and (value % 100 == 0 or (value % 10 == 0 and value % 100 >= 20 and said < 10))
            if value is not None and not joins:
                yield Token(str(value), "word")
            value = said + (value or 0) if joins else said
        elif value is not None and token.kind == "word" and token.text in _POWERS:
            value *= _POWERS[token.text]
        else:
            if value is not None:
                yield Token(str(value), "word")
                value = None
            yield token
    if value is not None:
        yield Token(str(value), "word")
