r"""Expressions in running text: where each one starts and ends, as a whole: `1 + sqrt(3)`, `x > 5`, `n(n-1)/2`, `4:05`.

Leaves out which of them is the answer (`prose.py`).
"""

import re
from collections.abc import Iterator

VULGAR = "[½⅓⅔¼¾⅕⅖⅗⅘⅙⅚⅐⅛⅜⅝⅞⅑⅒]"
FORMULA = re.compile(
    r"\$\$(.+?)\$\$|\$(?!\s)([^$\n]+?)(?<!\s)\$|\$\s*([^$\n]*?\\[A-Za-z][^$\n]*?)\s*\$|\$[ ]([^$\n]+?)[ ]\$"
    r"|\\\((.+?)\\\)|\\\[(.+?)\\\]|\\begin\{(?:equation|align|gather|multline)\*?\}(.+?)\\end\{(?:equation|align|gather|multline)\*?\}", re.DOTALL)
_PLAIN = r"\d{1,3}(?:,\d{3})+(?:\.\d+)?(?![\d,]*\d)|\d{1,3}(?:[ \u00a0\u202f']\d{3})+(?:[.,]\d+)?(?![\d])|\d+,\d+(?![\d,])|\d+(?:\.\d+)?|\.\d+"
_ROOT = rf"√\s*(?:{_PLAIN})|\\sqrt\s*\{{\d+\}}"
NUMBER = re.compile(
    rf"(?<![\w.])(?:(?<![\w)}}\]])[-−+]|(?<!\d )(?:minus|negative) )?\$?(?:\\frac\{{[^{{}}]*\}}\{{[^{{}}]*\}}|(?:{_ROOT})|{VULGAR}"
    rf"|(?:{_PLAIN})(?:\s?{VULGAR}|[ \t]+\d+/\d+(?!\d)|/\d+(?:\.\d+)?|\s?(?:{_ROOT})|\s?π|\\frac\{{[^{{}}]*\}}\{{[^{{}}]*\}})?)"
    r"(?:!|\s?\\?%|°| (?:hundred|thousand|million|billion|trillion)\b)?(?![\w]*\d)")
_FUNCTIONS = ("arcsin|arccos|arctan|sinh|cosh|tanh|sin|cos|tan|cot|sec|csc|log_?\\{?\\d*\\}?|ln|lg|exp|sqrt|cbrt|max|min|gcd|lcm|det|floor|ceil|abs"
              "|phi|zeta|gamma|binom")
_FUNCTION = re.compile(rf"(?<![A-Za-z\\])(?:{_FUNCTIONS})(?![A-Za-z])|[√∛∜]", re.IGNORECASE)
_CONSTANT = re.compile(r"(?<![A-Za-z\\])(?:pi|infinity|inf)(?![A-Za-z])|[πφϕθαβγδελμρστωΩ∞∅ℝℤℕℚℂ]")
_LETTER = re.compile(r"(?<![A-Za-z'’\\])[A-Za-z](?![A-Za-z'’]|\.[A-Za-z])")
_NO_ARTICLE = re.compile(r"\s*(?:[=<>≤≥≠^+*/!)\]},;]|\.?$|\(|_|[-−]\S|\.\s)")
_CALL = re.compile(r"(?<![A-Za-z\\])[A-Za-z]{2,4}(?:_\{?\w+\}?)?(?=\()")
_COMMAND = re.compile(
    r"\\(?!cdot|times|leq?(?![a-z])|geq?(?![a-z])|neq?(?![a-z])|pm|in(?![a-z])|equiv|cup|cap|div|text|and|or|quad|qquad|implies|to(?![a-z])|Rightarrow|boxed)"
    r"[A-Za-z]+(?:\s?_\{?\w+\}?)?(?:\[\d+\])?(?:\{[^{}]*(?:\{[^{}]*\}[^{}]*)*\})*")
_INDEX = re.compile(r"_\{[^{}]*\}|_\w+|[₀₁₂₃₄₅₆₇₈₉ₙ]+|[⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻ⁿˣ]+|!(?!=)|°|\s?\\?%|'(?=[(\s=])")
_OPERATOR = re.compile(
    r"[ \t]*(?:\*\*|[+*×·⋅∙/÷^±∓∪∩]|\\(?:cdot|times|pm|cup|cap|div|in|equiv|[lg]eq?|neq?)(?![A-Za-z])|≈|≡|∈|≠|≤|≥|⩽|⩾|!=|==|<=|>=|=(?!>)|<(?!-)|>)[ \t]*"
    r"|(?<! )[-−–](?! )| [-−] (?! )|(?<=\d):(?=\d)| : (?=\d)"
    r"| (?:mod|choose|x(?= \d)|times|plus|minus|over|divided by|multiplied by|to the power(?: of)?|to the) ")
