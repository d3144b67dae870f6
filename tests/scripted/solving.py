"""The problem in a prompt of ours, and how often a model of a stated strength solves it.

A problem's ease is drawn from its text; a strength makes a chance of it. A model that solves more problems solves those of the
weaker one too. Leaves out what a role makes of it.
"""

import hashlib
import random
import re
from dataclasses import dataclass
from functools import lru_cache

from tests.scripted.arithmetic import last_calculation, spelled

_AFTER = r"\n\n(?=Task: |[^\n]{1,80}:\n~~~|Round \d+\. |Reference answer: |Use what is right|Take another way)"
_STATEMENT = re.compile(r"Problem: (.*?)(?:" + _AFTER + r"|\Z)", re.DOTALL)
_SOLUTION = re.compile(r"^Solution(?: \d+)?(?: so far)?:\n(~~~+)\n(.*?)\n\1$", re.DOTALL | re.MULTILINE)
_BOX = re.compile(r"\\boxed\{((?:[^{}]|\{[^{}]*\})*)\}")
_WORD = re.compile(r"\b[a-z]{5,14}\b")
_EMPTY = frozenset(["about", "after", "again", "along", "apart", "comes", "could", "every", "figures", "further", "notes", "other", "short",
                    "stands", "than", "their", "there", "these", "together", "wanted", "which", "while", "whole", "written"])  # fmt: skip
TEMPTING = 8
"""One problem in so many has a wrong answer that checkers take for the right one."""
_SLIPS = (1, -1, 2, -2, 10, -10, 3, 9)
_GUESSES = ("0", "1", "2", "4", "6", "12")


@dataclass(frozen=True)
class Strength:
    """`never` and `always`: shares of the problems that are never and always solved; the chances of the rest are spread
    evenly between 0 and 1."""

    never: float = 0.2
    always: float = 0.15

    def chance(self, ease: float) -> float:
        """Of a right answer to a problem of this ease."""
        return min(1.0, max(0.0, (ease - self.never) / (1 - self.never - self.always)))


@dataclass(frozen=True)
class Posed:
    """A problem as the script reads it."""

    statement: str
    truth: str | None
    """None where the text states no calculation."""
    slips: tuple[str, ...]
    """Wrong answers that are given, the likeliest first."""
    tempting: str | None
    """A wrong answer that checkers fall for as well, None in problems without one."""
    facts: tuple[str, ...]
    """Steps of the calculation; without one, none."""
    words: tuple[str, ...]
    """Telling words of the text, without repeats."""
    ease: float
    """In [0, 1), drawn from the text."""
    key: int
    """Drawn from the text: for whatever else is a trait of the problem."""

    def answer(self, strength: Strength, draw: random.Random) -> str:
        if self.truth is not None and draw.random() < strength.chance(self.ease):
            return self.truth
        return self.slips[min(int(draw.expovariate(1.0)), len(self.slips) - 1)]


def posed_in(message: str) -> Posed | None:
    """The problem that a user message of ours begins with."""
    found = _STATEMENT.match(message)
    return posed(found[1]) if found is not None else None


@lru_cache(maxsize=65536)
def posed(statement: str) -> Posed:
    drawn = hashlib.blake2b(statement.encode("utf-8", "surrogatepass"), digest_size=16).digest()
    key = int.from_bytes(drawn[8:], "big")
    asked = last_calculation(statement)
    if asked is None:
        at = key % len(_GUESSES)
        slips = _GUESSES[at:] + _GUESSES[:at]
    else:
        order = random.Random(key).sample(_SLIPS, 4)
        slips = tuple(spelled(asked.value + slip) for slip in order)
    return Posed(
        statement=statement,
        truth=None if asked is None else spelled(asked.value),
        slips=slips,
        tempting=slips[0] if key % TEMPTING == 0 else None,
        facts=() if asked is None else asked.steps,
        words=tuple(word for word in dict.fromkeys(_WORD.findall(statement)) if word not in _EMPTY)[:24] or ("quantity",),
        ease=int.from_bytes(drawn[:8], "big") / 2**64,
        key=key,
    )


def solutions_in(message: str) -> list[str]:
    """Texts of the solutions that a message shows, in order."""
    return [found[2] for found in _SOLUTION.finditer(message)]


def boxed(text: str) -> str | None:
    """What stands in the last box."""
    found = _BOX.findall(text)
    return found[-1] if found else None
