"""Edited copies of a problem's statement: what contamination looks like once it is not verbatim. Every draw is seeded."""

import random
import re
from collections.abc import Callable

_MATH = re.compile(r"\$\$.*?\$\$|\$[^$]*\$|\\\[.*?\\\]|\\\(.*?\\\)|\\begin\{.*?\\end\{[a-z*]+\}|\[asy\].*?\[/asy\]", re.DOTALL)
_PLAIN = re.compile(r"[A-Za-z][a-z]{2,}")
_SENTENCE = re.compile(r"(?<=[.?!])\s+(?=[A-Z$\\])")
_LETTERS = "abcdefghijklmnopqrstuvwxyz"
_OTHER_WORDS = ("certain", "suitable", "green", "window", "carefully", "perhaps", "eleventh", "garden", "measure", "forward")
_FILLER = (
    "The teacher wrote this on the board before the lesson began and asked everyone to keep quiet.",
    "Read the text twice, and write down each step so that another reader can follow it.",
    "A sketch may help, although nothing here depends on one.",
    "Somebody in the last row had already seen something like it in an old collection.",
    "The following was given at a summer school where most participants came from the north.",
    "Do not round anything before the very end, and explain where each value comes from.",
    "Several people found a long way to do it; there is also a short way.",
    "We thank the organisers for their permission to print this here, and wish you a pleasant evening.",
)
_SYNONYMS = {
    "find": "determine", "compute": "work out", "determine": "find", "calculate": "evaluate", "evaluate": "calculate", "express": "write",
    "suppose": "assume", "let": "take", "given": "we are given", "such": "so", "what": "which", "is": "equals", "are": "happen to be",
    "number": "count", "numbers": "values", "value": "quantity", "values": "quantities", "sum": "total", "largest": "greatest",
    "greatest": "largest", "smallest": "least", "least": "smallest", "minimum": "lowest", "maximum": "highest", "possible": "attainable",
    "all": "every", "every": "each", "each": "every", "positive": "strictly positive", "satisfying": "fulfilling", "satisfies": "fulfils",
    "satisfy": "fulfil", "where": "in which", "write": "give", "function": "map", "functions": "maps", "returns": "gives back",
    "return": "give back", "exists": "can be found", "exactly": "precisely", "how": "just how", "many": "numerous", "if": "provided that",
    "has": "possesses", "have": "possess", "many ": "numerous", "with": "having", "from": "out of", "answer": "result", "form": "shape",
    "point": "spot", "points": "spots", "line": "straight line", "circle": "round curve", "there": "here", "consider": "look at",
    "integer": "whole number", "integers": "whole numbers", "distinct": "different", "different": "distinct", "real": "real-valued",
    "list": "sequence", "string": "text", "check": "test", "two": "a pair of", "it": "this", "for": "given", "can": "may", "that": "which",
    "chosen": "picked", "person": "individual", "people": "persons", "students": "pupils", "called": "named", "denote": "stand for",
}  # fmt: skip


def _prose(statement: str, change: Callable[[str], str]) -> str:
    """`change` on what is not mathematics."""
    pieces, at = [], 0
    for found in _MATH.finditer(statement):
        pieces += [change(statement[at : found.start()]), found.group()]
        at = found.end()
    return "".join([*pieces, change(statement[at:])])


def exact(statement: str, draw: random.Random) -> str:
    return statement


def rewrapped(statement: str, draw: random.Random) -> str:
    parts = statement.split()
    return "\n".join(" ".join(parts[at : at + 8]) for at in range(0, len(parts), 8))


def respelled(statement: str, draw: random.Random) -> str:
    """Other delimiters, fraction commands, spacing, Unicode signs, no `\\left` and `\\right`."""
    text = statement.replace("\\left", "").replace("\\right", "").replace("\\dfrac", "\\frac").replace("\\frac", "\\tfrac")
    text = text.replace("\\leq", "≤").replace("\\le ", "≤ ").replace("\\geq", "≥").replace("\\ge ", "≥ ").replace("\\cdot", "\\times")
    text = re.sub(r"\$\$(.+?)\$\$", r"\\[\1\\]", text, flags=re.DOTALL)
    text = re.sub(r"\$([^$]+)\$", r"\\( \1 \\)", text)
    text = re.sub(r"\\tfrac\{(\w)\}\{(\w)\}", r"\1/\2", text)
    return re.sub(r"(?<=[\w}])([=+<>])(?=[\w{\\])", r" \1 ", text)