_BOUND = re.compile(r"(?:(?<=[^\s>])[ \t]+|(?<=\())(?:!=|<=|>=|(?<![-=])>(?!>)|<(?![-/A-Za-z])|[≠≤≥⩽⩾])[ \t]*")
_SIGN = re.compile(r"[±∓][ \t]*|[-−](?! )|−[ \t]?|(?<=is )[-–] |(?<=[=:] )[-–] |(?<=are )[-–] |[+](?! )")
_ITEM_END = re.compile(r"\s*([,;|]|\.\.\.|…)\s*")
_CLOSING = {"(": ")]", "[": ")]", "{": "}"}
_MODULUS = re.compile(r"\s*\(\s*\\?mod\s+\w+\s*\)")
_SPACED_LETTER = re.compile(r" (?=[b-zB-HJ-Z](?:\s*(?:[.,;:)]|$)|\s*[=<>≤≥^+*/]| [-−] [\d(]))")
_SPACED = re.compile(r" (?=(?:pi|sqrt|cbrt|log|ln|sin|cos|tan|exp)(?![A-Za-z])|[π√])")
_DEEPEST = 8
_LONGEST = 400


def stretches(text: str) -> Iterator[tuple[int, int]]:
    """Where expressions stand outside of formulas, each as long as it can be. One letter alone is one as well."""
    start = 0
    for formula in FORMULA.finditer(text):
        yield from _between(text, start, formula.start())
        start = formula.end()
    yield from _between(text, start, len(text))


def _between(text: str, at: int, limit: int) -> Iterator[tuple[int, int]]:
    part = text[:limit]
    while at < limit:
        end = _bounded(part, at)
        if end is None:
            word = _WORD.match(part, at)
            at = word.end() if word else at + 1
            continue
        yield at, end
        at = end


_WORD = re.compile(r"[^\W\d_]{2,}(?:\s?\^\s?\{?-?\d+\}?|_\{?\w+\}?)?|\s+")


def _bounded(text: str, at: int) -> int | None:
    bound = _BOUND.match(text, at)
    if bound and (end := _expression(text, bound.end(), 0)) is not None:
        return end
    return _expression(text, at, 0)


def _expression(text: str, at: int, depth: int) -> int | None:
    end = _signed(text, at, depth)
    if end is None:
        return None
    start = at
    while end - start < _LONGEST:
        operator = _OPERATOR.match(text, end)
        further = _signed(text, operator.end(), depth) if operator and operator.end() > end else None
        if further is None:
            break
        end = further
    modulus = _MODULUS.match(text, end)
    return modulus.end() if modulus else end


def _signed(text: str, at: int, depth: int) -> int | None:
    if depth > _DEEPEST:
        return None
    number = _number(text, at)
    if number is None and (sign := _SIGN.match(text, at)):
        at = sign.end()
    end = number if number is not None else _operand(text, at, depth)
    while end is not None:
        if index := _INDEX.match(text, end):
            end = index.end()
            continue
        space = _SPACED.match(text, end) or _SPACED_LETTER.match(text, end)
        further = _operand(text, space.end() if space else end, depth, implicit=True)
        if further is None:
            break
        end = further
    return end


def _number(text: str, at: int) -> int | None:
    number = NUMBER.match(text, at)
    return number.end() if number else None


def _operand(text: str, at: int, depth: int, *, implicit: bool = False) -> int | None:
    if at >= len(text):
        return None
    if text[at] in _CLOSING:
        return _group(text, at, depth + 1)
    if found := _FUNCTION.match(text, at):
        space = at + len(found.group()) + (text[found.end() : found.end() + 1] == " ")
        argument = _signed(text, space, depth + 1)
        if argument is not None:
            return argument
        return None
    if found := _CONSTANT.match(text, at) or _COMMAND.match(text, at):
        return found.end()
    if (call := _CALL.match(text, at)) and (end := _group(text, call.end(), depth + 1)) is not None:
        return end
    if implicit:
        letter = re.compile(r"[A-Za-z](?![A-Za-z'’])").match(text, at)
        return letter.end() if letter else None
    letter = _LETTER.match(text, at)
    if letter and (letter.group() not in "aAI" or _NO_ARTICLE.match(text, letter.end())):
        return letter.end()
    return _number(text, at)


def _group(text: str, at: int, depth: int) -> int | None:
    """The end of brackets in which only expressions stand."""
    closing = _CLOSING[text[at]]
    inside = re.compile(r"\s*").match(text, at + 1).end()  # type: ignore[union-attr]
    for _ in range(_LONGEST):
        end = _expression(text, inside, depth)
        if end is None:
            return None
        if text[end : end + 1] and text[end] in closing:
            return end + 1
        separator = _ITEM_END.match(text, end)
        if separator is None:
            return None
        inside = separator.end()
    return None
