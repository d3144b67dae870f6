"""A problem's page: its rollouts at a glance, how its banks grew, and what every iteration did. Leaves out long texts."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby

from tmas_assets.records import Problem, Record
from tmas_assets.reports.page import render_page
from tmas_assets.reports.site.bank_maps import BankRound, RepeatMemory, bank_round, repeat_memories
from tmas_assets.reports.site.glance import RoundGlance, glance, round_glance
from tmas_assets.reports.site.growth import HEIGHT, WIDTH, Growth, growth
from tmas_assets.reports.site.links import TOP, Link, iteration_file
from tmas_assets.reports.site.solved import SolvedRound


@dataclass(frozen=True)
class Seen:
    """What a problem's page shows of one round: small, so that all rounds of a problem are held at once."""

    glance: RoundGlance
    bank: BankRound
    turns: tuple["TurnCount", ...]


class TurnCount(Record):
    """Turns of one role in one round."""

    iteration: int
    role: str
    kind: str
    turns: int
    errors: int
    """Of them, replies that could not be read."""


@dataclass(frozen=True)
class Place:
    """Where a page stands in the site: the same for all pages of a problem."""

    experiment: str
    strategy: str
    problem: Problem
    iterations: tuple[int, ...]
    """That have a page."""
    previous: Link | None
    """Neighbouring problems."""
    following: Link | None


@dataclass(frozen=True)
class RepeatShown:
    memory: RepeatMemory
    growth: Growth


def seen(one: SolvedRound) -> Seen:
    turns = sorted(one.round.memory.turns, key=lambda turn: (turn.role, turn.kind))
    counts = []
    for (role, kind), own in groupby(turns, key=lambda turn: (turn.role, turn.kind)):
        found = list(own)
        errors = sum(turn.parse == "parse_error" for turn in found)
        counts.append(
            TurnCount(iteration=one.round.iteration, role=role, kind=kind, turns=len(found), errors=errors)
        )
    return Seen(round_glance(one), bank_round(one), tuple(counts))


def problem_page(place: Place, rounds: Sequence[Seen], made_from: str) -> str:
    """`rounds` of all repeats and iterations. `made_from`: digest of what the page was made from, kept in its head."""
    memories = repeat_memories([one.bank for one in rounds])
    return render_page(
        "site/problem.html.jinja",
        place=place,
        up=TOP,
        made_from=made_from,
        glance=glance([one.glance for one in rounds]),
        memories=[RepeatShown(memory, growth(memory)) for memory in memories],
        turns=_turns(rounds),
        iteration_file=iteration_file,
        size=(WIDTH, HEIGHT),
    )


class TurnLine(Record):
    """Turns of one role and kind by iteration; None where there is none."""

    role: str
    kind: str
    counts: tuple[TurnCount | None, ...]


def _turns(rounds: Sequence[Seen]) -> tuple[TurnLine, ...]:
    counts = [count for one in rounds for count in one.turns]
    iterations = sorted({one.glance.iteration for one in rounds})
    lines = []
    for role, kind in sorted({(count.role, count.kind) for count in counts}):
        own = [count for count in counts if (count.role, count.kind) == (role, kind)]
        lines.append(TurnLine(role=role, kind=kind, counts=tuple(_sum(own, t) for t in iterations)))
    return tuple(lines)


def _sum(counts: Sequence[TurnCount], iteration: int) -> TurnCount | None:
    own = [count for count in counts if count.iteration == iteration]
    if not own:
        return None
    total = {"turns": sum(count.turns for count in own), "errors": sum(count.errors for count in own)}
    return own[0].model_copy(update=total)
