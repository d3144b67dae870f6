r"""Letters that stand for any value: `4k + 1, k \in \mathbb{Z}` is the family `4n + 1`, and `x^2/2 + C` is `x^2/2 + K`.

A letter that either side says is free may be renamed. One that looks like a parameter and is not said to be free leaves
it open; any other letter is a name of the problem and means itself. Leaves out reading the clauses (`clauses.py`).
"""

import itertools
from collections.abc import Callable
from dataclasses import replace

from tmas_assets.grading.math.expression import Reading
from tmas_assets.grading.math.sides import argument, is_label, labelled, unknowns
from tmas_assets.grading.math.structure import Shape
from tmas_assets.grading.math.tree import Node, renamed, replaced

_MOST = 4
_PARAMETERS = frozenset("abcdkmnjlprstuvABCDKM") | {"lambda", "alpha", "beta", "mu", "theta"}
"""Letters of a family of tuples; x, y, z are names of the problem."""
_INDEXES = frozenset("kjlt")
_COUNTERS = _INDEXES | frozenset("mn")
_CONSTANTS = frozenset("cCkKD") | {"C_1", "c_1", "C_0", "c_0"}
Same = Callable[[Shape, Shape], bool | None]


def same_family(gold: Shape, answer: Shape, verdict: bool | None, same: Same) -> bool | None:
    """`verdict`: of the two as they stand."""
    domains = dict(gold.free), dict(answer.free)
    if verdict is True:
        return not any(_differ(domains[0].get(name, ""), domain) for name, domain in domains[1].items())
    wanted, given = labelled(gold)[1], labelled(answer)[1]
    bound = _arguments(gold) | _arguments(answer)
    ours, theirs = (sorted(name for name in unknowns(shape) - bound if not name.endswith("()")) for shape in (wanted, given))
    mine, foreign = [name for name in ours if name not in theirs], [name for name in theirs if name not in ours]
    if not mine and set(ours) == set(theirs) and len(ours) <= _MOST and _all_free(ours, domains):
        mine = foreign = ours
    if not mine or len(mine) != len(foreign) or len(mine) > _MOST:
        return verdict
    for order in itertools.permutations(mine):
        names = dict(zip(foreign, order, strict=True))
        if same(wanted, _renamed(given, names)) is not True:
            continue
        if all(new in domains[0] or old in domains[1] for old, new in names.items()):
            return not any(_differ(domains[0].get(new, ""), domains[1].get(old, "")) for old, new in names.items())
        return True if _is_added_constant(wanted, given, names) else verdict if not _may_be_free(wanted, names) else None
    return None if verdict is False and _is_scaled(wanted, given, mine, foreign, bound, same) else verdict


def _all_free(names: list[str], domains: tuple[dict[str, str], dict[str, str]]) -> bool:
    return all(name in domains[0] or name in domains[1] for name in names)


def _arguments(shape: Shape) -> frozenset[str]:
    """The x of f(x) = ..."""
    if shape.kind == "relation" and is_label(shape.items[0]):
        return frozenset(argument(shape.items[0].key)) | unknowns(shape.items[0])
    return frozenset()


def _differ(one: str, other: str) -> bool:
    return bool(one and other) and one != other


def _may_be_free(wanted: Shape, names: dict[str, str]) -> bool:
    letters = {*names, *names.values()}
    if wanted.kind == "group":  # (t, 2t), and not (a, b), whose ends are names of the problem
        return letters <= _PARAMETERS and len(names) == len(unknowns(wanted)) < len(wanted.items)
    return letters <= _COUNTERS and all(old in _INDEXES or new in _INDEXES for old, new in names.items())


def _is_added_constant(wanted: Shape, given: Shape, names: dict[str, str]) -> bool:
    """The C of an antiderivative, which stands in a sum with what depends on something else."""
    (old, new), *others = names.items()
    return not others and new == "C" and old in _CONSTANTS and all(
        node is not None and node.op == "add" and any(part.op == "sym" and part.name == name for part in node.args)
        and len(unknowns(shape)) > 1 for shape, node, name in ((wanted, wanted.node, new), (given, given.node, old)))


def _is_scaled(wanted: Shape, given: Shape, mine: list[str], foreign: list[str], bound: frozenset[str], same: Same) -> bool:
    """c(x - 1) and k(1 - x) for any constant."""
    if len(mine) != 1 or (mine[0] not in _PARAMETERS or foreign[0] not in _PARAMETERS) or not (
            bound or wanted.kind == "group"):
        return False
    opposite = Node("neg", (Node("sym", name=mine[0]),))
    return same(wanted, _with(given, lambda node: replaced(node, {foreign[0]: opposite}))) is True


def _renamed(shape: Shape, names: dict[str, str]) -> Shape:
    return _with(shape, lambda node: renamed(node, names), frozenset(names))


def _with(shape: Shape, change: Callable[[Node], Node], names: frozenset[str] | None = None) -> Shape:
    if names is not None and not unknowns(shape) & names:
        return shape
    items = tuple(_with(item, change, names) for item in shape.items)
    reading = Reading(change(shape.reading.node), shape.reading.ambiguous) if shape.reading else None
    return replace(shape, items=items, reading=reading, text=f"{shape.text} renamed", other=None)


