"""Classes of equivalent answers and the majority vote among them. Leaves out extraction and equivalence: `equal` is given.

Averaging over subsets is in `majority_at_k.py`.
"""

from collections.abc import Callable, Hashable, Sequence

from tmas_assets.records import Record


class Vote(Record):
    """The winning class, named by its first spelling, and how the vote went."""

    answer: str | None
    """None when nobody voted."""
    votes: int
    """Votes of the winning class."""
    voters: int
    """Answers that were not empty."""
    silent: int
    """Empty answers: they vote for nothing, since giving no answer is not one answer they agree on."""
    tied: bool
    """Whether another class had as many votes, so that order decided."""
    classes: tuple[tuple[str, int], ...]
    """Every class with its votes, in the order first seen."""


def classes_of(
    answers: Sequence[str | None],
    equal: Callable[[str, str], bool],
    key: Callable[[str], Hashable | None] = lambda answer: None,
) -> tuple[int | None, ...]:
    """The class of each answer, numbered from 0 in the order first seen; None for an empty answer.

    An answer joins the first class whose first spelling it equals; the same text is always one class, without
    asking `equal`, which is called as equal(first spelling, answer) at most once per pair of texts. Two texts that
    both have a `key` are equal where their keys are, and `equal` is not asked about them.
    """
    class_of: dict[str, int] = {}
    names: list[tuple[str, Hashable | None]] = []
    keyed: dict[Hashable, int] = {}

    def joined(answer: str, own: Hashable | None) -> int | None:
        if own is not None and own in keyed:
            return keyed[own]
        asked = (i for i, (name, theirs) in enumerate(names) if own is None or theirs is None)
        return next((i for i in asked if equal(names[i][0], answer)), None)

    found: list[int | None] = []
    for answer in answers:
        if answer is None or not answer.strip():
            found.append(None)
            continue
        if answer not in class_of:
            own = key(answer)
            place = joined(answer, own)
            if place is None:
                place = len(names)
                names.append((answer, own))
            if own is not None:
                keyed.setdefault(own, place)
            class_of[answer] = place
        found.append(class_of[answer])
    return tuple(found)


def majority(answers: Sequence[str | None], equal: Callable[[str, str], bool]) -> Vote:
    """The class with most votes; of tied classes the one seen first, so that a rerun agrees. `equal` as `classes_of`."""
    found = classes_of(answers, equal)
    names: dict[int, str] = {}
    votes: dict[int, int] = {}
    for answer, place in zip(answers, found, strict=True):
        if place is not None and answer is not None:
            names.setdefault(place, answer)
            votes[place] = votes.get(place, 0) + 1
    most = max(votes.values(), default=0)
    return Vote(
        answer=next((names[place] for place, count in votes.items() if count == most), None),
        votes=most,
        voters=sum(votes.values()),
        silent=found.count(None),
        tied=list(votes.values()).count(most) > 1,
        classes=tuple((names[place], count) for place, count in votes.items()),
    )
