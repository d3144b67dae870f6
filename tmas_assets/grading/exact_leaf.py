"""Compares rational values in the calling process, at once; asks for a worker for everything else."""

from tmas_assets.grading.exact import TooLarge, is_huge, rational
from tmas_assets.grading.shape import Shape
from tmas_assets.grading.tree import Node


class NeedsSymbols(Exception):
    """Not decided by rational values alone."""


class ExactLeaf:
    """Raises NeedsSymbols where a value is not rational or a relation has to be read."""

    def equal(self, gold: Node, answer: Node) -> bool | None:
        return equal_exactly(gold, answer)

    def related(self, gold: Shape, answer: Shape) -> bool | None:
        raise NeedsSymbols

    def unread(self, gold: Shape, answer: Shape) -> bool | None:
        raise NeedsSymbols


def equal_exactly(gold: Node, answer: Node) -> bool | None:
    """Raises NeedsSymbols unless both are rational or one is too large to be held, hence not the other."""
    if gold == answer:
        return True
    try:
        left = rational(gold)
    except TooLarge:
        return _beside_a_giant(gold, answer)
    try:
        right = rational(answer)
    except TooLarge:
        return _beside_a_giant(answer, gold)
    if left is None or right is None:
        raise NeedsSymbols
    return left == right


def _beside_a_giant(giant: Node, other: Node) -> bool | None:
    if not is_huge(giant):
        return None
    try:
        return False if rational(other) is not None else None
    except TooLarge:
        return None
