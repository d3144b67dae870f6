r"""Compares sequences with dots in them: `1, 2, \ldots, n`, `1:2:3:\ldots`.

What stands at the same place before or after the dots has to agree. Leaves out sums and products with dots.
"""

import itertools
from collections.abc import Callable, Sequence
from fractions import Fraction

from tmas_assets.grading.math.exact import TooLarge, rational
from tmas_assets.grading.math.expression import Reading
from tmas_assets.grading.math.structure import Shape
from tmas_assets.grading.math.tree import number

_DOTS = r"\ldots"
Same = Callable[[Shape, Shape], bool | None]


def is_dotted(shape: Shape) -> bool:
    return shape.kind in ("list", "ratio", "group") and any(item.key == _DOTS for item in shape.items)


def same(gold: Shape, answer: Shape, same_term: Same) -> bool | None:
    """At least one of the two is dotted."""
    if is_dotted(gold) and is_dotted(answer):
        return _both(gold, answer, same_term)
    dotted, plain = (gold, answer) if is_dotted(gold) else (answer, gold)
    if plain.kind == "value" and plain.node is not None:
        return False
    if plain.kind != "list" or dotted.kind != "list":
        return None
    count = _count(dotted)
    if count is None or count != len(plain.items):
        return None if count is None else False
    first, step = _number(dotted.items[0]) or Fraction(0), _step(dotted.items[:2]) or Fraction(0)
    terms = [Shape("value", str(value), reading=Reading(number(value), False))
             for value in (first + step * index for index in range(count))]
    given = [_number(item) for item in plain.items]
    if None not in given:
        return set(given) == {_number(term) for term in terms}
    return _all([same_term(term, item) for term, item in zip(terms, plain.items, strict=True)])


def _both(gold: Shape, answer: Shape, same_term: Same) -> bool | None:
    if gold.kind != answer.kind:
        return None
    wanted, given = _parts(gold.items), _parts(answer.items)
    if wanted is None or given is None:
        return None
    (first, last), (given_first, given_last) = wanted, given
    verdict = _aligned(first, last, given_first, given_last, same_term)
    if verdict is False and gold.kind == "list" and last and given_last:
        backwards = _aligned(first, last, given_last[::-1], given_first[::-1], same_term)
        return verdict if backwards is False else backwards
    return verdict


def _parts(items: Sequence[Shape]) -> tuple[Sequence[Shape], Sequence[Shape]] | None:
    """What stands before the dots, and after them."""
    at = [index for index, item in enumerate(items) if item.key == _DOTS]
    return (items[: at[0]], items[at[0] + 1 :]) if len(at) == 1 else None


def _aligned(first: Sequence[Shape], last: Sequence[Shape], given_first: Sequence[Shape], given_last: Sequence[Shape],
             same_term: Same) -> bool | None:
    pairs = [*zip(first, given_first, strict=False), *zip(reversed(last), reversed(given_last), strict=False)]
    verdict = _all([same_term(one, other) for one, other in pairs])
    if verdict is not True:
        return verdict
    if bool(last) != bool(given_last):
        return None
    if len(first) == len(given_first) and len(last) == len(given_last):
        return True
    # One writes more terms than the other: they are what the shorter one leaves to the dots, or a reader must tell.
    longer = max(first, given_first, key=len)
    return True if min(len(first), len(given_first)) >= 2 and _step(longer) is not None else None


def _step(terms: Sequence[Shape]) -> Fraction | None:
    """The common difference of numbers."""
    values = [_number(term) for term in terms]
    known = [value for value in values if value is not None]
    if len(known) < len(terms) or len(known) < 2:
        return None
    steps = {later - earlier for earlier, later in itertools.pairwise(known)}
    return steps.pop() if len(steps) == 1 else None


def _count(shape: Shape) -> int | None:
    """Terms of 1, 2, ..., 10."""
    parts = _parts(shape.items)
    step = _step(parts[0]) if parts else None
    if not parts or not step or len(parts[1]) != 1:
        return None
    first, last = _number(parts[0][0]), _number(parts[1][0])
    if first is None or last is None:
        return None
    steps = (last - first) / step
    return int(steps) + 1 if steps.denominator == 1 and steps > 0 else None


def _number(shape: Shape) -> Fraction | None:
    try:
        return rational(shape.node) if shape.node is not None else None
    except TooLarge:
        return None


def _all(verdicts: Sequence[bool | None]) -> bool | None:
    return False if False in verdicts else None if None in verdicts else True
