"""The tree of an expression, and the symbols in it. Leaves out parsing and evaluating."""

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from types import MappingProxyType


@dataclass(frozen=True, slots=True)
class Node:
    """`op` is num, sym, call, add, mul, div, neg, pow, fact, fact2, deg, percent, sum, prod, or a function's name."""

    op: str
    args: tuple["Node", ...] = ()
    """Of a sum or prod: what is summed, the first and the last index."""
    value: Fraction | None = None
    """Of a num."""
    name: str = ""
    """Of a sym, a call of an unknown function, or the index of a sum."""


def number(value: int | Fraction) -> Node:
    return Node("num", value=Fraction(value))


def symbols(node: Node) -> frozenset[str]:
    """Names of the symbols of a tree; e and i stand for the constants, `f()` for an unknown function."""
    if node.op == "sym":
        return frozenset() if node.name in ("e", "i") else frozenset([node.name])
    if node.op in ("sum", "prod"):
        return (symbols(node.args[0]) - {node.name}).union(symbols(node.args[1]), symbols(node.args[2]))
    own = frozenset([f"{node.name}()"]) if node.op == "call" else frozenset()
    return own.union(*(symbols(arg) for arg in node.args))


def has(node: Node, ops: frozenset[str] | set[str]) -> bool:
    return node.op in ops or any(has(arg, ops) for arg in node.args)


def renamed(node: Node, new: Mapping[str, str]) -> Node:
    """The tree with its symbols under new names."""
    return replaced(node, {old: Node("sym", name=name) for old, name in new.items()})


def replaced(node: Node, by: Mapping[str, Node]) -> Node:
    """The tree with a tree in the place of each of some symbols."""
    if node.op == "sym":
        return by.get(node.name, node)
    if node.op in ("sum", "prod"):
        inside = {name: tree for name, tree in by.items() if name != node.name}
        return Node(node.op, (replaced(node.args[0], inside), *(replaced(arg, by) for arg in node.args[1:])), name=node.name)
    return Node(node.op, tuple(replaced(arg, by) for arg in node.args), node.value, node.name)


def without_degrees(node: Node) -> Node:
    """The tree without its degree signs, but for those of angles inside a function."""
    if node.op == "deg":
        return without_degrees(node.args[0])
    if node.op in ("add", "mul", "div", "neg"):
        return Node(node.op, tuple(without_degrees(arg) for arg in node.args))
    return node


_SQRT_5 = Node("sqrt", (number(5),))
_RATIO = Node("div", (Node("add", (number(1), _SQRT_5)), number(2)))
GOLDEN: Mapping[str, Node] = MappingProxyType({"phi": _RATIO, "varphi": _RATIO})
"""Symbols that stand for the golden ratio where nothing else is said."""
