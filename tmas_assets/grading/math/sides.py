r"""What relations say: the label of `f(x) = 2x`, the names in an expression, values given by name.

Pure readings of one shape. Leaves out sets of reals (`reals.py`) and comparing two shapes (`compare.py`).
"""

import re
from dataclasses import replace

from tmas_assets.grading.math.expression import Reading
from tmas_assets.grading.math.structure import Shape
from tmas_assets.grading.math.tree import renamed, symbols

_LABEL = re.compile(r"(?:[A-Za-z]|\\(?!pi\b|infty\b)[A-Za-z]+)(?:_(?:\w|\{[^{}+-]*\}))?'*(?:\(([A-Za-z,]*)\))?")
_LENGTH = re.compile(r"(?:m|\|)?\\(?:overline|vec|overrightarrow|widehat|hat|bar|angle|measuredangle|triangle)\{?[A-Z]{1,4}\}?\|?|(?:P|E|Var|\\Pr|\\mathbb\{[PE]\})[(\[].*[)\]]|\|?[A-Z]{2,4}\|?|\|[A-Z]\|")
_SYMBOL_TUPLE = re.compile(r"\([A-Za-z](?:_\w)?(?:,[A-Za-z](?:_\w)?)+\)")
_MIRROR = {"<": ">", ">": "<", r"\le": r"\ge", r"\ge": r"\le", r"\ne": r"\ne", "=": "=", r"\in": r"\in"}


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
    if side.kind == "ratio":
        return all(map(is_label, side.items))
    if side.kind == "value" and side.node is None:
        return bool(re.match(r"[A-Za-z\\|]", side.key))
    if side.node is not None and side.node.op == "call":
        return all(arg.op in ("sym", "num") for arg in side.node.args)
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
    if _SYMBOL_TUPLE.fullmatch(first) and _SYMBOL_TUPLE.fullmatch(second):
        return first != second
    return first != second and not argument(first) and not argument(second) and bool(
        _LABEL.fullmatch(first) and _LABEL.fullmatch(second))


def with_argument(value: Shape, old: str, new: str) -> Shape:
    """The value of f(t) as that of f(x)."""
    if len(old) != 1 or len(new) != 1 or old == new or value.node is None:
        return value
    swapped = {old: new, new: old}
    accented = {name: f"{name[:-2]}{swapped[name[-2]]}}}" for name in symbols(value.node)
                if re.fullmatch(rf"[a-z]+\{{[{old}{new}]\}}", name)}
    return replace(value, reading=Reading(renamed(value.node, swapped | accented), False), text=f"{value.text} at {new}")


def is_unknown(side: Shape) -> bool:
    """Whether a side is one thing that may take values: x, |z - 1|, f(x)."""
    if side.kind != "value":
        return False
    if side.node is None:
        return is_label(side)
    if side.node.op == "abs":
        return len(symbols(side.node)) == 1
    return side.node.op == "call" or (side.node.op == "sym" and bool(symbols(side.node)))


def is_infinite(shape: Shape) -> bool:
    return shape.key.lstrip("+-") == r"\infty"


def assignment(shape: Shape) -> dict[str, Shape] | None:
    """Values by name: x = 1, y = 2 or (x, y) = (1, 2); None where the shape is no such thing."""
    if shape.kind == "list" and len(shape.items) > 1 and "or" not in shape.operators:
        sides = [item.items if item.kind == "relation" and item.operators == ("=",) else None for item in shape.items]
        named = {pair[0].key: pair[1] for pair in sides if pair is not None and _LABEL.fullmatch(pair[0].key)
                 and pair[1].kind == "value"}
        return named if len(named) == len(shape.items) and not any(map(argument, named)) else None
    if shape.kind == "relation" and shape.operators == ("=",) and _SYMBOL_TUPLE.fullmatch(shape.items[0].key):
        names, values = shape.items[0].key[1:-1].split(","), shape.items[1].items
        return dict(zip(names, values, strict=True)) if shape.items[1].kind == "group" and len(names) == len(values) else None
    return None
