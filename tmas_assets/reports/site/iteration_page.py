"""An iteration's page: every rollout with its text, grade and checks, what the banks became, and the turns of other roles.

Long texts are cut at a stated cap, with where the whole lies. Leaves out other iterations: the problem's page has them at a glance.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass

from tmas_assets.records import Bank, BankWrite, Grade, MemoryEntry, Rollout, Summary, Turn, Verification
from tmas_assets.reports.page import render_page
from tmas_assets.reports.site.bank_maps import BANKS
from tmas_assets.reports.site.glance import SIGNS, Outcome, outcome_of, short_score
from tmas_assets.reports.site.links import TOP, Link, grouped, iteration_file, rollout_link
from tmas_assets.reports.site.problem_page import Place
from tmas_assets.reports.site.solved import SolvedRound

TEXT_CHARS, CRITIQUE_CHARS = 20_000, 6_000
"""Of a rollout, turn or summary, and of a check; what is longer is cut on the page."""


@dataclass(frozen=True)
class Files:
    """Where the whole of every text lies, below the folder or URL of the store."""

    rollouts: str
    verifier_scores: str
    summaries: str
    memory_bank: str


@dataclass(frozen=True)
class RolloutShown:
    rollout: Rollout
    grade: Grade | None
    outcome: Outcome
    sign: str
    verifier: str
    parents: tuple[Link, ...]
    checks: tuple[Verification, ...]
    summary: Summary | None
    memory: str
    """Which bank's lines its prompt held, and how many; empty for none."""


@dataclass(frozen=True)
class BankShown:
    """What an iteration did to one bank."""

    bank: str
    writes: tuple[BankWrite, ...]
    held: tuple[MemoryEntry, ...]
    """Lines of the snapshot before that prompts of this iteration held."""
    held_by: str
    left_out: int
    new: tuple[MemoryEntry, ...]
    again: tuple[MemoryEntry, ...]
    ended: tuple[MemoryEntry, ...]
    live: int


@dataclass(frozen=True)
class TurnShown:
    turn: Turn
    about: tuple[Link, ...]
    data: str
    """Its JSON on lines of their own; empty for none."""


@dataclass(frozen=True)
class RepeatShown:
    repeat: int
    stopped: str | None
    rollouts: tuple[RolloutShown, ...]
    banks: tuple[BankShown, ...]
    turns: tuple[TurnShown, ...]


def iteration_page(
    place: Place, iteration: int, rounds: Sequence[SolvedRound], files: Files, made_from: str
) -> str:
    """`rounds`: of all repeats. `made_from`: digest of what the page was made from, kept in its head."""
    there = place.iterations
    at = there.index(iteration)
    return render_page(
        "site/iteration.html.jinja",
        place=place,
        up=TOP,
        made_from=made_from,
        iteration=iteration,
        previous=iteration_file(there[at - 1]) if at else "",
        following=iteration_file(there[at + 1]) if at + 1 < len(there) else "",
        repeats=[_repeat(one, there) for one in rounds],
        files=files,
        text_chars=TEXT_CHARS,
        critique_chars=CRITIQUE_CHARS,
    )


def _repeat(one: SolvedRound, there: Sequence[int]) -> RepeatShown:
    made = one.round
    summaries = {summary.rollout: summary for summary in made.summaries}
    return RepeatShown(
        repeat=made.repeat,
        stopped=made.memory.stopped,
        rollouts=tuple(_rollout(one, rollout, summaries.get(rollout.id), there) for rollout in made.rollouts),
        banks=tuple(bank for bank in (_bank(one, name) for name in BANKS) if bank is not None),
        turns=tuple(
            TurnShown(
                turn=turn,
                about=tuple(rollout_link(id_, made.iteration, there) for id_ in turn.about),
                data="" if turn.data is None else _lines(turn.data),
            )
            for turn in made.memory.turns
        ),
    )


def _rollout(one: SolvedRound, rollout: Rollout, summary: Summary | None, there: Sequence[int]) -> RolloutShown:
    grade = one.grades.get(rollout.id)
    held = next((shown for shown in one.shown if rollout.id in shown.rollouts), None)
    outcome = outcome_of(grade)
    return RolloutShown(
        rollout=rollout,
        grade=grade,
        outcome=outcome,
        sign=SIGNS[outcome],
        verifier=short_score(one.mean_score(rollout.id)),
        parents=tuple(rollout_link(id_, one.round.iteration, there) for id_ in rollout.parents),
        checks=tuple(one.checks(rollout.id)),
        summary=summary,
        memory=f"{len(held.entries)} lines of the {held.bank} bank" if held else "",
    )


def _bank(one: SolvedRound, bank: Bank) -> BankShown | None:
    """None where the iteration neither wrote nor showed it."""
    memory, iteration = one.round.memory, one.round.iteration
    entries = {entry.id: entry for entry in memory.entries if entry.bank == bank}
    writes = tuple(write for write in memory.writes if write.bank == bank)
    held = next((shown for shown in one.shown if shown.bank == bank), None)
    if not writes and held is None:
        return None
    return BankShown(
        bank=bank,
        writes=writes,
        held=tuple(entries[id_] for id_ in held.entries if id_ in entries) if held else (),
        held_by=", ".join(group.candidates for group in grouped(held.rollouts)) if held else "",
        left_out=held.left_out if held else 0,
        new=tuple(entry for entry in entries.values() if entry.born == iteration),
        again=tuple(entry for entry in entries.values() if entry.born < iteration == entry.last_seen),
        ended=tuple(entry for entry in entries.values() if entry.ended == iteration),
        live=sum(entry.state == "live" for entry in entries.values()),
    )


def _lines(data: str) -> str:
    """JSON as people read it. What is no JSON is shown as it is."""
    try:
        return json.dumps(json.loads(data), indent=1, ensure_ascii=False)
    except ValueError:
        return data
