r"""The rules by which two shapes are the same answer: True, False, or None where rules cannot tell.

Lists and sets match in any order and exactly, tuples in order, intervals by their ends, relations by what they say.
Whether two expressions are equal is asked of a `Leaf`: `ExactLeaf` (`exact_leaf.py`) decides rational values in the
calling process, `SymbolLeaf` (`symbol_leaf.py`) the rest in a worker. Relations: `compare_relations.py`.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Protocol

from tmas_assets.grading.math import dotted, notations, piecewise, reals, units, words
from tmas_assets.grading.math.compare_relations import Relations, all_of
from tmas_assets.grading.math.expression import Reading
from tmas_assets.grading.math.parameters import same_family
from tmas_assets.grading.math.residues import same_residue
from tmas_assets.grading.math.sides import assignment, unknowns
from tmas_assets.grading.math.structure import Shape
from tmas_assets.grading.math.traits import (
    ambiguous,
    is_malformed_number,
    is_none_at_all,
    is_number,
    is_vector,
    letter,
    open_ended,
    rational_value,
    refused,
    same_brackets,
    without_repeats,
    without_sign,
)
from tmas_assets.grading.math.tree import GOLDEN, Node, has, number, renamed, replaced, symbols, without_degrees


class Leaf(Protocol):
    """Comparisons that need values. Each answers True, False or None, and may raise to ask for a stronger leaf."""

    def equal(self, gold: Node, answer: Node) -> bool | None: ...

    def place(self, node: Node) -> Fraction | None:
        """Where a constant lies on the real line."""

    def related(self, gold: Shape, answer: Shape) -> bool | None:
        """Two relations without labels."""

    def unread(self, gold: Shape, answer: Shape) -> bool | None:
        """Two shapes, one of which our grammar does not know."""


@dataclass(frozen=True)
class Comparison:
    leaf: Leaf

    def same(self, *, gold: Shape, answer: Shape) -> bool | None:
        """Whether `answer` is the answer `gold` asks for."""
        verdict = self.alike(gold=gold, answer=answer)
        if not gold.free and not answer.free and (verdict is True or not unknowns(gold)):
            return verdict
        return same_family(gold, answer, verdict, lambda one, other: self.alike(gold=one, answer=other))

    def alike(self, *, gold: Shape, answer: Shape) -> bool | None:
        """The same with every letter meaning itself. Also of parts of an answer."""
        verdict = self._same(gold, answer)
        for one, other in ((gold, answer.other), (gold.other, answer)):
            if verdict is False and one is not None and other is not None:
                verdict = self._same(one, other)
        # Words or dots on either side may say the same in another way; only a reader can refuse them.
        if verdict is False and (open_ended(gold) or (open_ended(answer) and not is_number(gold))):
            return None if not refused(gold, answer) else False
        return verdict

    def _same(self, gold: Shape, answer: Shape) -> bool | None:
        if "empty" in (gold.kind, answer.kind):
            return False
        nothing = is_none_at_all(gold), is_none_at_all(answer)
        if gold.key == answer.key or all(nothing):
            return True
        if any(nothing) and "words" not in (answer.kind if nothing[0] else gold.kind, "relation"):
            return False
        if (wanted := letter(gold)) is not None and len(gold.key) <= 3:
            if words.names_several(answer.text):
                return False
            if (given := letter(answer)) is not None:
                return wanted == given
        if "words" in (gold.kind, answer.kind):
            return self._words(gold, answer)
        if dotted.is_dotted(gold) or dotted.is_dotted(answer):
            return dotted.same(gold, answer, lambda one, other: self.alike(gold=one, answer=other))
        if "time" in (gold.kind, answer.kind):
            return notations.same_time(gold, answer)
        if "residue" in (gold.kind, answer.kind):
            return same_residue(gold, answer, lambda one, other: self.alike(gold=one, answer=other))
        named = assignment(gold), assignment(answer)
        if any(named) and (verdict := self._named(gold, answer, *named)) is not NotImplemented:
            return verdict  # type: ignore[return-value]
        if reals.is_region(gold) or reals.is_region(answer):
            wanted_set, given_set = reals.region(gold), reals.region(answer)
            if wanted_set and given_set and not reals.has_symbols(wanted_set, given_set):
                return reals.same(wanted_set, given_set, self.leaf.place)
        if "relation" in (gold.kind, answer.kind):
            return Relations(self).same(gold, answer)
        if "piecewise" in (gold.kind, answer.kind):
            return piecewise.same(gold, answer, lambda one, other: self.alike(gold=one, answer=other), self.leaf)
        if "based" in (gold.kind, answer.kind):
            return notations.same_digits(gold, answer)
        if gold.kind == "value" and answer.kind == "ratio":
            gold, answer = answer, gold
        rules: dict[str, Callable[[Shape, Shape], bool | None]] = {
            "value": self._values, "list": self._lists, "group": self._groups, "union": self._sets,
            "difference": self._sets, "matrix": self._matrices, "ratio": self._ratios, "builder": self._builders,
        }
        return rules[gold.kind](gold, answer)

    def _words(self, gold: Shape, answer: Shape) -> bool | None:
        if words.canonical(gold.text) == words.canonical(answer.text):
            return True
        if (stated := words.stated_choice(gold.text)) is not None and stated == words.stated_choice(answer.text):
            return True
        return False if refused(gold, answer) or words.differ_in_numbers(gold.text, answer.text) else None

    def _values(self, gold: Shape, answer: Shape) -> bool | None:
        if answer.kind == "list" and len(answer.items) == 1:
            return self._same(gold, answer.items[0])
        if answer.kind != "value":
            return False
        if gold.node is None or answer.node is None:
            return False if is_number(gold) and is_malformed_number(answer) else self.leaf.unread(gold, answer)
        same = self._equal_in_some_sign(gold, answer)
        if same is False and not symbols(gold.node) and symbols(answer.node) <= GOLDEN.keys() and symbols(answer.node):
            same = self.leaf.equal(gold.node, replaced(answer.node, GOLDEN)) or None
        if same is False and has(gold.node, {"pi"}) and same_but_for_one_name(gold.node, answer.node, self.leaf.equal):
            return None  # another name for the integer of a family of angles
        if same is False and (ambiguous(gold) or ambiguous(answer)):
            return None
        if gold.unit and answer.unit and gold.unit != answer.unit:
            return self._in_units(gold, answer, same)
        return same

    def _in_units(self, gold: Shape, answer: Shape, same: bool | None) -> bool | None:
        """Of two units: 80 cm is 0.8 m, and 80 m is neither. `same`: whether the numbers are."""
        ours, theirs = units.size(gold.unit), units.size(answer.unit)
        if ours is None or theirs is None or gold.node is None or answer.node is None:
            return None if same else same
        if ours.dimensions != theirs.dimensions:
            return None if "unit" in (gold.unit.split()[0], answer.unit.split()[0]) and not units.both_bare(gold.unit, answer.unit) else False
        return self.leaf.equal(gold.node, Node("mul", (number(theirs.factor / ours.factor), answer.node)))

    def _equal_in_some_sign(self, gold: Shape, answer: Shape) -> bool | None:
        """A percent or degree sign on one side is forgiven; a percentage is also its hundredth part."""
        left, right = gold.node, answer.node
        assert left is not None
        assert right is not None
        degrees = has(left, {"deg"}), has(right, {"deg"})
        if "radian" in (gold.unit, answer.unit) and any(degrees):
            return self.leaf.equal(left, right)
        bare_left, bare_right = without_sign(left), without_sign(right)
        if degrees[0] != degrees[1]:
            bare_left, bare_right = without_degrees(bare_left), without_degrees(bare_right)
        same = self.leaf.equal(bare_left, bare_right)
        if same is not False or ((left is bare_left) == (right is bare_right) and degrees[0] == degrees[1]):
            return same
        return self.leaf.equal(left, right)  # 35% is 0.35, 90 degrees are half of pi

    def _ratios(self, gold: Shape, answer: Shape) -> bool | None:
        terms = answer.items if answer.kind == "ratio" else (answer, _ONE)
        if len(terms) != len(gold.items) or "ratio" in (item.kind for item in terms):
            return False
        golds, answers = [item.node for item in gold.items], [term.node for term in terms]
        pairs = [(one, other) for one, other in zip(golds, answers, strict=True) if one and other]
        if len(pairs) < len(golds):
            return None
        if any((rational_value(one) == 0) != (rational_value(other) == 0) for one, other in pairs):
            return False
        first, first_answer = pairs[0]
        return all_of(self.leaf.equal(Node("mul", (one, first_answer)), Node("mul", (other, first)))
                      for one, other in pairs[1:])

    def _lists(self, gold: Shape, answer: Shape) -> bool | None:
        alone = gold.items[0] if len(gold.items) == 1 else None
        if answer.kind not in ("list", "group") or (answer.kind == "group" and gold.items
                                                    and all(item.kind == "group" for item in gold.items)):
            return self._same(alone, answer) if alone else False
        members = self.same_members(gold.items, answer.items)
        # A tuple where a set was asked for, or an interval: only a reader can tell.
        return members if answer.kind == "list" else (False if members is False else None)

    def same_members(self, gold: Sequence[Shape], answer: Sequence[Shape]) -> bool | None:
        """Each member of one matched with one of the other, in any order; repeats count once."""
        wanted, left = without_repeats(gold), without_repeats(answer)
        if len(wanted) != len(left):
            return False
        unmatched = []
        for one in wanted:
            at = next((i for i, other in enumerate(left) if self.alike(gold=one, answer=other) is True), None)
            if at is None:
                unmatched.append(one)
            else:
                left.pop(at)
        if not unmatched:
            return True
        possible = all(any(self.alike(gold=one, answer=other) is None for other in left) for one in unmatched)
        return None if possible else False

    def _named(self, gold: Shape, answer: Shape, wanted: dict[str, Shape] | None, given: dict[str, Shape] | None) -> object:
        """x = 1, y = 2 for the pair (1, 2) or for itself. NotImplemented where that does not apply."""
        if wanted and given:
            if wanted.keys() == given.keys():
                return all_of(self.alike(gold=wanted[name], answer=given[name]) for name in wanted)
            in_order = self.in_order(list(wanted.values()), list(given.values()))
            return in_order and None if len(wanted) == len(given) else False
        named, other, values = (wanted, answer, answer.items) if wanted else (given, gold, gold.items)
        if named is None or other.kind not in ("group", "list") or other.marks in ("[]", "[)", "(]") or any(
                value.kind == "relation" for value in values):
            return NotImplemented
        orders = [list(named.values()), [named[name] for name in sorted(named)]]
        verdicts = [self.in_order(values, order) if given else self.in_order(order, values) for order in orders]
        if True in verdicts:
            return True
        if other.kind == "group":
            return None if None in verdicts else False
        members = self.same_members(gold.items, answer.items)
        indexed = len({name[0] for name in named}) == 1
        return None if members and not indexed else members

    def _groups(self, gold: Shape, answer: Shape) -> bool | None:
        if answer.kind not in ("group", "list", "matrix"):
            return False
        in_order = self.in_order(gold.items, answer.items)
        if answer.kind == "group":
            return in_order if same_brackets(gold, answer) else False
        if answer.kind == "matrix":  # a vector, set upright
            return in_order if gold.marks == "()" and is_vector(answer) else False
        if gold.marks != "()":
            return False
        return None if answer.marks == "{}" and in_order is not False else in_order

    def in_order(self, gold: Sequence[Shape], answer: Sequence[Shape]) -> bool | None:
        if len(gold) != len(answer):
            return False
        return all_of(self.alike(gold=one, answer=other) for one, other in zip(gold, answer, strict=True))

    def _matrices(self, gold: Shape, answer: Shape) -> bool | None:
        if answer.kind == "group" and answer.marks == "()" and is_vector(gold):
            return self.in_order(gold.items, answer.items)
        if answer.kind != "matrix" or answer.marks != gold.marks:
            return False
        return self.in_order(gold.items, answer.items)

    def _sets(self, gold: Shape, answer: Shape) -> bool | None:
        """Of what cannot be put in order on the real line."""
        if gold.kind != answer.kind:
            return None if answer.kind in ("union", "difference", "list", "group", "builder") else False
        if gold.kind == "union":
            return self.same_members(gold.items, answer.items)
        return True if self.in_order(gold.items, answer.items) else None

    def _builders(self, gold: Shape, answer: Shape) -> bool | None:
        if answer.kind == "value" and answer.node is not None:
            return False
        return True if answer.kind == "builder" and self.in_order(gold.items, answer.items) else None


_COUNTERS = frozenset("knmjlt")
_ONE = Shape("value", "1", reading=Reading(number(1), False))


def same_but_for_one_name(gold: Node, answer: Node, equal: Callable[[Node, Node], bool | None]) -> bool:
    ours, theirs = symbols(gold) & _COUNTERS, symbols(answer) & _COUNTERS
    if len(ours) != 1 or len(theirs) != 1 or ours == theirs:
        return False
    return equal(gold, renamed(answer, {min(theirs): min(ours)})) is True
