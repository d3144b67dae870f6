r"""Sets of real numbers, however they are said: `x \ne -3`, `(-\infty,-3)\cup(-3,\infty)`, `\mathbb{R}\setminus\{-3\}`.

A set is a tree of intervals joined by or, and, not. Two are equal where they agree at every end, between all
neighbouring ends and beyond them. Ends that hold symbols cannot be put in order and are left to `compare.py`.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Literal

from tmas_assets.grading.math.exact import linear
from tmas_assets.grading.math.sides import is_infinite, is_label, is_unknown, mirrored
from tmas_assets.grading.math.structure import Shape
from tmas_assets.grading.math.tree import Node, number, symbols

_CLOSE_BY = Fraction(1, 10**100)
_ROUNDED = 10**40
"""A denominator above this is that of a value known to some digits only."""
_WHOLE_NAMES = {"n", "m", "k", "N", "j", "p", "q", "a", "b"}
_MOST_INTEGERS = 10_000
Place = Callable[[Node], Fraction | None]


@dataclass(frozen=True)
class Region:
    op: Literal["between", "or", "and", "not", "either"]
    """`either`: a list with commas, which means all of its parts where that leaves something, else any of them."""
    parts: tuple["Region", ...] = ()
    low: Node | None = None
    """Of a between; None is no bound."""
    high: Node | None = None
    closed: tuple[bool, bool] = (False, False)
    names: frozenset[str] = frozenset()
    """What the unknown is called, where it is."""

    def ends(self) -> Iterator[Node]:
        yield from (end for end in (self.low, self.high) if end is not None)
        for part in self.parts:
            yield from part.ends()

    def unknowns(self) -> frozenset[str]:
        return self.names.union(*(part.unknowns() for part in self.parts))


def is_region(shape: Shape) -> bool:
    """Whether the text speaks of a set of reals rather than of numbers or tuples."""
    if shape.kind in ("union", "difference"):
        return True
    if shape.kind == "relation":
        return bool({"<", ">", r"\le", r"\ge", r"\ne", r"\notin"} & set(shape.operators)) or (
            shape.operators == (r"\in",) and shape.items[1].kind in ("group", "union", "difference"))
    return shape.key == r"\mathbb{R}" or (shape.kind == "list" and not shape.marks and any(map(is_region, shape.items)))


def region(shape: Shape) -> Region | None:
    """The set of reals, or None where the shape describes none."""
    if shape.kind == "group" and len(shape.items) == 2:
        return _between(*shape.items, (shape.marks[0] == "[", shape.marks[1] == "]"))
    if shape.key == r"\mathbb{R}":
        return Region("between")
    if shape.kind == "relation":
        return _solved(shape)
    if shape.kind not in ("list", "union", "difference"):
        return None
    points_too = shape.marks == "{}" or any(map(is_region, shape.items))
    parts = [region(item) or (_point(item) if points_too and item.kind == "value" else None) for item in shape.items]
    known = tuple(part for part in parts if part is not None)
    if len(known) < len(parts) or not parts:
        return None
    if shape.kind == "difference":
        return Region("and", (known[0], *(Region("not", (part,)) for part in known[1:])))
    related = shape.kind == "list" and not shape.marks and any(item.kind == "relation" for item in shape.items)
    return Region("either" if related and not shape.operators else "or", known)


def has_symbols(*regions: Region) -> bool:
    return any(symbols(end) for one in regions for end in one.ends())


def same(gold: Region, answer: Region, place: Place) -> bool | None:
    """None where an end cannot be placed, where only the unknowns differ, or where integers would not tell them apart."""
    exact: dict[Node, Fraction] = {}
    for end in (*gold.ends(), *answer.ends()):
        found = place(end)
        if found is None:
            return None
        exact[end] = found
    marks = merged(sorted(set(exact.values())))
    at = {end: marks[value] for end, value in exact.items()}
    spots = range(2 * len(set(marks.values())) + 1)
    if all(holds(gold, spot, at, spots) == holds(answer, spot, at, spots) for spot in spots):
        named = gold.unknowns(), answer.unknowns()
        return None if all(named) and named[0] != named[1] else True
    return None if gold.unknowns() & _WHOLE_NAMES and _same_integers(gold, answer, exact) else False


def merged(values: Sequence[Fraction]) -> dict[Fraction, int]:
    """Odd spots 1, 3, 5, ... for values in order, one for those that only rounding parts; even spots lie between."""
    spots: dict[Fraction, int] = {}
    last, spot = None, -1
    for value in values:
        rounded = last is not None and max(last.denominator, value.denominator) > _ROUNDED
        if last is None or not rounded or value - last > _CLOSE_BY * max(abs(last), abs(value)):
            spot += 2
        spots[value] = spot
        last = value
    return spots


def _same_integers(gold: Region, answer: Region, exact: dict[Node, Fraction]) -> bool:
    ends = list(exact.values())
    least, most = min([*ends, Fraction(0)]), max([*ends, Fraction(0)])
    first, last = int(least) - 2, int(most) + 3
    if last - first > _MOST_INTEGERS or any((2 * value).denominator != 1 for value in ends):
        return False
    scaled = {end: int(2 * value) for end, value in exact.items()}
    spots = range(2 * first if least < 0 else 2, 2 * last, 2)
    return all(holds(gold, spot, scaled, spots) == holds(answer, spot, scaled, spots) for spot in spots)


def holds(one: Region, spot: int, at: dict[Node, int], spots: Sequence[int]) -> bool:
    if one.op == "between":
        above = one.low is None or spot > at[one.low] or (spot == at[one.low] and one.closed[0])
        below = one.high is None or spot < at[one.high] or (spot == at[one.high] and one.closed[1])
        return above and below
    if one.op == "not":
        return not holds(one.parts[0], spot, at, spots)
    if one.op == "or":
        return any(holds(part, spot, at, spots) for part in one.parts)
    if one.op == "either" and not any(all(holds(part, other, at, spots) for part in one.parts) for other in spots):
        return any(holds(part, spot, at, spots) for part in one.parts)
    return all(holds(part, spot, at, spots) for part in one.parts)


def _between(low: Shape, high: Shape, closed: tuple[bool, bool], name: str = "") -> Region | None:
    if low.node is None or high.node is None or low.unit or high.unit or low.key == r"+\infty" or high.key == r"-\infty":
        return None
    ends = (None if is_infinite(low) else low.node, None if is_infinite(high) else high.node)
    return Region("between", low=ends[0], high=ends[1], closed=closed, names=frozenset({name} - {""}))


def _point(shape: Shape, name: str = "") -> Region | None:
    return _between(shape, shape, (True, True), name)


def _solved(shape: Shape) -> Region | None:
    r"""`0 < x \le 2`: one unknown, and nothing unknown on the other sides."""
    sides, operators = shape.items, shape.operators
    if operators == ("=",) and is_label(sides[0]) and sides[1].kind in ("group", "union", "difference"):
        return region(sides[1])
    if operators in ((r"\in",), (r"\notin",)) and (is_label(sides[0]) or is_unknown(sides[0])):
        inside = region(sides[1])
        stated = Region("not", (inside,)) if inside and operators == (r"\notin",) else inside
        return stated and _of_size(replace(stated, names=frozenset({_name(sides[0])})), sides[0])
    unknown = [is_unknown(side) for side in sides]
    if sum(unknown) != 1 or any(not u and (side.node is None or symbols(side.node))
                                for side, u in zip(sides, unknown, strict=True)):
        return None
    at = unknown.index(True)
    name = _name(sides[at])
    if len(sides) == 2:
        stated = _one_sided(operators[0] if at == 0 else mirrored(operators[0]), sides[1 - at], name)
        return stated and _of_size(stated, sides[at])
    if len(sides) != 3 or at != 1:
        return None
    parts = [_one_sided(mirrored(operators[0]), sides[0], name), _one_sided(operators[1], sides[2], name)]
    known = tuple(part for part in parts if part is not None)
    upward, downward = {"<", r"\le"}, {">", r"\ge"}
    one_way = set(operators) <= upward or set(operators) <= downward
    return _of_size(Region("and", known), sides[at]) if len(known) == 2 and one_way else None


def _name(side: Shape) -> str:
    bare = _size_of(side)
    return min(symbols(bare)) if bare is not None else side.key


def _size_of(side: Shape) -> Node | None:
    """The z of |z|, the x - 1 of |x - 1|."""
    inside = side.node.args[0] if side.node is not None and side.node.op == "abs" else None
    return inside if inside is not None and len(symbols(inside)) == 1 else None


def _of_size(stated: Region, unknown: Shape) -> Region | None:
    """What is said of |2x - 1| as said of x."""
    inside = _size_of(unknown)
    if inside is None:
        return stated
    zero = number(0)
    above, below = Region("between", low=zero, closed=(True, False)), Region("between", high=zero, closed=(False, True))
    either_sign = Region("or", (Region("and", (stated, above)), Region("and", (_scaled(stated, Fraction(-1)), below))))
    line = linear(inside)
    return _scaled(either_sign, 1 / line[0], -line[1] / line[0]) if line else None


def _scaled(one: Region, factor: Fraction, shift: Fraction = Fraction(0)) -> Region:
    """All ends times the factor, plus the shift."""
    ends = [Node("add", (Node("mul", (number(factor), end)), number(shift))) if end is not None else None
            for end in (one.low, one.high)]
    low, high = ends if factor > 0 else ends[::-1]
    closed = one.closed if factor > 0 else one.closed[::-1]
    return replace(one, parts=tuple(_scaled(part, factor, shift) for part in one.parts), low=low, high=high, closed=closed)


def _one_sided(operator: str, bound: Shape, name: str) -> Region | None:
    if bound.node is None:
        return None
    if operator in ("=", r"\ne"):
        point = _point(bound, name)
        return Region("not", (point,)) if point and operator == r"\ne" else point
    if operator not in ("<", ">", r"\le", r"\ge"):
        return None
    end = None if is_infinite(bound) else bound.node
    names = frozenset({name} - {""})
    if operator in ("<", r"\le"):
        return Region("between", high=end, closed=(False, operator == r"\le"), names=names)
    return Region("between", low=end, closed=(operator == r"\ge", False), names=names)
