"""How much of an evaluation problem a statement holds, and from when on that makes it a copy.

Shares are weighted: what few evaluation problems say counts more than what many say, and phrases that every
mathematical text uses count little however few problems there are. A copy with other numbers is another problem, so
each test also asks for the problem's numbers. Thresholds that are no settings were set on public benchmarks (MATH-500,
AIME, IMO-AnswerBench, HumanEval, MBPP) against themselves and against edited copies; `bench/contamination_recall.py`
measures what they give. Leaves out finding the pairs to compare (`contamination.py`).
"""

import math
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from importlib.resources import files

from tmas_assets.curation.signatures import Signature
from tmas_assets.records import Decontamination

_PRIOR = 1000
"""Problems that the weights pretend to have seen besides the evaluation problems, so few of these make no word rare."""
_COMMON = frozenset(files(__package__).joinpath("common_words.txt").read_text("utf-8").split())
"""What statements of all kinds say, as `words.py` reads it."""
_COMMON_SEEN, _COMMON_PAIR_SEEN = 300, 30


class Weights:
    """The weight of a unit, in nats, by how many evaluation problems hold it."""

    def __init__(self, signatures: Iterable[Signature]) -> None:
        held: Counter[str] = Counter()
        problems = 0
        for one in signatures:
            held.update(one.words | one.pairs | one.figures)
            problems += 1
        self._of = {unit: math.log((problems + _PRIOR) / (count + _said_anyway(unit) + 0.5)) for unit, count in held.items()}

    def of(self, unit: str) -> float:
        """Raises KeyError for a unit that no evaluation problem holds."""
        return self._of[unit]

    def total(self, units: Iterable[str]) -> float:
        # fsum: sets of texts come in another order in every process, and the sum must not
        return math.fsum(map(self._of.__getitem__, units))


def _said_anyway(unit: str) -> int:
    """How many of the pretended problems hold the unit."""
    parts = unit.partition("#")[0].split()
    if any(part not in _COMMON and part[0] != "_" for part in parts):
        return 0
    return _COMMON_SEEN if len(parts) == 1 else _COMMON_PAIR_SEEN


@dataclass(frozen=True)
class Evidence:
    """What a statement holds of one evaluation problem. Shares are in [0, 1], weights in nats."""

    ngrams: float
    """Share of its telling n-grams."""
    telling: int
    words: float
    pairs: float
    pairs_weight: float
    """Weight of the pairs that are held."""
    figures: float
    figures_weight: float
    """Weight of all its figures, 0 for pure prose."""
    missing: int
    """Of its printed numbers, how many the statement lacks."""
    numbers: int
    likeness: float
    """Estimated Jaccard similarity of both texts."""
    alone: bool
    """The statement holds little else."""


def missing_numbers(problem: Signature, statement: Mapping[str, int]) -> int:
    return sum(max(0, count - statement.get(number, 0)) for number, count in problem.printed_numbers.items())


def test_fired(found: Evidence, settings: Decontamination) -> str | None:
    """The first test that says copy, in words with its figures; None for another problem.

    Numbers are told apart strictly: one of eight may be missing, of fewer none.
    """
    if found.missing > found.numbers // 8:
        return None
    prose = found.figures_weight < 3
    figures = found.figures_weight < 8 or found.figures >= 0.75
    for name, fires in (
        (
            f"n-grams: holds {found.ngrams:.2f} of its {found.telling} telling {settings.ngram}-grams (from {settings.overlap:g})",
            found.telling > 0 and found.ngrams >= settings.overlap and found.pairs_weight >= 6 and (figures or found.ngrams >= 0.8),
        ),
        (
            f"near-duplicate: MinHash similarity {found.likeness:.2f} (from {settings.similarity:g})",
            found.likeness >= settings.similarity and found.pairs_weight >= 15 and figures,
        ),
        (
            f"same words: {found.words:.2f} of its words and {found.pairs:.2f} of its pairs of words, by weight",
            (found.words >= 0.8 and found.pairs >= 0.7 and found.pairs_weight >= 15 and figures)
            or (found.words >= 0.74 and found.pairs >= 0.44 and found.pairs_weight >= 50 and (prose or found.figures >= 0.85))
            or (found.words >= 0.65 and found.pairs >= 0.25 and found.pairs_weight >= 40 and found.numbers > 0 and found.figures >= 0.85)
            or (found.alone and found.words >= 0.7 and found.pairs >= 0.6 and found.pairs_weight >= 18 and (prose or figures)),
        ),
        (
            f"same figures: {found.figures:.2f} of its numbers and formulas and {found.words:.2f} of its words, by weight",
            (found.figures >= 0.85 and found.figures_weight >= 8 and found.words >= 0.6 and found.pairs >= 0.4)
            or (found.figures >= 0.95 and found.figures_weight >= 20 and found.words >= 0.4)
            or (found.alone and found.figures >= 0.99 and found.figures_weight >= 5 and found.words >= 0.65 and found.pairs >= 0.5),
        ),
    ):  # fmt: skip
        if fires:
            return name
    return None