def renamed(statement: str, draw: random.Random) -> str:
    """Every letter of the formulas shifted to another one, the same throughout."""
    shift = draw.randrange(3, 20)

    def letter(found: "re.Match[str]") -> str:
        if len(found.group()) > 3 and not found.group().isupper():
            return found.group()
        return "".join(_shifted(sign, shift) for sign in found.group())

    def formula(found: "re.Match[str]") -> str:
        if "asy]" in found.group():
            return found.group()
        kept = re.split(r"(\\(?:text|mathrm|begin|end|operatorname)\{[^}]*\}(?:\{[lcr|]*\})?|\\[A-Za-z]+)", found.group())
        return "".join(piece if at % 2 else re.sub(r"[A-Za-z]+", letter, piece) for at, piece in enumerate(kept))

    return _MATH.sub(formula, statement)


def _shifted(sign: str, shift: int) -> str:
    alphabet = _LETTERS if sign.islower() else _LETTERS.upper()
    return alphabet[(alphabet.index(sign) + shift) % 26]


def _changed_words(statement: str, draw: random.Random, share: float) -> str:
    total = len(_PLAIN.findall(_MATH.sub(" ", statement)))
    count = max(1, round(share * total)) if total else 0
    chosen = set(draw.sample(range(total), count))
    at = -1

    def other(found: "re.Match[str]") -> str:
        nonlocal at
        at += 1
        return draw.choice(_OTHER_WORDS) if at in chosen else found.group()

    return _prose(statement, lambda piece: _PLAIN.sub(other, piece))


def one_word(statement: str, draw: random.Random) -> str:
    return _changed_words(statement, draw, 0.0)


def tenth_of_words(statement: str, draw: random.Random) -> str:
    return _changed_words(statement, draw, 0.1)


def diluted(statement: str, draw: random.Random) -> str:
    """Inside other text, three times as long in all."""
    filler: list[str] = []
    while len(" ".join(filler).split()) < 2 * len(statement.split()):
        filler.append(draw.choice(_FILLER))
    half = len(filler) // 2
    return " ".join([*filler[:half], statement, *filler[half:]])


def reordered(statement: str, draw: random.Random) -> str:
    sentences = _SENTENCE.split(statement)
    draw.shuffle(sentences)
    return " ".join(sentences)


def reworded(statement: str, draw: random.Random) -> str:
    """A synonym for every word that the table has one for, and the sentences in another order."""

    def other(found: "re.Match[str]") -> str:
        word = found.group()
        new = _SYNONYMS.get(word.lower(), word)
        return new.capitalize() if word[0].isupper() else new

    return reordered(_prose(statement, lambda piece: re.sub(r"[A-Za-z]{2,}", other, piece)), draw)


def together(*edits: Callable[[str, random.Random], str]) -> Callable[[str, random.Random], str]:
    def all_of(statement: str, draw: random.Random) -> str:
        for edit in edits:
            statement = edit(statement, draw)
        return statement

    return all_of


EDITS: dict[str, tuple[Callable[[str, random.Random], str], float]] = {
    "exact": (exact, 0.99),
    "re-wrapped": (rewrapped, 0.99),
    "LaTeX respelled": (respelled, 0.99),
    "variables renamed": (renamed, 0.99),
    "one word": (one_word, 0.99),
    "10 % of words": (tenth_of_words, 0.95),
    "sentences reordered": (reordered, 0.95),
    "diluted": (diluted, 0.9),
    "re-worded": (reworded, 0.9),
    "respelled, renamed, re-wrapped": (together(respelled, renamed, rewrapped), 0.95),
    "renamed, 10 % of words, diluted": (together(renamed, tenth_of_words, diluted), 0.8),
    "re-worded, respelled, diluted": (together(reworded, respelled, diluted), 0.8),
}
"""Edit and the least recall it should have."""
