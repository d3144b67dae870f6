r"""The rules by which two shapes are the same answer: True, False, or None where rules cannot tell.

Lists and sets match in any order and exactly, tuples in order, intervals by their ends, relations by what they say.
Whether two expressions are equal is asked of a `Leaf`: `ExactLeaf` (`exact_leaf.py`) decides rational values in the
calling process, `SymbolLeaf` (`symbol_leaf.py`) the rest in a worker.
"""

import itertools
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Protocol

from tmas_assets.grading import words
from tmas_assets.grading.expression import Reading
from tmas_assets.grading.shape import Shape
from tmas_assets.grading.sides import argument, differ, intervals, labelled, states_a_value, unknowns, with_argument
from tmas_assets.grading.traits import (
    ambiguous,
    is_constant,
    is_number,
    is_vector,
    open_ended,
    rational_value,
    refused,
    same_brackets,
    without_repeats,
    without_sign,
)
from tmas_assets.grading.tree import Node, number, renamed, symbols

_MOST_CONSTANTS = 4


class Leaf(Protocol):
    """Comparisons that need values. Each answers True, False or None, and may raise to ask for a stronger leaf."""

    def equal(self, gold: Node, answer: Node) -> bool | None: ...

    def related(self, gold: Shape, answer: Shape) -> bool | None:
        """Two relations of two sides each."""

    def unread(self, gold: Shape, answer: Shape) -> bool | None:
        """Two shapes, one of which our grammar does not know."""


