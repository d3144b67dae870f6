"""Finds the blocks of code in a reply: fenced, half fenced, or bare. Leaves out which of them is the answer.

Fences as in CommonMark, and what models make of them: tags with attributes, a fence in the middle of a line, one that
is never opened or never closed, and fences inside of docstrings.
"""

import re
import textwrap
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from tmas_assets.grading.code.names import parse
from tmas_assets.grading.code.unwrap import plain_blanks, unwrapped

_FENCE = re.compile(r"^(?P<before>[^\n`~]*?)(?P<fence>`{3,}|~{3,})[ \t]*(?P<info>[^\n`]*)$", re.MULTILINE)
_ONE_LINE = re.compile(r"```[ \t]*(?:(?:python3?|py)[ \t]+)?(?P<code>[^`\n]+?)[ \t]*```", re.IGNORECASE)
_SPAN = re.compile(r"(?<!`)`(?P<code>[^`\n]+)`(?!`)")
_PYTHON = re.compile(r"[{.\s]*(?:python|py|ipython|pycon|cpython|sage|jupyter)[\d.]*(?:[^\w+#-].*)?", re.IGNORECASE)
_CODE_AS_INFO = re.compile(r"(?:def|class|import|from|async|@\w|for|while|if|print\s*\(|\w+\s*=)[\s\w(].*|@\w+.*|print\(.*")
_QUOTED = re.compile(r"^[ \t]*>[ ]?(?!>)", re.MULTILINE)
_MARK = re.compile(r"\[/?(?:BEGIN|DONE|PYTHON|ANSWER|SOLUTION|CODE)\]|</?(?:code|answer|pre|solution|python)(?:\s[^<>\n]*)?>",
                   re.IGNORECASE)
_STARTS = re.compile(r"(?:async\s+def|def|class|import|from|if|for|while|with|try|print|@\w+)\b|\w[\w.\[\], ]*\s*[-+*/|&^%]?=[^=]|@")
_MOST_LINES = 3_000
_MOST_STARTS = 40
_MOST_MISSES = 40
_MOST_READ = 600_000
"""Characters parsed in search of code among prose: a tenth of a second or so."""


@dataclass(frozen=True)
class Block:
    """`code` is Python that parses, without what surrounds it; None where there is none. `raw`: as it stands."""

    raw: str
    code: str | None
    python: bool
    """Whether its tag says so."""
    other: bool = False
    """Whether its tag names something else."""


@lru_cache(maxsize=8)
def blocks(answer: str) -> tuple[Block, ...]:
    """In the order of the reply. One without any fence is a single block of whatever code it has."""
    answer = answer.replace("\r\n", "\n").replace("\r", "\n")
    if _QUOTED.search(answer) and all(_QUOTED.match(line) for line in answer.split("\n") if line.strip()):
        answer = _QUOTED.sub("", answer)
    found = tuple(_fenced(answer)) or tuple(_block(match["code"], "python") for match in _ONE_LINE.finditer(answer))
    return found or (bare(answer),)


def outside(answer: str) -> Block:
    """The code that stands between the fenced blocks."""
    answer = answer.replace("\r\n", "\n").replace("\r", "\n")
    kept, place = [], 0
    for number, fence in enumerate(_FENCE.finditer(answer)):
        if number % 2 == 0:
            kept.append(answer[place : fence.start("fence")])
        place = fence.end()
    return bare("\n".join([*kept, answer[place:]]))


def spans(answer: str) -> list[Block]:
    """What stands in single backticks and is Python."""
    found = [_block(match["code"], "") for match in _SPAN.finditer(answer)][:_MOST_STARTS]
    return [block for block in found if block.code is not None]


@lru_cache(maxsize=8)
def bare(text: str) -> Block:
    """The code in text without fences: all of it, or the longest run of lines that is Python."""
    text = text.strip("\n")
    if (whole := unwrapped(text)) is not None:
        return Block(text, whole, python=False)
    text = plain_blanks(_MARK.sub("", text)).strip("\n")
    if (whole := unwrapped(text)) is not None:
        return Block(text, whole, python=False)
    lines = text.split("\n")[:_MOST_LINES]
    best, left = "", [_MOST_READ]
    starts = [number for number, line in enumerate(lines) if _STARTS.match(line)][:_MOST_STARTS]
    end_of_best = 0
    for start in starts:
        if start >= end_of_best and (found := _longest(lines[start:], left)):
            run, count = found
            end_of_best = start + count
            best = f"{best}\n{run}" if best else run
    return Block(text, best or None, python=False)


def _longest(lines: list[str], left: list[int]) -> tuple[str, int] | None:
    """The longest beginning of `lines` that is Python, and its number of lines. `left`: characters that may be parsed."""
    ends = [number for number, line in enumerate(lines) if number and line[:1].strip()] + [len(lines)]
    found = None
    misses = 0
    for end in ends:
        left[0] -= sum(map(len, lines[:end]))
        if left[0] < 0:
            break
        if (tree := parse(code := "\n".join(lines[:end]))) is not None and tree.body:
            found, misses = (code, end), 0
        elif (misses := misses + 1) > _MOST_MISSES:
            break
    return found


def _fenced(text: str) -> Iterator[Block]:
    fences = list(_FENCE.finditer(text))
    place, number = 0, 0
    while number < len(fences):
        opening = fences[number]
        info = opening["info"].strip()
        before = text[place : opening.start()]
        if not info and number == 0 and (unopened := _unopened(before, text[opening.end() :])) is not None:
            yield unopened
            place, number = opening.end(), number + 1
            continue
        closing = _closing(text, fences, number)
        end = fences[closing].start("fence") if closing is not None else len(text)
        content = text[opening.end() : end].lstrip("\n") if end else ""
        if _CODE_AS_INFO.fullmatch(info):
            content, info = f"{info}\n{content}", ""
        yield _block(content, info, cut=closing is None)
        if closing is None:
            return
        place, number = fences[closing].end(), closing + 1


def _closing(text: str, fences: list[re.Match[str]], opening: int) -> int | None:
    """The first fence that may close this one and leaves Python; else the first that may close it."""
    first = None
    mark, start = fences[opening]["fence"], fences[opening].end()
    for number in range(opening + 1, len(fences)):
        fence = fences[number]
        if fence["fence"][0] != mark[0] or len(fence["fence"]) < len(mark):
            continue
        if fence["info"].strip() and not fence["before"].strip():
            if first is not None or not _inside_text(text[start : fence.start()]):
                break  # another block opens
            continue
        first = number if first is None else first
        if number - opening > 8:
            break
        if parse(text[start : fence.start("fence")].strip("\n")) is not None:
            return number
    return first


def _inside_text(code: str) -> bool:
    return code.count('"""') % 2 == 1 or code.count("'''") % 2 == 1


def _unopened(before: str, after: str) -> Block | None:
    """Code that a first fence closes though none opened it."""
    found = bare(before)
    if found.code is None or not re.search(r"^\s*(?:async\s+def|def|class|import|from)\b", found.code, re.MULTILINE):
        return None
    following = after.split("```")[0]
    return None if "```" in after and parse(following.strip("\n")) is not None and following.strip() else found


def _block(content: str, info: str, *, cut: bool = False) -> Block:
    python = bool(_PYTHON.fullmatch(info))
    code = unwrapped(content)
    if code is None and cut:
        found = _longest(textwrap.dedent(plain_blanks(content)).split("\n")[:_MOST_LINES], [_MOST_READ])
        code = found[0] if found else None
    return Block(content, code, python=python, other=bool(info) and not python)
