"""Reads labelled lines (`Experts: 3`) out of a reply, and what their values mean: one word of a list, one whole number.

Exact: a value that is not plainly one of the words, or not plainly one number, is an error and never a guess. "do not
continue" is no "continue", "2 more" is no 2, "3 or 4" is neither. Leaves out JSON replies.
"""

import re
from collections.abc import Mapping

from pydantic import JsonValue

LARGEST = 10**9
_DECORATION = " \t\n*_`#$\"'"
_BOXED = re.compile(r"\\boxed\s*\{(?:\\text\s*\{)?([^{}]*)\}{1,2}")
_WORDS = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
_UNIT = r"(?:tokens?|experts?|solvers?|agents?|critics?|people|members?)"
_NUMBER = re.compile(
    rf"(?:about |around |at most |up to |~ ?)?[*_]*(?P<number>\d{{1,3}}(?:[,_'\u00a0\u202f]\d{{3}})+|\d{{1,10}}|{'|'.join(_WORDS)})[*_]*"
    rf"(?:[ -](?:max(?:imum)?[ ])?{_UNIT}[*_]*)?(?P<rest>$|[ ]?[.;:,(\n–—](?!\d).*|\s-\s.*|\s(?:each|per|for|in all|because|since|as)\b.*)",
    re.IGNORECASE | re.DOTALL)  # fmt: skip
_AMOUNT = re.compile(rf"\d|\b(?:{'|'.join(_WORDS)})\b", re.IGNORECASE)


class FieldError(ValueError):
    """A field that is missing, stands twice with two values, or has a value that cannot be read."""


def fields(text: str, labels: Mapping[str, str], *, cut: bool) -> Mapping[str, str]:
    """What stands after each label, up to the next one; `labels`: name -> pattern of its spellings.

    A line that begins with `>` is a quotation and has no label. `cut`: whether the reply was cut off; then the value it ends
    with may go on, and is left out. Raises FieldError where a label stands twice with different
    values.
    """
    spellings = "|".join(f"(?P<{name}>{pattern})" for name, pattern in labels.items())
    line = re.compile(rf"^[ \t*_#`-]*+(?:\(?\d{{1,2}}[.)][ \t]*+)?[*_]*+(?:{spellings})[*_]*[ \t]*[:=]", re.IGNORECASE | re.MULTILINE)
    marks = [*line.finditer(text)]
    found: dict[str, str] = {}
    for mark, following in list(zip(marks, [*marks[1:], None], strict=False))[: len(marks) - cut]:
        name = str(mark.lastgroup)
        value = text[mark.end() : following.start() if following else len(text)].strip(_DECORATION)
        if found.setdefault(name, value) != value:
            raise FieldError(f"{name} stands twice: {found[name][:40]!r} and {value[:40]!r}")
    return found


def word(text: str, meanings: Mapping[str, str]) -> str:
    """The meaning of a value that is one of the words as a whole, whatever its case and dress."""
    said = " ".join(_plain(text).lower().replace("’", "'").replace("don't", "do not").strip(_DECORATION + ".!()[]-").split())
    if said not in meanings:
        raise FieldError(f"{text.strip()[:40]!r} is none of {', '.join(sorted(set(meanings)))}")
    return meanings[said]


def number(value: JsonValue) -> int:
    """The one whole number that a value is: 8192, "8,192", "8192 tokens", "**3** experts", "three"; a remark may follow
    it that names no other amount. Signs, fractions, ranges and abbreviations (8k) are refused."""
    if isinstance(value, bool) or value is None or isinstance(value, list | dict):
        raise FieldError(f"{str(value)[:40]!r} is no whole number")
    if isinstance(value, int | float):
        read = int(value) if value == value and abs(value) < LARGEST and value == int(value) else -1
    else:
        read = _in_words(value)
    if not 0 <= read < LARGEST:
        raise FieldError(f"{str(value).strip()[:40]!r} is no whole number from 0 to {LARGEST}")
    return read


def _in_words(text: str) -> int:
    """-1 where the text is not plainly one number."""
    said = _plain(text).strip(_DECORATION)
    if said.startswith("(") and said.endswith(")"):
        said = said[1:-1].strip(_DECORATION)
    match = _NUMBER.fullmatch(said)
    if match is None or _AMOUNT.search(match["rest"]):
        return -1
    plain = match["number"].lower()
    return _WORDS.index(plain) if plain in _WORDS else int(re.sub(r"\D", "", plain))


def _plain(text: str) -> str:
    return _BOXED.sub(r"\1", text)