@dataclass(frozen=True)
class Comparison:
    leaf: Leaf

    def same(self, *, gold: Shape, answer: Shape) -> bool | None:
        """Whether `answer` is the answer `gold` asks for."""
        verdict = self._same(gold, answer)
        # Words or dots on either side may say the same in another way; only a reader can refuse them.
        if verdict is False and (open_ended(gold) or (open_ended(answer) and not is_number(gold))):
            return None if not refused(gold, answer) else False
        return verdict

    def _same(self, gold: Shape, answer: Shape) -> bool | None:
        if "empty" in (gold.kind, answer.kind):
            return False
        if gold.key == answer.key or (words.is_none_at_all(gold.text) and words.is_none_at_all(answer.text)):
            return True
        if gold.kind == "words":
            return True if words.canonical(gold.text) == words.canonical(answer.text) else (
                False if refused(gold, answer) else None)
        if answer.kind == "words":
            return False if refused(gold, answer) else None
        if "relation" in (gold.kind, answer.kind):
            return self._relations(gold, answer)
        if r"\mathbb{R}" in (gold.key, answer.key):
            return self._same_sets(intervals(gold), intervals(answer))
        if gold.kind != answer.kind and "value" in (gold.kind, answer.kind) and (gold.other or answer.other):
            return self._same(gold.other or gold, answer.other or answer)
        if gold.kind == "value" and answer.kind in ("based", "ratio"):
            gold, answer = answer, gold
        rules: dict[str, Callable[[Shape, Shape], bool | None]] = {
            "value": self._values, "list": self._lists, "group": self._groups, "union": self._unions,
            "matrix": self._matrices, "ratio": self._ratios, "based": self._based,
        }
        return rules[gold.kind](gold, answer)

    def _values(self, gold: Shape, answer: Shape) -> bool | None:
        if answer.kind == "list" and len(answer.items) == 1:
            return self._same(gold, answer.items[0])
        if answer.kind != "value":
            return False
        if gold.node is None or answer.node is None:
            return self.leaf.unread(gold, answer)
        same = self._equal_in_some_sign(gold.node, answer.node)
        if same is False and (ambiguous(gold) or ambiguous(answer)):
            return None
        if gold.unit and answer.unit and gold.unit != answer.unit and same is not False:
            both_known = words.is_known_unit(gold.unit) and words.is_known_unit(answer.unit)
            return False if both_known and same else None
        return same

    def _equal_in_some_sign(self, gold: Node, answer: Node) -> bool | None:
        """A percent or degree sign on one side is forgiven; a percentage is also its hundredth part."""
        bare_gold, bare_answer = without_sign(gold), without_sign(answer)
        same = self.leaf.equal(bare_gold, bare_answer)
        if same is not False or (gold is bare_gold) == (answer is bare_answer):
            return same
        return self.leaf.equal(gold, answer)  # 35% is 0.35, 90 degrees are half of pi

    def _based(self, gold: Shape, answer: Shape) -> bool | None:
        """Another base is another number; the same number in another base, or in none, is for a reader."""
        if answer.kind == "based":
            if gold.base == answer.base:
                return gold.marks == answer.marks
            return None if int(gold.marks, gold.base) == int(answer.marks, answer.base) else False
        if answer.kind != "value":
            return False
        if answer.node is None or answer.key.lstrip("0") == gold.marks:
            return None
        return None if rational_value(answer.node) == int(gold.marks, gold.base) else False

    def _ratios(self, gold: Shape, answer: Shape) -> bool | None:
        terms = answer.items if answer.kind == "ratio" else (answer, _ONE)
        if len(terms) != len(gold.items):
            return False
        golds, answers = [item.node for item in gold.items], [term.node for term in terms]
        pairs = [(one, other) for one, other in zip(golds, answers, strict=True) if one and other]
        if len(pairs) < len(golds):
            return None
        first, first_answer = pairs[0]
        return _all(self.leaf.equal(Node("mul", (one, first_answer)), Node("mul", (other, first)))
                    for one, other in pairs[1:])

    def _lists(self, gold: Shape, answer: Shape) -> bool | None:
        alone = gold.items[0] if len(gold.items) == 1 else None
        if answer.kind not in ("list", "group") or (answer.kind == "group" and gold.items
                                                    and all(item.kind == "group" for item in gold.items)):
            return self._same(alone, answer) if alone else False
        members = self._same_members(gold.items, answer.items)
        # A tuple where a set was asked for, or an interval: only a reader can tell.
        return members if answer.kind == "list" else (False if members is False else None)

    def _same_members(self, gold: Sequence[Shape], answer: Sequence[Shape]) -> bool | None:
        """Each member of one matched with one of the other, in any order; repeats count once."""
        wanted, left = without_repeats(gold), without_repeats(answer)
        if len(wanted) != len(left):
            return False
        unmatched = []
        for one in wanted:
            at = next((i for i, other in enumerate(left) if self.same(gold=one, answer=other) is True), None)
            if at is None:
                unmatched.append(one)
            else:
                left.pop(at)
        if not unmatched:
            return True
        possible = all(any(self.same(gold=one, answer=other) is None for other in left) for one in unmatched)
        return None if possible else False

    def _groups(self, gold: Shape, answer: Shape) -> bool | None:
        if answer.kind not in ("group", "list", "matrix"):
            return False
        in_order = self._in_order(gold.items, answer.items)
        if answer.kind == "group":
            return in_order if same_brackets(gold, answer) else False
        if answer.kind == "matrix":
            return None if in_order is not False and is_vector(answer) else False
        if answer.marks == "{}":
            return None if in_order is not False else False
        if in_order is False and all(item.kind == "relation" for item in answer.items):
            # y = 4, x = 3 for the pair (3, 4)
            return None if self._same_members(gold.items, answer.items) is not False else False
        return in_order

    def _in_order(self, gold: Sequence[Shape], answer: Sequence[Shape]) -> bool | None:
        if len(gold) != len(answer):
            return False
        return _all(self.same(gold=one, answer=other) for one, other in zip(gold, answer, strict=True))

    def _matrices(self, gold: Shape, answer: Shape) -> bool | None:
        if answer.kind == "group" and is_vector(gold):
            return None if self._in_order(gold.items, answer.items) is not False else False
        if answer.kind != "matrix" or answer.marks != gold.marks:
            return False
        return self._in_order(gold.items, answer.items)

    def _unions(self, gold: Shape, answer: Shape) -> bool | None:
        if answer.kind not in ("union", "list"):
            return False
        return self._by_form(gold, answer)

    def _relations(self, gold: Shape, answer: Shape) -> bool | None:
        gold_label, wanted = labelled(gold)
        label, given = labelled(answer)
        if gold_label and answer.kind == "relation" and states_a_value(answer):
            return self._by_form(wanted, answer)  # 4 + 1 = 5 for x = 5
        unsolved = (gold.kind == "relation" and not gold_label) or (answer.kind == "relation" and not label)
        if unsolved or (gold_label and label and differ(gold_label, label)):
            return self._by_form(gold, answer)
        if gold_label and label:
            given = with_argument(given, argument(label), argument(gold_label))
        same = self.same(gold=wanted, answer=given)
        if same is False and "." in given.text and len(answer.items) > 2:
            same = self.same(gold=wanted, answer=answer.items[-2])  # x = 3/7 = 0.43
        if same is False and gold_label and self._same_but_for_names(gold_label, wanted, given):
            return None
        return same

    def _by_form(self, gold: Shape, answer: Shape) -> bool | None:
        if "relation" in (gold.kind, answer.kind) or "union" in (gold.kind, answer.kind):
            wanted, given = intervals(gold), intervals(answer)
            if wanted is not None and given is not None:
                same = self._same_sets(wanted, given)
                return None if same and unknowns(gold) and unknowns(answer) - unknowns(gold) else same
        if gold.kind == answer.kind == "relation":
            return self.leaf.related(gold, answer) if len(gold.items) == len(answer.items) == 2 else None
        if gold.kind == "relation":
            return False if answer.kind == "value" else None
        if answer.kind != "relation":
            return False
        if set(answer.operators) != {"="}:
            return False if is_constant(gold) else None
        same = self.same(gold=gold, answer=answer.items[-1])  # 4 * 24 = 96, x + y = 5
        if same is False and "." in answer.items[-1].text:
            same = self.same(gold=gold, answer=answer.items[-2])  # 3/7 = 0.43
        return None if same and len(unknowns(answer.items[0])) == 1 else same  # 2x = 5 is not solved

    def _same_sets(self, gold: Sequence[Shape] | None, answer: Sequence[Shape] | None) -> bool | None:
        return self._same_members(gold, answer) if gold is not None and answer is not None else False

    def _same_but_for_names(self, label: str, gold: Shape, answer: Shape) -> bool:
        """Whether renaming constants may make them equal: f(x) = C + x and f(x) = a + x."""
        if gold.node is None or answer.node is None:
            return False
        bound = set(re.findall(r"[A-Za-z]", argument(label)))
        ours, theirs = sorted(symbols(gold.node) - bound), sorted(symbols(answer.node) - bound)
        if not ours or len(ours) != len(theirs) or len(ours) > _MOST_CONSTANTS:
            return False
        return any(self.leaf.equal(gold.node, renamed(answer.node, dict(zip(theirs, order, strict=True)))) is not False
                   for order in itertools.permutations(ours))


_ONE = Shape("value", "1", reading=Reading(number(1), False))


def _all(verdicts: Iterable[bool | None]) -> bool | None:
    """False wins over open, open over True."""
    is_open = False
    for verdict in verdicts:
        if verdict is False:
            return False
        is_open |= verdict is None
    return None if is_open else True
