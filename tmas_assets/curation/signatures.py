"""What two statements are compared by: words, neighbouring pairs, figures, n-grams, and a MinHash of the pairs.

Letters that stand for something are numbered by their first place inside each unit, so renaming variables changes no
unit (`x y x` and `a b a` are both `0 1 0`). All hashing is seeded or SHA-based: the same in every process. Leaves out
what likeness means (`evidence.py`, `near_duplicates.py`).
"""

import hashlib
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from typing import TYPE_CHECKING

from tmas_assets.curation.words import Token, words

if TYPE_CHECKING:
    from datasketch import MinHash

PERMUTATIONS = 128
_SEED = 20_251
_RUN = 3
"""Tokens of a formula that make one figure."""


def shapes(tokens: Sequence[Token], size: int) -> list[str]:
    """Every run of `size` tokens, across lines, as a text that does not change with the names of letters."""
    return [_shape(tokens[at : at + size]) for at in range(len(tokens) - size + 1)]


def _shape(run: Sequence[Token]) -> str:
    if all(token.kind != "letter" for token in run):
        return " ".join([token.text for token in run])
    names: dict[str, int] = {}
    return " ".join(
        [f"_{names.setdefault(token.text, len(names))}" if token.kind == "letter" else token.text for token in run]
    )


@dataclass(frozen=True)
class Signature:
    tokens: tuple[Token, ...]

    @property
    def exact(self) -> str:
        """Equal for statements that read alike."""
        return " ".join(token.text for token in self.tokens)

    @cached_property
    def words(self) -> frozenset[str]:
        return frozenset(token.text for token in self.tokens if token.kind != "letter")

    @cached_property
    def pairs(self) -> frozenset[str]:
        return frozenset(shapes(self.tokens, 2))

    @cached_property
    def figures(self) -> frozenset[str]:
        """Numbers, told apart by how often they have come (`7#2`), and runs of three inside formulas."""
        found: set[str] = set()
        come: Counter[str] = Counter()
        run: list[Token] = []
        for token in self.tokens:
            digits = token.text[0].isdigit()
            if digits:
                come[token.text] += 1
                found.add(f"{token.text}#{come[token.text]}")
            if digits or token.kind != "word":
                run.append(token)
                continue
            found.update(shapes(run, _RUN))
            run = []
        found.update(shapes(run, _RUN))
        return frozenset(found)

    @cached_property
    def numbers(self) -> Mapping[str, int]:
        """How often each number comes, written in digits or in words."""
        return Counter(token.text for token in self.tokens if token.text[0].isdigit())

    @cached_property
    def printed_numbers(self) -> Mapping[str, int]:
        """The same of those in digits. Prose counts loosely (`two of them`, `one such`)."""
        return Counter(token.text for token in self.tokens if token.kind == "number")

    def ngrams(self, size: int) -> list[str]:
        """In order; the whole statement where it is shorter than `size`."""
        return shapes(self.tokens, min(size, len(self.tokens))) if self.tokens else []


def signature(statement: str) -> Signature:
    return Signature(words(statement))


def minhash(of: Signature) -> "MinHash":
    """Of the pairs and words together, so that one changed word costs three units and not a whole n-gram."""
    made = _empty().copy()
    made.update_batch(sorted(_hashed(unit) for unit in of.pairs | of.words))
    return made


@cache
def _empty() -> "MinHash":
    from datasketch import MinHash

    # what it is fed is hashed already
    return MinHash(num_perm=PERMUTATIONS, seed=_SEED, hashfunc=_as_it_is)


def _as_it_is(hashed: int) -> int:
    return hashed


def _hashed(unit: str) -> int:
    return int.from_bytes(hashlib.blake2b(unit.encode(), digest_size=4).digest(), "little")
