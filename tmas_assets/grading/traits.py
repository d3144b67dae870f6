"""Facts about one or two shapes on which the rules of `compare.py` turn. Leaves out comparing values."""

from collections.abc import Sequence

from tmas_assets.grading import words
from tmas_assets.grading.exact import TooLarge, rational
from tmas_assets.grading.shape import Shape
from tmas_assets.grading.sides import is_infinite
from tmas_assets.grading.tree import Node, symbols


def rational_value(node: Node) -> object:
    try:
        return rational(node)
    except TooLarge:
        return None


def is_constant(shape: Shape) -> bool:
    return shape.kind == "value" and shape.node is not None and not symbols(shape.node)


def is_number(shape: Shape) -> bool:
    return shape.kind == "value" and shape.node is not None and rational_value(shape.node) is not None


def refused(gold: Shape, answer: Shape) -> bool:
    """Whether words surely say something else: no solution for a number, odd for even, no number where one was asked."""
    if words.opposed(gold.text, answer.text):
        return True
    if gold.kind == "words":
        return words.is_none_at_all(gold.text) and answer.kind != "words"
    return answer.kind == "words" and is_constant(gold) and (
        words.is_none_at_all(answer.text) or not words.may_state_a_number(answer.text))


def open_ended(shape: Shape) -> bool:
    return shape.kind == "words" or r"\ldots" in shape.text or any(map(open_ended, shape.items))


def ambiguous(shape: Shape) -> bool:
    return shape.reading is not None and shape.reading.ambiguous


def without_sign(node: Node) -> Node:
    return node.args[0] if node.op in ("deg", "percent") else node


def without_repeats(items: Sequence[Shape]) -> list[Shape]:
    return list({item.key: item for item in items}.values())


def is_vector(matrix: Shape) -> bool:
    return matrix.marks.startswith("1x") or matrix.marks.endswith("x1")


def same_brackets(gold: Shape, answer: Shape) -> bool:
    """An end at infinity is open however it is written."""
    def ends(shape: Shape) -> tuple[str, str]:
        return ("(" if is_infinite(shape.items[0]) else shape.marks[0],
                ")" if is_infinite(shape.items[-1]) else shape.marks[-1])
    return ends(gold) == ends(answer)
