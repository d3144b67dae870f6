"""Which conversations make which SFT step: whole groups in order of generation, decided before training.

Every step has exactly as many places, and those that no conversation takes are fillers that teach nothing; so however a step is
cut into micro-batches and processes, a group stays in it. A pure function of what is given: a resumed run sees the steps of the
unbroken one. Leaves out tokens, and what a filler is.
"""

import math
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

from tmas_assets.records import Conversation, digest
from tmas_assets.records.trainer import StepPrompts


@dataclass(frozen=True)
class Member:
    """Of a group, at its place in the order of generation."""

    group: str
    order: int

    @property
    def name(self) -> str:
        return f"{self.group}#{self.order}"


Step = tuple[Member | None, ...]
"""Places of one step; None is a filler."""


def member(conversation: Conversation) -> Member:
    return Member(conversation.group, conversation.order)


def steps_of(
    members: Iterable[Member], *, batch: int, whole_groups: bool, epochs: float, max_steps: int | None, seed: int
) -> tuple[Step, ...]:
    """All steps of the run, each of `batch` places; the order of `members` plays no part.

    An epoch holds every member once. With `whole_groups` its groups, in an order drawn by the seed, go each into the first step that
    has room, and the steps are put in a drawn order again, so that fuller ones do not come first; inside a step, group
    after group, a group in its order. Else the members stand in a drawn order and fill step after step. A part of an epoch is its first steps.
    Raises ValueError: no members, a member twice, or a group larger than a step.
    """
    given = sorted(members, key=lambda one: (one.group, one.order))
    twice = [one.name for one, other in pairwise(given) if one == other]
    if not given:
        raise ValueError("no conversation to train on; look at what was left out, or build the data set")
    if twice:
        raise ValueError(
            f"{twice[0]} stands for two conversations ({len(twice)} such); the order in a group is to be unique: build the set again"
        )
    if whole_groups:
        _require_room(given, batch)
    made: list[Step] = []
    for epoch in range(math.ceil(epochs)):
        steps = _whole(given, batch, seed, epoch) if whole_groups else _plain(given, batch, seed, epoch)
        made += steps[: math.ceil(round(min(1.0, epochs - epoch) * len(steps), 9))]  # 1.1 epochs of 10 steps are 11
        if max_steps is not None and len(made) >= max_steps:
            break
    return tuple(made[:max_steps])


def table(steps: Sequence[Step]) -> tuple[StepPrompts, ...]:
    """What each step was made of, fillers left out."""
    return tuple(
        StepPrompts(iteration=0, step=number, rows=tuple(one.name for one in step if one is not None))
        for number, step in enumerate(steps, start=1)
    )


def _whole(given: Sequence[Member], batch: int, seed: int, epoch: int) -> list[Step]:
    groups: dict[str, list[Member]] = defaultdict(list)
    for one in given:
        groups[one.group].append(one)
    open_: list[list[Member]] = []
    rooms: list[int] = []
    first: dict[int, int] = {}
    """By size: no step before it has room for so many, since room only shrinks."""
    for name in sorted(groups, key=lambda name: digest([seed, epoch, "group", name])):
        size = len(groups[name])
        at = first.get(size, 0)
        while at < len(rooms) and rooms[at] < size:
            at += 1
        first[size] = at
        if at == len(rooms):
            open_.append([])
            rooms.append(batch)
        open_[at] += groups[name]
        rooms[at] -= size
    ordered = sorted(open_, key=lambda step: digest([seed, epoch, "step", step[0].group]))
    return [_filled(step, batch) for step in ordered]


def _plain(given: Sequence[Member], batch: int, seed: int, epoch: int) -> list[Step]:
    drawn = sorted(given, key=lambda one: digest([seed, epoch, "member", one.name]))
    return [_filled(drawn[at : at + batch], batch) for at in range(0, len(drawn), batch)]


def _filled(step: Sequence[Member], batch: int) -> Step:
    return (*step, *[None] * (batch - len(step)))


def _require_room(given: Sequence[Member], batch: int) -> None:
    sizes: dict[str, int] = defaultdict(int)
    for one in given:
        sizes[one.group] += 1
    largest = max(sizes, key=lambda group: sizes[group])
    if sizes[largest] > batch:
        more = sum(size > batch for size in sizes.values()) - 1
        raise ValueError(
            f"sft.batch: group {largest} has {sizes[largest]} conversations, and a step takes {batch}"
            f"{f' ({more} more groups are too large)' if more else ''}; set sft.batch to at least {sizes[largest]}, choose fewer "
            "conversations.roles, or set sft.whole_groups: false to let groups be split"
        )
