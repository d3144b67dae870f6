"""Majority vote by classes of equivalent answers. Leaves out extraction and equivalence: `equal` is given."""

from collections.abc import Callable, Sequence

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


def majority(answers: Sequence[str | None], equal: Callable[[str, str], bool]) -> Vote:
    """The class with most votes; of tied classes the one seen first, so that a rerun agrees.

    An answer joins the first class whose first spelling it equals; the same text is always one class, without
    asking `equal`, which is called as equal(first spelling, answer) at most once per pair of texts.
    """
    class_of: dict[str, int] = {}
    names: list[str] = []
    votes: list[int] = []
    silent = 0
    for answer in answers:
        if answer is None or not answer.strip():
            silent += 1
            continue
        if answer not in class_of:
            joined = next((i for i, name in enumerate(names) if equal(name, answer)), None)
            if joined is None:
                joined = len(names)
                names.append(answer)
                votes.append(0)
            class_of[answer] = joined
        votes[class_of[answer]] += 1
    most = max(votes, default=0)
    return Vote(
        answer=names[votes.index(most)] if names else None,
        votes=most,
        voters=sum(votes),
        silent=silent,
        tied=votes.count(most) > 1,
        classes=tuple(zip(names, votes, strict=True)),
    )
