"""How often a decision changes over repeats. Leaves out how far the experts of one repeat agree (`strategies/team_decision/consensus.py`)."""

from collections import Counter
from collections.abc import Sequence
from itertools import combinations

from tmas_assets.records import CHOICES, Choice, ChoiceCount, Flips


def flips(decisions: Sequence[Choice | None]) -> Flips:
    """`decisions`: one a repeat, None where the CEO decided nothing; the order does not matter."""
    made = [decision for decision in decisions if decision is not None]
    counts = Counter(made)
    commonest = max(counts, key=lambda choice: (counts[choice], -CHOICES.index(choice)), default=None)
    pairs = list(combinations(made, 2))
    return Flips(
        repeats=len(decisions),
        decided=len(made),
        missing=len(decisions) - len(made),
        commonest=commonest,
        counts=tuple(ChoiceCount(decision=choice, repeats=counts[choice]) for choice in CHOICES if choice in counts),
        flip_rate=sum(decision != commonest for decision in made) / len(made) if pairs else None,
        pair_rate=sum(first != second for first, second in pairs) / len(pairs) if pairs else None,
    )
