"""Facts about one or two shapes on which the rules of `compare.py` turn. Leaves out comparing values."""

import re
from collections.abc import Sequence

from tmas_assets.grading.math import words
from tmas_assets.grading.math.exact import TooLarge, rational
from tmas_assets.grading.math.sides import is_infinite
from tmas_assets.grading.math.structure import Shape
from tmas_assets.grading.math.tree import Node, symbols


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
    one_asked = words.is_closed(gold.text) or (letter(gold) is not None and len(gold.key) <= 3)
    if one_asked and words.names_several(answer.text):
        return True
    stated = words.stated_choice(gold.text), words.stated_choice(answer.text)
    if None not in stated:
        return stated[0] != stated[1]
    if gold.kind == "words":
        if words.is_none_at_all(gold.text):
            return answer.kind != "words" or words.is_everything(answer.text)
        no_number = words.is_everything(gold.text) or not words.may_state_a_number(gold.text)
        return no_number and is_number(answer) and not answer.unit
    return answer.kind == "words" and is_constant(gold) and (
        words.is_none_at_all(answer.text) or not words.may_state_a_number(answer.text))


def open_ended(shape: Shape) -> bool:
    """Whether words or the dots of a sum stand in it, which only a reader can finish."""
    dotted_value = shape.kind == "value" and r"\ldots" in shape.text and shape.key != r"\ldots"
    return shape.kind == "words" or dotted_value or any(map(open_ended, shape.items))


def is_none_at_all(shape: Shape) -> bool:
    """`no solution`, the empty set."""
    if shape.kind == "relation" and shape.operators == (r"\in",):
        return is_none_at_all(shape.items[1])
    empty_set = shape.key == r"\emptyset" or (shape.kind == "list" and shape.marks == "{}" and not shape.items)
    return empty_set or (shape.kind in ("words", "value") and words.is_none_at_all(shape.text))


def letter(shape: Shape) -> str | None:
    """The option that an answer names: C, (C), C. x = 42."""
    found = _LETTER.match(shape.text)
    return found.group(1) or found.group(2) if found else None


def is_malformed_number(shape: Shape) -> bool:
    """Digits and signs that make no number, as 11 6/6 and --7."""
    return shape.kind == "value" and shape.node is None and bool(re.fullmatch(r"[\d\s/.+-]+|[?.!…_\s-]+", shape.text))


def ambiguous(shape: Shape) -> bool:
    return shape.reading is not None and shape.reading.ambiguous


def without_sign(node: Node) -> Node:
    return node.args[0] if node.op in ("deg", "percent") else node


def without_repeats(items: Sequence[Shape]) -> list[Shape]:
    return list({item.key: item for item in items}.values())


_LETTER = re.compile(r"\(?([A-J])\)?\s*(?:[.):]|$)|\(([A-J])\)(?=\s|\\)")


def is_vector(matrix: Shape) -> bool:
    return matrix.marks.startswith("1x") or matrix.marks.endswith("x1")


def same_brackets(gold: Shape, answer: Shape) -> bool:
    """An end at infinity is open however it is written."""
    def ends(shape: Shape) -> tuple[str, str]:
        return ("(" if is_infinite(shape.items[0]) else shape.marks[0],
                ")" if is_infinite(shape.items[-1]) else shape.marks[-1])
    return ends(gold) == ends(answer)
