"""What the pages know of one cell: its rounds with their grades, and which lines of memory its prompts showed.

Leaves out reading it and how it is shown.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from tmas_assets.agents import guided, material
from tmas_assets.agents.asking import Limits
from tmas_assets.memory import live
from tmas_assets.records import (
    REPEATED,
    Bank,
    Branch,
    Grade,
    MemorySnapshot,
    Record,
    Round,
    StrategyChoice,
    Trace,
    Verification,
)
from tmas_assets.strategies import settings_of

_BANK_OF: dict[Branch, Bank] = {"refine": "experience", "explore": "guideline"}
_SELECTIONS = {"rse": guided.bank_selection}
"""Strategies whose prompts choose and spell the lines in another way than the shared bank block."""


class Shown(Record):
    """What the prompts of some rollouts held of a bank, as it was after the iteration before."""

    bank: Bank
    entries: tuple[str, ...]
    left_out: int
    """Live lines for which the prompt had no room."""
    rollouts: tuple[str, ...]


@dataclass(frozen=True)
class SolvedRound:
    """One repeat's round with what its rollouts were graded and shown."""

    round: Round
    grades: Mapping[str, Grade]
    """By rollout; none where nothing is graded."""
    shown: tuple[Shown, ...]

    def mean_score(self, rollout: str) -> float | None:
        """Mean of the parsed checks of a rollout itself, in [0, 1]."""
        scores = [check.score for check in self.checks(rollout) if check.about is None and check.score is not None]
        return sum(scores) / len(scores) if scores else None

    def checks(self, rollout: str) -> list[Verification]:
        return [check for check in self.round.verifications if check.rollout == rollout]

    def traces(self) -> Iterator[Trace]:
        """Of every call that a record here was made of, each once; the judge's are not among them."""
        one = self.round
        asked = [
            *(rollout.trace for rollout in one.rollouts if rollout.branch not in REPEATED),
            *(check.trace for check in one.verifications),
            *(summary.trace for summary in one.summaries),
            *(write.trace for write in one.memory.writes),
            *(turn.trace for turn in one.memory.turns if turn.trace is not None),
        ]
        yield from {trace.call: trace for trace in asked}.values()


def solved(
    choice: StrategyChoice, round_: Round, grades: Sequence[Grade], before: MemorySnapshot | None
) -> SolvedRound:
    """`before`: the snapshot of the same repeat after the iteration before, None at iteration 0. `grades` of the cell."""
    own = {grade.rollout: grade for grade in grades if grade.repeat == round_.repeat}
    return SolvedRound(round_, own, tuple(_shown(choice, round_, before)) if before is not None else ())


def _shown(choice: StrategyChoice, round_: Round, before: MemorySnapshot) -> Iterator[Shown]:
    limits = getattr(settings_of(choice), "limits", None)
    if not isinstance(limits, Limits):
        return
    for branch, bank in _BANK_OF.items():
        # one that is kept or chosen repeats a rollout that saw an earlier snapshot
        saw = [
            rollout.id
            for rollout in round_.rollouts
            if rollout.branch == branch and rollout.memory_digest is not None
            and rollout.memory_digest == round_.memory.previous_digest
        ]  # fmt: skip
        if saw:
            chosen = _SELECTIONS.get(choice.name, material.bank_selection)(live(before.entries, bank), limits)
            yield Shown(
                bank=bank, entries=tuple(one.id for one in chosen.shown), left_out=chosen.left_out, rollouts=tuple(saw)
            )
