"""The tree of an expression, and the symbols in it. Leaves out parsing and evaluating."""

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction


@dataclass(frozen=True, slots=True)
class Node:
    """`op` is num, sym, add, mul, div, neg, pow, fact, fact2, deg, percent, or a function's name."""

    op: str
    args: tuple["Node", ...] = ()
    value: Fraction | None = None
    """Of a num."""
    name: str = ""
    """Of a sym."""


def number(value: int | Fraction) -> Node:
    return Node("num", value=Fraction(value))


def symbols(node: Node) -> frozenset[str]:
    """Names of the symbols of a tree; e and i stand for the constants."""
    if node.op == "sym":
        return frozenset() if node.name in ("e", "i") else frozenset([node.name])
    return frozenset().union(*(symbols(arg) for arg in node.args))


def renamed(node: Node, new: Mapping[str, str]) -> Node:
    """The tree with its symbols under new names."""
    if node.op == "sym":
        return Node("sym", name=new.get(node.name, node.name))
    return Node(node.op, tuple(renamed(arg, new) for arg in node.args), node.value)
