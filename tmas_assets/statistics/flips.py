"""How often a decision flips over repeats with other seeds and orders of speakers. Leaves out making decisions."""

from collections import Counter
from collections.abc import Sequence
from math import comb

from tmas_assets.records import CHOICES, ChoiceCount, Decision, Flips


def flips(decisions: Sequence[Decision | None]) -> Flips:
    """One entry a repeat, in any order: None where it has no decision. One that was only filled in for a lost reply
    counts as missing too: it would look stable where nothing was decided."""
    made = [decision.decision for decision in decisions if decision is not None and decision.made]
    counts = Counter(made)
    ordered = sorted(counts, key=lambda choice: (-counts[choice], CHOICES.index(choice)))
    several = len(made) > 1
    same = sum(comb(count, 2) for count in counts.values())
    return Flips(
        repeats=len(decisions),
        decided=len(made),
        missing=len(decisions) - len(made),
        commonest=ordered[0] if ordered else None,
        counts=tuple(ChoiceCount(decision=choice, repeats=counts[choice]) for choice in ordered),
        flip_rate=1 - counts[ordered[0]] / len(made) if several else None,
        pair_rate=1 - same / comb(len(made), 2) if several else None,
    )
