"""Grades a mathematical answer: finds it, compares it with the gold, and says which of four outcomes holds.

`grade_at_once` decides what rational arithmetic and the structure of the answer can decide; the rest it hands back
as a `Question` for `decide`, which a worker runs. Neither raises for any text.
"""

import re
from dataclasses import dataclass
from functools import lru_cache

from tmas_assets.grading.math.compare import Comparison
from tmas_assets.grading.math.exact import TooLarge, rational
from tmas_assets.grading.math.exact_leaf import ExactLeaf, NeedsSymbols
from tmas_assets.grading.math.find_answer import Asked, find_answer
from tmas_assets.grading.math.latex import one_spelling
from tmas_assets.grading.math.shape import read
from tmas_assets.grading.math.structure import Shape
from tmas_assets.grading.math.words import canonical
from tmas_assets.grading.thinking import split_thinking
from tmas_assets.records import Failure, Outcome, Verdict

_SHOWN = 500
"""Characters of the answer that a verdict keeps."""
_VERDICTS = {"yes", "no", "true", "false"}
_OUTCOMES: dict[bool | None, Outcome] = {True: "right", False: "wrong", None: "undecided"}


@dataclass(frozen=True)
class Question:
    """A comparison that needs a worker."""

    gold: str
    answer: str
    other: str | None = None
    """What the answer may say as well."""


def grade_at_once(*, gold: str, text: str, whole: bool = False) -> Verdict | Question:
    """`whole`: the gold has to be an integer."""
    reason = unusable(gold, whole=whole)
    if reason is not None:
        return Verdict(outcome="failed", failure=Failure(boundary="grader", kind="unparseable_gold", detail=reason))
    wanted = read_gold(gold)
    answer = split_thinking(text)[1] or ""
    found = find_answer(answer, asked=asked_for(wanted))
    if found is None:
        return Verdict(outcome="wrong")
    question = Question(gold=gold, answer=found.text, other=found.other)
    try:
        return _compared_at_once(question)
    except NeedsSymbols:
        return question
    except (ArithmeticError, RecursionError, ValueError):  # a worker has its own stack, and a fault there fails one grade
        return question


@lru_cache(maxsize=1_024)  # many samples of a problem give the same answer
def _compared_at_once(question: Question) -> Verdict:
    return _compared(question, Comparison(ExactLeaf()))


def decide(question: Question) -> Verdict:
    """For a worker: may take long."""
    from tmas_assets.grading.math.symbol_leaf import SymbolLeaf

    return _compared(question, Comparison(SymbolLeaf()))


def _compared(question: Question, comparison: Comparison) -> Verdict:
    wanted = read_gold(question.gold)
    same = comparison.same(gold=wanted, answer=read(question.answer))
    if same is not True and question.other is not None:
        same = comparison.same(gold=wanted, answer=read(question.other)) or same
    return Verdict(outcome=_OUTCOMES[same], extracted=question.answer[:_SHOWN])


def read_gold(gold: str) -> Shape:
    """A gold may be a whole solution, whose box is the answer."""
    boxed = find_answer(gold, asked="formula") if "boxed" in gold else None
    return read(boxed.text if boxed is not None else gold)


@lru_cache(maxsize=1_024)  # asked with every answer
def unusable(gold: str, *, whole: bool = False) -> str | None:
    """Why no answer can be compared with this gold, or None where one can."""
    if read_gold(gold).kind == "empty":
        return f"gold {gold!r} is empty"
    braces = re.sub(r"\\[{}\\]", "", gold)
    if braces.count("{") != braces.count("}"):
        return f"gold {gold!r}: {braces.count('{')} opening and {braces.count('}')} closing braces"
    opened, closed = re.findall(r"\\begin\{(\w+)\*?\}", gold), re.findall(r"\\end\{(\w+)\*?\}", gold)
    if sorted(opened) != sorted(closed):
        return f"gold {gold!r}: begins {opened}, ends {closed}"
    if whole and not re.fullmatch(r"[+-]?\d+", one_spelling(gold).replace(",", "")):
        return f"gold {gold!r} is no integer"
    return None


def asked_for(gold: Shape) -> Asked:
    """What kind of answer the gold is, which decides where an unmarked one is looked for."""
    if gold.kind == "words" or canonical(gold.text) in _VERDICTS:
        return "verdict" if canonical(gold.text) in _VERDICTS else "words"
    if gold.kind == "based":
        return "number"
    if gold.kind != "value" or gold.node is None:
        return "formula"
    try:
        return "number" if rational(gold.node) is not None else "formula"
    except TooLarge:
        return "number"
