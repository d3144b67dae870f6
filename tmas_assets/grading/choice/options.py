r"""Says which option of a multiple-choice question a text is, by its words or its mathematics.

Only ever one option: where two fit, none does. Leaves out where in a reply the text stands.
"""

import re
import unicodedata
from collections.abc import Iterable
from fractions import Fraction
from functools import lru_cache

from tmas_assets.grading.choice.text import BOX, BOX_END, FORMULA
from tmas_assets.grading.math.compare import Comparison
from tmas_assets.grading.math.exact import TooLarge
from tmas_assets.grading.math.exact_leaf import ExactLeaf, NeedsSymbols
from tmas_assets.grading.math.shape import read

ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
_LONGEST = 300
_DRESS = re.compile(
    r"\\(?:text|math)(?:bf|it|rm|sf|tt|normal|up)?(?![a-z])|\\mbox|\\(?:[,;:! ()\[\]]|left|right|q?quad|displaystyle)|[${}"
    rf"{BOX}{BOX_END}]|\*\*|__|</?(?:b|i|em|strong)>")
_ENDS = re.compile(r"\s*(?:$|[,;:)\]]|\.(?!\d)|(?:because|since|as|which|so|due)\b)")
_LETTERED = re.compile(r"\W*([A-Za-z])\W+(.+)", re.DOTALL)
_ABOUT = re.compile(r"\s*(?:approximately|about|roughly|around|exactly|nearly|≈|~|\\approx)\s*", re.IGNORECASE)
_NUMBER = re.compile(r"[-−]?\d{1,30}(?:\.\d{1,30})?")
_WITH_UNIT = re.compile(
    rf"({_NUMBER.pattern})\s*(?:~|\\[,; ]|\\(?:text|mathrm)\s*\{{)*\s*(?!(?:pi|times|or|and|to|[einkxyz])\b)[A-Za-zµμΩΩ°%][^\s,;]{{0,20}}")
"""A number and one word after it: the unit that an answer may leave out."""


def option_of(text: str, options: tuple[str, ...], whole: bool) -> str | None:
    """The letter of the one option that `text` is, or (unless `whole`) begins with or equals by value."""
    if not options or len(text) > _LONGEST:
        return None
    said = _words(text)
    if not said:
        return None
    lettered = list(zip(ALPHABET, options, strict=False))
    if same := [letter for letter, option in lettered if _words(option) == said]:
        return _only(same)
    if (own := _LETTERED.fullmatch(text)) and (own[1].upper(), _words(own[2])) in [(letter, _words(o)) for letter, o in lettered]:
        return own[1].upper()
    if whole:
        return None
    begun = [(len(words), letter) for letter, option in lettered
             if (words := _words(option)) and said.startswith(words) and _ENDS.match(said, len(words))]
    if begun:
        return _only(letter for length, letter in begun if length == max(begun)[0])
    value = _ABOUT.sub("", text.replace(FORMULA, "\\").rpartition("=")[2]).strip().rstrip(".")
    if value != text and (same := [letter for letter, option in lettered if _words(option) == _words(value)]):
        return _only(same)
    if _NUMBER.fullmatch(value) and (same := [
            letter for letter, option in lettered
            if (number := _WITH_UNIT.fullmatch(option.strip("$ "))) and _fraction(number[1]) == _fraction(value)]):
        return _only(same)
    return _only(letter for letter, option in lettered if _same_value(option, value))


def _only(letters: Iterable[str]) -> str | None:
    found = list(letters)
    return found[0] if len(found) == 1 else None


def _fraction(number: str) -> Fraction:
    return Fraction(number.replace("−", "-"))


def _same_value(option: str, value: str) -> bool:
    """Whether both are the same by rational arithmetic and structure; what needs more counts as different."""
    if len(option) > _LONGEST or not re.search(r"\d|\\", option) or not re.search(r"\d|\\", value):
        return False
    try:
        return Comparison(ExactLeaf()).same(gold=read(option.strip().rstrip(".")), answer=read(value)) is True
    except (NeedsSymbols, TooLarge, RecursionError):
        return False


@lru_cache(maxsize=1024)
def _words(text: str) -> str:
    """One spelling of a text: no blanks but between digits, no dress, no article or full stop around it."""
    text = _DRESS.sub(" ", unicodedata.normalize("NFKC", text[: _LONGEST * 2].replace(FORMULA, "\\")))
    text = re.sub(r"^(?:the|an?)\s", "", text.strip(" \n\t.,;:!*_\"'`"), flags=re.IGNORECASE)
    text = re.sub(r"(?<!\d)\s+|\s+(?!\d)", "", re.sub(r"\s+", " ", text))
    return text if re.search(r"\d", text) else text.casefold()  # 5 MeV is not 5 meV
