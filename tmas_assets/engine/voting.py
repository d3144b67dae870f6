"""Which answers to one problem are the same answer, so that spellings of one value vote together.

Compared with each other by the problem's own grader, never through the gold: a voter has none. Leaves out counting.
"""

from collections.abc import Hashable, Sequence
from fractions import Fraction

from tmas_assets.engine.graders import Graders
from tmas_assets.grading.math.exact import TooLarge, rational
from tmas_assets.grading.math.shape import read
from tmas_assets.records import Problem
from tmas_assets.statistics import classes_of

_BY_VALUE = ("math", "integer", "reasoning_gym")
"""Graders whose answers are equal where their values are."""
_BY_TEXT = ("choice",)
"""Graders whose answers are equal where they read the same. Answers to any other grader (programs, sentences) are
never told equal, and there is no vote on them."""
_UNCOMPARABLE = ("timeout", "unparseable_gold")
"""Failures that say something of the two answers, and not of the grader."""


class VoteBroken(ValueError):
    """A comparison that the vote rests on broke."""


class Voting:
    """Classes of equal answers, each pair of texts compared once."""

    def __init__(self, graders: Graders) -> None:
        self._graders = graders
        self._equal: dict[tuple[str, str], bool] = {}
        self._keys: dict[str, Fraction | None] = {}

    def classes(self, problem: Problem, answers: Sequence[str | None]) -> tuple[int | None, ...] | None:
        """The class of each answer, None for a silent one; None altogether where the grader allows no vote.

        The same whatever the order of the answers, up to numbering.
        """
        if problem.grader not in (*_BY_VALUE, *_BY_TEXT):
            return None
        spelled = [None if answer is None else " ".join(answer.split()) for answer in answers]
        distinct = sorted({answer for answer in spelled if answer}, key=lambda text: (len(text), text))
        if problem.grader == "math":
            found = classes_of(distinct, self._same, self._value)
        else:
            by_value = problem.grader in _BY_VALUE
            found = classes_of(distinct, _never, lambda text: self._value_or_text(text, by_value))
        of = dict(zip(distinct, found, strict=True))
        return tuple(of[answer] if answer else None for answer in spelled)

    def _same(self, first: str, other: str) -> bool:
        """Whether the math comparison calls `other` right for the gold `first`; undecided is not equal. Raises VoteBroken."""
        if (first, other) not in self._equal:
            asked = Problem(benchmark="", release="", id="vote", statement="", answer=first, grader="math")
            verdict = self._graders.grade_sync(asked, rf"\boxed{{{other}}}")
            if verdict.failure is not None and verdict.failure.kind not in _UNCOMPARABLE:
                raise VoteBroken(
                    f"comparing {first[:80]!r} with {other[:80]!r} for a vote broke: {verdict.failure.kind}: "
                    f"{verdict.failure.detail}. Another winner would be a guess; mend the grader and sum up again."
                )
            self._equal[first, other] = verdict.outcome == "right"
        return self._equal[first, other]

    def _value(self, answer: str) -> Fraction | None:
        """The value of a plain rational number: two of them need no comparison. None for everything else."""
        if answer not in self._keys:
            self._keys[answer] = _rational(answer)
        return self._keys[answer]

    def _value_or_text(self, answer: str, by_value: bool) -> Hashable:
        value = self._value(answer) if by_value else None
        return answer.casefold() if value is None else value


def _never(first: str, other: str) -> bool:
    raise AssertionError(f"every answer has a key, and {first!r} and {other!r} were compared")


def _rational(answer: str) -> Fraction | None:
    shape = read(answer)
    reading = shape.reading
    if shape.kind != "value" or reading is None or reading.ambiguous or shape.unit or reading.node.op in ("deg", "percent"):
        return None
    try:
        return rational(reading.node)
    except TooLarge:
        return None
