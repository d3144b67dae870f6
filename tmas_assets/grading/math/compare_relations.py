r"""The rules for equations, inequalities and labelled answers: `x = 5` and 5, `f(x) = 2x`, `4 \cdot 24 = 96`.

Sets of reals said by inequalities are compared by `reals.py` before it comes to these rules.
"""

import itertools
import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from tmas_assets.grading.math.residues import same_class
from tmas_assets.grading.math.sides import argument, differ, labelled, mirrored, states_a_value, unknowns, with_argument
from tmas_assets.grading.math.structure import Shape
from tmas_assets.grading.math.traits import is_constant
from tmas_assets.grading.math.tree import renamed, symbols

if TYPE_CHECKING:
    from tmas_assets.grading.math.compare import Comparison

_MOST_CONSTANTS = 4


@dataclass(frozen=True)
class Relations:
    whole: "Comparison"

    def same(self, gold: Shape, answer: Shape) -> bool | None:
        """At least one of the two is a relation."""
        gold_label, wanted = labelled(gold)
        label, given = labelled(answer)
        if gold_label and answer.kind == "relation" and states_a_value(answer):
            return self._by_form(wanted, answer)  # 4 + 1 = 5 for x = 5
        unsolved = (gold.kind == "relation" and not gold_label) or (answer.kind == "relation" and not label)
        if unsolved or (gold_label and label and differ(gold_label, label)):
            return self._by_form(gold, answer)
        if gold_label and label:
            given = with_argument(given, argument(label), argument(gold_label))
        same = self.whole.alike(gold=wanted, answer=given)
        if same is False and "." in given.text and len(answer.items) > 2:
            same = self.whole.alike(gold=wanted, answer=answer.items[-2])  # x = 3/7 = 0.43
        if same is False and gold_label and ((not argument(gold_label) and same_class(wanted, given)) or self._same_but_for_names(gold_label, wanted, given)):
            return None
        return same

    def _by_form(self, gold: Shape, answer: Shape) -> bool | None:
        if gold.kind == answer.kind == "relation":
            return self._both(gold, answer)
        if gold.kind == "relation" and states_a_value(gold) and answer.kind == "value":
            return self.whole.alike(gold=gold.items[-1], answer=answer)
        if gold.kind == "relation":
            return False if answer.kind in ("value", "group", "matrix", "ratio") else None
        if answer.kind != "relation":
            return False
        if set(answer.operators) != {"="}:
            return False if is_constant(gold) else None
        same = self.whole.alike(gold=gold, answer=answer.items[-1])  # 4 * 24 = 96, x + y = 5
        if same is False and "." in answer.items[-1].text:
            same = self.whole.alike(gold=gold, answer=answer.items[-2])  # 3/7 = 0.43
        return None if same and len(unknowns(answer.items[0])) == 1 else same  # 2x = 5 is not solved

    def _both(self, gold: Shape, answer: Shape) -> bool | None:
        if len(gold.items) == len(answer.items) == 2:
            if gold.operators == answer.operators == ("=",) and gold.items[0].key == answer.items[0].key:
                return self.whole.alike(gold=gold.items[1], answer=answer.items[1])
            return self.whole.leaf.related(gold, answer)
        for given in (answer, mirrored_chain(answer)):
            if given.operators == gold.operators and self.whole.in_order(gold.items, given.items):
                return True
        return self.whole.leaf.related(gold, answer)

    def _same_but_for_names(self, label: str, gold: Shape, answer: Shape) -> bool:
        """Whether renaming constants may make them equal: f(x) = C + x and f(x) = a + x."""
        if gold.node is None or answer.node is None:
            return False
        bound = set(re.findall(r"[A-Za-z]", argument(label)))
        ours, theirs = sorted(symbols(gold.node) - bound), sorted(symbols(answer.node) - bound)
        if not ours or len(ours) != len(theirs) or len(ours) > _MOST_CONSTANTS:
            return False
        return any(self.whole.leaf.equal(gold.node, renamed(answer.node, dict(zip(theirs, order, strict=True)))) is not False
                   for order in itertools.permutations(ours))


def mirrored_chain(shape: Shape) -> Shape:
    """c > b > a for a < b < c."""
    return replace(shape, items=shape.items[::-1], operators=tuple(map(mirrored, reversed(shape.operators))))


def all_of(verdicts: Iterable[bool | None]) -> bool | None:
    """False wins over open, open over True."""
    is_open = False
    for verdict in verdicts:
        if verdict is False:
            return False
        is_open |= verdict is None
    return None if is_open else True
