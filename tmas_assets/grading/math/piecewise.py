r"""Functions given in pieces: `\begin{cases} x & x \ge 0 \\ -x & x < 0 \end{cases}` is `|x|`.

Two agree where they do at every end of a condition and on every stretch between. Leaves out reading them (`shape.py`).
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Protocol

from tmas_assets.grading.math.reals import Region, holds, merged, region
from tmas_assets.grading.math.structure import Shape
from tmas_assets.grading.math.tree import Node, number, replaced

_SAMPLES = 9
"""Points of a stretch on which two formulas are compared that are equal only there, as |x| and -x."""
Same = Callable[[Shape, Shape], bool | None]


class Leaf(Protocol):
    def equal(self, gold: Node, answer: Node) -> bool | None: ...

    def place(self, node: Node) -> Fraction | None: ...


@dataclass(frozen=True)
class _Piece:
    where: Region
    value: Shape


def same(gold: Shape, answer: Shape, alike: Same, leaf: Leaf) -> bool | None:
    """At least one of the two is given in pieces."""
    if {gold.kind, answer.kind} - {"piecewise", "value"}:
        return None if "words" in (gold.kind, answer.kind) or "relation" in (gold.kind, answer.kind) else False
    wanted, given = _pieces(gold), _pieces(answer)
    if wanted is None or given is None:
        return _piece_by_piece(gold, answer, alike)
    names = {name for piece in (*wanted, *given) for name in piece.where.unknowns()}
    if len(names) != 1:
        return None
    ends: dict[Node, Fraction] = {}
    for end in (end for piece in (*wanted, *given) for end in piece.where.ends()):
        place = leaf.place(end)
        if place is None:
            return None
        ends[end] = place
    return _on_all_stretches(wanted, given, min(names), ends, alike, leaf)


def _pieces(shape: Shape) -> list[_Piece] | None:
    """None where a condition describes no set of reals, as `n even`."""
    if shape.kind == "value":
        return [_Piece(Region("between"), shape)]
    found: list[_Piece] = []
    for value, condition in zip(shape.items[::2], shape.items[1::2], strict=True):
        rest = Region("not", (Region("or", tuple(piece.where for piece in found)),))
        where = rest if condition.kind == "empty" else region(condition)
        if where is None:
            return None
        found.append(_Piece(where, value))
    return found


def _on_all_stretches(wanted: Sequence[_Piece], given: Sequence[_Piece], name: str, ends: dict[Node, Fraction],
                      alike: Same, leaf: Leaf) -> bool | None:
    marks = merged(sorted(set(ends.values())))
    at = {end: marks[value] for end, value in ends.items()}
    nodes = {spot: end for end, spot in at.items()}
    spots = range(2 * len(set(marks.values())) + 1)
    places = {spot: value for value, spot in marks.items()}
    is_open = False
    for spot in spots:
        ours, theirs = (next((piece.value for piece in pieces if holds(piece.where, spot, at, spots)), None)
                        for pieces in (wanted, given))
        if (ours is None) != (theirs is None):
            return False
        if ours is None or theirs is None:
            continue
        if ours.node is None or theirs.node is None:
            verdict = alike(ours, theirs)
        elif spot in nodes:
            verdict = leaf.equal(replaced(ours.node, {name: nodes[spot]}), replaced(theirs.node, {name: nodes[spot]}))
        else:
            inside = list(_samples(places.get(spot - 1), places.get(spot + 1)))
            verdict = _agree_on(inside, ours.node, theirs.node, name, leaf)
        if verdict is False:
            return False
        is_open |= verdict is None
    return None if is_open else True


def _agree_on(points: Sequence[Fraction], one: Node, other: Node, name: str, leaf: Leaf) -> bool | None:
    if leaf.equal(one, other) is True:
        return True
    verdicts = [leaf.equal(*(replaced(node, {name: number(point)}) for node in (one, other))) for point in points]
    return False if False in verdicts else None if None in verdicts else True


def _samples(low: Fraction | None, high: Fraction | None) -> Iterator[Fraction]:
    """Points between two ends, of which one or both may be missing."""
    for index in range(1, _SAMPLES + 1):
        step = Fraction(index * index + index, 7)
        if low is not None and high is not None:
            yield low + (high - low) * Fraction(index, _SAMPLES + 1)
        elif low is not None:
            yield low + step
        elif high is not None:
            yield high - step
        else:
            yield step if index % 2 else -step


def _piece_by_piece(gold: Shape, answer: Shape, alike: Same) -> bool | None:
    """By conditions in words: each value under the same one."""
    if len(gold.items) != len(answer.items):
        return None
    conditions = {condition.key.lower(): value for value, condition in zip(answer.items[::2], answer.items[1::2], strict=True)}
    verdicts = []
    for value, condition in zip(gold.items[::2], gold.items[1::2], strict=True):
        if condition.key.lower() not in conditions:
            return None
        verdicts.append(alike(value, conditions[condition.key.lower()]))
    return False if False in verdicts else None if None in verdicts else True
