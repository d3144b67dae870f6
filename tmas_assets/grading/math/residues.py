r"""Compares residues: `n \equiv 2 \pmod 7`, `2 \pmod 7`, and `n = 7k + 2`, which names the same class."""

from collections.abc import Callable
from fractions import Fraction

from tmas_assets.grading.math.exact import TooLarge, linear, rational
from tmas_assets.grading.math.structure import Shape
from tmas_assets.grading.math.tree import Node, symbols

_WHOLE_NAMES = frozenset("kmnjlt")
Same = Callable[[Shape, Shape], bool | None]


def same_residue(gold: Shape, answer: Shape, same: Same) -> bool | None:
    """At least one of the two is a residue."""
    if gold.kind == answer.kind:
        if same(gold.items[1], answer.items[1]) is not True:
            return same(gold.items[1], answer.items[1])
        values = same(gold.items[0], answer.items[0])
        return True if values is False and _congruent(gold.items[0], answer.items[0], gold.items[1]) else values
    residue, other = (gold, answer) if gold.kind == "residue" else (answer, gold)
    value, modulus = residue.items
    stated = other.items[-1] if other.kind == "relation" and set(other.operators) == {"="} else other
    if (family := _family(stated)) is not None:
        step, start = family
        number_of = [_number(value), _number(modulus)]
        if None in number_of:
            return None
        fits = abs(step) == number_of[1] and (start - number_of[0]) % step == 0  # type: ignore[operator]
        return None if fits else False
    if stated.kind != value.kind:
        return None
    equal = same(stated, value) if residue is answer else same(value, stated)
    if residue is answer and (equal or other.kind != "relation"):
        return None if equal is False and _congruent(stated, value, modulus) else equal
    return None if equal or _congruent(stated, value, modulus) else equal


def same_class(one: Shape, other: Shape) -> bool:
    """Whether 7m + 2 and 7n - 5 run through the same residues, for symbols that stand for integers."""
    first, second = _family(one), _family(other)
    names = symbols(one.node) | symbols(other.node) if one.node and other.node else frozenset("x")
    return names <= _WHOLE_NAMES and first is not None and second is not None and abs(first[0]) == abs(second[0]) and (
        (first[1] - second[1]) % first[0] == 0)


def _congruent(one: Shape, other: Shape, modulus: Shape) -> bool:
    values = [_number(shape) for shape in (one, other, modulus)]
    known = [value for value in values if value is not None]
    return len(known) == 3 and known[2] != 0 and (known[0] - known[1]) % known[2] == 0


def _number(shape: Shape) -> Fraction | None:
    return _rational(shape.node) if shape.node is not None else None


def _rational(node: Node) -> Fraction | None:
    try:
        return rational(node)
    except TooLarge:
        return None


def _family(shape: Shape) -> tuple[Fraction, Fraction] | None:
    """(7, 2) for 7k + 2."""
    return linear(shape.node) if shape.node is not None and shape.node.op != "call" else None
