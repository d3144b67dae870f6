"""Compares rational values in the calling process, at once; asks for a worker for everything else."""

from fractions import Fraction

from tmas_assets.grading.math.exact import TooLarge, is_huge, rational
from tmas_assets.grading.math.structure import Shape
from tmas_assets.grading.math.tree import Node, number


class NeedsSymbols(Exception):
    """Not decided by rational values alone."""


class ExactLeaf:
    """Raises NeedsSymbols where a value is not rational or a relation has to be read."""

    def equal(self, gold: Node, answer: Node) -> bool | None:
        return equal_exactly(gold, answer)

    def place(self, node: Node) -> Fraction | None:
        try:
            found = rational(node)
        except TooLarge:
            return None
        if found is None:
            raise NeedsSymbols
        return found

    def related(self, gold: Shape, answer: Shape) -> bool | None:
        raise NeedsSymbols

    def unread(self, gold: Shape, answer: Shape) -> bool | None:
        raise NeedsSymbols


def equal_exactly(gold: Node, answer: Node) -> bool | None:
    """Raises NeedsSymbols unless both are rational, or one is endless or too large to be held, hence not the other."""
    if gold == answer:
        return True
    ends = _endless(gold), _endless(answer)
    if any(ends):
        return ends[0] == ends[1]
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


def _endless(node: Node) -> int:
    """1 for infinity, -1 for its negative, 0 for anything else."""
    if node.op == "neg":
        return -_endless(node.args[0])
    return 1 if node.op == "infty" else 0


def _beside_a_giant(giant: Node, other: Node) -> bool | None:
    try:
        if rational(other) is not None:
            return False if is_huge(giant) else None
    except TooLarge:
        return _same_giant(_folded(giant), _folded(other))
    return None


def _same_giant(one: Node, other: Node) -> bool | None:
    """Powers of one base are equal where the exponents are, factorials where the arguments are."""
    if one == other:
        return True
    if one.op == other.op == "fact":
        return _same_large(one.args[0], other.args[0])
    if one.op == other.op == "pow" and one.args[0] == other.args[0]:
        base = one.args[0]
        if base.op == "num" and base.value is not None and base.value > 1:
            return _same_large(one.args[1], other.args[1])
    return None


def _same_large(one: Node, other: Node) -> bool | None:
    if one.op == other.op == "num":
        return one.value == other.value
    if "num" in (one.op, other.op):
        giant = other if one.op == "num" else one
        return False if is_huge(giant) else None
    return _same_giant(one, other)


def _folded(node: Node) -> Node:
    """The tree with every part that can be held as one number."""
    try:
        found = rational(node)
    except TooLarge:
        return Node(node.op, tuple(_folded(arg) for arg in node.args), node.value, node.name)
    return number(found) if found is not None else node
