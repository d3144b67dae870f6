r"""What relations say: the label of `f(x) = 2x`, the interval that `0 < x \le 2` means, the names in an expression.

Pure readings of one shape. Leaves out comparing two (`compare.py`).
"""

import re
from collections.abc import Sequence
from dataclasses import replace

from tmas_assets.grading.expression import Reading
from tmas_assets.grading.shape import Shape
from tmas_assets.grading.tree import Node, renamed, symbols

_LABEL = re.compile(r"(?:[A-Za-z]|\\(?!pi\b|infty\b)[A-Za-z]+)(?:_(?:\w|\{\w+\}))?'*(?:\(([A-Za-z,]*)\))?")
_LENGTH = re.compile(r"\|?[A-Z]{2,4}\|?")
_SYMBOL_TUPLE = re.compile(r"\([A-Za-z](?:_\w)?(?:,[A-Za-z](?:_\w)?)+\)")
_OPEN_END = {"<": "(", ">": "(", r"\le": "[", r"\ge": "["}
_MIRROR = {"<": ">", ">": "<", r"\le": r"\ge", r"\ge": r"\le", r"\ne": r"\ne", "=": "=", r"\in": r"\in"}
_CLOSE = {"(": ")", "[": "]"}


def mirrored(operator: str) -> str:
    """The operator read from right to left."""
    return _MIRROR.get(operator, operator)


def labelled(shape: Shape) -> tuple[str | None, Shape]:
    r"""(label, value) of `x = 5`, `D = (0, 2)`, `x \in S`, `5 = x`; (None, shape) where no side is a name."""
    if shape.kind != "relation" or (set(shape.operators) != {"="} and shape.operators != (r"\in",)):
        return None, shape
    first, last = shape.items[0], shape.items[-1]
    if len(shape.items) > 2 and any(side.kind == "words" for side in shape.items):
        return None, shape
    if is_label(first):
        return first.key, last
    if is_label(last) and len(shape.items) == 2:
        return last.key, first
    return None, shape


def is_label(side: Shape) -> bool:
    """Whether a side names something: a symbol, f(x), the length AB, the angle ABC, f(2), a few words."""
    if side.kind == "words":
        return len(side.text.split()) <= 4 and not re.search(r"\d", side.text)
    if side.kind == "value" and side.node is None:
        return bool(re.match(r"[A-Za-z\\|]", side.key))
    return bool(_LABEL.fullmatch(side.key) or _SYMBOL_TUPLE.fullmatch(side.key) or _LENGTH.fullmatch(side.key))


def states_a_value(chain: Shape) -> bool:
    """Whether a chain of equations has no unknown in it, as 4 * 24 = 96."""
    return set(chain.operators) == {"="} and all(side.node is not None and not symbols(side.node) for side in chain.items)


def unknowns(shape: Shape) -> frozenset[str]:
    """Symbols anywhere in the shape."""
    own = symbols(shape.node) if shape.node is not None else frozenset()
    return own.union(*(unknowns(item) for item in shape.items))


def argument(label: str) -> str:
    """The x of f(x); empty for none."""
    found = _LABEL.fullmatch(label)
    return (found.group(1) or "") if found else ""


def differ(first: str, second: str) -> bool:
    """Whether two labels name different unknowns. A function may be called f(x) or y as one likes."""
    return first != second and not argument(first) and not argument(second) and bool(
        _LABEL.fullmatch(first) and _LABEL.fullmatch(second))


def with_argument(value: Shape, old: str, new: str) -> Shape:
    """The value of f(t) as that of f(x)."""
    if len(old) != 1 or len(new) != 1 or old == new or value.node is None:
        return value
    return replace(value, reading=Reading(renamed(value.node, {old: new, new: old}), False), text=f"{value.text} at {new}")


def intervals(shape: Shape) -> tuple[Shape, ...] | None:
    """The parts of the set of reals that an interval, a union or a solved relation describes, else None."""
    if shape.kind == "group" and len(shape.items) == 2:
        return (_interval(shape.marks[0], *shape.items, shape.marks[1]),)
    if shape.kind == "value" and shape.key == r"\mathbb{R}":
        return (_interval("(", _MINUS_INFINITY, _INFINITY, ")"),)
    if shape.kind == "list" and shape.marks == "{}":
        return (shape,)
    if shape.kind in ("union", "list"):
        return _joined(shape.items)
    return _solved(shape) if shape.kind == "relation" else None


def _joined(items: Sequence[Shape]) -> tuple[Shape, ...] | None:
    parts: list[Shape] = []
    for item in items:
        own = intervals(item)
        if own is None:
            return None
        parts.extend(own)
    return tuple(parts)


def _solved(shape: Shape) -> tuple[Shape, ...] | None:
    sides, operators = shape.items, shape.operators
    if operators == (r"\in",) and is_label(sides[0]):
        return intervals(sides[1])
    unknown = [_is_symbol(side) for side in sides]
    if sum(unknown) != 1 or any(side.kind != "value" or (not u and (side.node is None or symbols(side.node)))
                                for side, u in zip(sides, unknown, strict=True)):
        return None
    if len(sides) == 2:
        operator, bound = (operators[0], sides[1]) if unknown[0] else (mirrored(operators[0]), sides[0])
        if operator == r"\ne":
            return (_interval("(", _MINUS_INFINITY, bound, ")"), _interval("(", bound, _INFINITY, ")"))
        if operator in ("<", r"\le"):
            return (_interval("(", _MINUS_INFINITY, bound, _CLOSE[_OPEN_END[operator]]),)
        return (_interval(_OPEN_END[operator], bound, _INFINITY, ")"),) if operator in (">", r"\ge") else None
    if len(sides) == 3 and unknown[1]:
        if set(operators) <= {"<", r"\le"}:
            return (_interval(_OPEN_END[operators[0]], sides[0], sides[2], _CLOSE[_OPEN_END[operators[1]]]),)
        if set(operators) <= {">", r"\ge"}:
            return (_interval(_OPEN_END[operators[1]], sides[2], sides[0], _CLOSE[_OPEN_END[operators[0]]]),)
    return None


def _is_symbol(side: Shape) -> bool:
    return side.node is not None and side.node.op == "sym" and bool(symbols(side.node))


def _interval(opening: str, start: Shape, end: Shape, closing: str) -> Shape:
    opening = "(" if is_infinite(start) else opening
    closing = ")" if is_infinite(end) else closing
    return Shape("group", f"{opening}{start.text},{end.text}{closing}", (start, end), opening + closing)


def is_infinite(shape: Shape) -> bool:
    return shape.key.lstrip("+-") == r"\infty"


_INFINITY = Shape("value", r"\infty", reading=Reading(Node("infty"), False))
_MINUS_INFINITY = Shape("value", r"-\infty", reading=Reading(Node("neg", (Node("infty"),)), False))
