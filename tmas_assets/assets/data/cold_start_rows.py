"""The rows of a cold-start set: RL prompts without a bank, with experience, with guidelines, and role conversations.

All are functions of stored rounds, so none of these steps asks a model.
"""

from collections.abc import Callable, Iterator
from contextlib import closing
from itertools import chain

import dagster as dg

from resources.parquet_store import Parent
from tmas_assets.assets.data.plan import BAND, RATES, ROUNDS, SFT, Plan
from tmas_assets.assets.data.step import Building, Done, step_asset
from tmas_assets.assets.events import Metadata
from tmas_assets.assets.faults import cells_of, graders_of
from tmas_assets.assets.metadata import text_table
from tmas_assets.curation.balance import Spread
from tmas_assets.engine.building.derived import teacher_of, teacher_settings
from tmas_assets.engine.building.seen import seen
from tmas_assets.engine.voting import Voting
from tmas_assets.records import (
    ROW_SOURCES,
    ColdStart,
    Conversation,
    PassRate,
    RlRow,
    RowSource,
    SimulatedRound,
    SourceProblem,
)
from tmas_assets.training.rl_choice import choose_rows
from tmas_assets.training.rl_rows import experience_rows, guideline_rows, normal_rows
from tmas_assets.training.role_conversations import conversations
from tmas_assets.training.seen_round import SeenRound

_NAMED = {
    "normal": "Prompts without a bank: the problem as the solution agent is asked it at first.",
    "experience": "Prompts of refinements: earlier solutions with their reviews, and the experience bank.",
    "guideline": "Prompts of explorations: the strategies tried so far, to stay away from.",
}


_Make = Callable[[ColdStart, Building], Iterator[tuple[RlRow, ...]]]
"""Candidate rows, those of one problem and teacher after another."""


def row_assets(data: ColdStart, plan: Plan) -> list[dg.AssetsDefinition]:
    sft = step_asset(
        data, plan, SFT, lambda building: _sft(data, building),
        "Conversations of all five roles, from rounds whose final answer is right.",
    )  # fmt: skip
    return [*(_row_asset(data, plan, source) for source in ROW_SOURCES), sft]


def _row_asset(data: ColdStart, plan: Plan, source: RowSource) -> dg.AssetsDefinition:
    return step_asset(
        data, plan, source, lambda building: rows_step(data, source, building),
        f"{_NAMED[source]} Target: {data.targets.of(source)} rows.",
    )  # fmt: skip


def rows_step(data: ColdStart, source: RowSource, building: Building) -> Done:
    makers: dict[RowSource, _Make] = {"normal": _normal, "experience": _experience, "guideline": _guideline}
    weights = {one.name: one.weight for one in data.sources}
    chosen = choose_rows(
        chain.from_iterable(makers[source](data, building)), source, count=data.targets.of(source), weights=weights, seed=data.seed
    )
    made = building.steps.write(source, RlRow, chosen.chosen, _parents(building, source))
    if chosen.shortfall:
        building.log(_short(data, source, len(chosen.chosen), chosen.shortfall))
    return Done(made, chosen.chosen, _balance(data, source, chosen))


def _short(data: ColdStart, source: RowSource, made: int, shortfall: int) -> str:
    return (
        f"{source}: {made} of {data.targets.of(source)} rows, {shortfall} short: no more rows with a prompt of their own within "
        f"{data.per_problem.of(source)} a problem. More source problems, a wider difficulty band, more iterations or a higher "
        "per_problem make more; nothing is repeated."
    )


def _balance(data: ColdStart, source: RowSource, chosen: Spread[RlRow]) -> Metadata:
    depth = max((len(one.stratum) for one in chosen.by_stratum), default=0)
    return {
        "target": dg.MetadataValue.int(data.targets.of(source)),
        "shortfall": dg.MetadataValue.int(chosen.shortfall),
        "balance": text_table(
            (*(f"stratum {at + 1}" for at in range(depth)), "there", "chosen"),
            [(*one.stratum, str(one.there), str(one.chosen)) for one in chosen.by_stratum],
        ),
    }


def _parents(building: Building, source: str) -> list[Parent]:
    steps = building.steps
    files = {BAND: steps.read(BAND, SourceProblem)[1], RATES: steps.read(RATES, PassRate)[1]}
    if source != "normal":
        files[ROUNDS] = steps.read(ROUNDS, SimulatedRound)[1]
    return [Parent(step, file.digest) for step, file in files.items()]


def _normal(data: ColdStart, building: Building) -> Iterator[tuple[RlRow, ...]]:
    candidates, rates = _measured(building)
    settings, most = teacher_settings(data), data.per_problem.normal
    for candidate in candidates:
        yield normal_rows(candidate, rates[candidate.problem.id], settings, data_set=data.name, most=most)


def _experience(data: ColdStart, building: Building) -> Iterator[tuple[RlRow, ...]]:
    settings, most = teacher_settings(data), data.per_problem.experience
    for rounds in seen_in(data, building):
        yield experience_rows(rounds, settings, data_set=data.name, most=most, seed=data.seed)


def _guideline(data: ColdStart, building: Building) -> Iterator[tuple[RlRow, ...]]:
    settings, most = teacher_settings(data), data.per_problem.guideline
    for rounds in seen_in(data, building):
        yield guideline_rows(rounds, settings, data_set=data.name, most=most, seed=data.seed)


def _measured(building: Building) -> tuple[tuple[SourceProblem, ...], dict[str, PassRate]]:
    candidates = building.steps.read(BAND, SourceProblem)[0]
    return candidates, {one.problem: one for one in building.steps.read(RATES, PassRate)[0]}


def seen_in(data: ColdStart, building: Building) -> Iterator[tuple[SeenRound, ...]]:
    """The simulated rounds of the set, one problem after another."""
    candidates, rates = _measured(building)
    rounds = building.steps.read(ROUNDS, SimulatedRound)[0]
    cells = {teacher.name: cells_of(building.deployment, teacher_of(data, teacher)) for teacher in data.teachers}
    return seen(candidates, rates, rounds, cells)


def _sft(data: ColdStart, building: Building) -> Done:
    with closing(building.deployment.call_log()) as log, graders_of(building.deployment) as graders:
        classes = Voting(graders).classes
        found: list[Conversation] = []
        rounds_in = 0
        for rounds in seen_in(data, building):
            rounds_in += len(rounds)
            keys = [key for one in rounds for key in _calls(one)]
            calls = {call.key: call for call in log.calls(dict.fromkeys(keys))}
            found += [made for one in rounds for made in conversations(one, calls.get, classes)]
    made = building.steps.write(SFT, Conversation, found, _parents(building, SFT))
    by_role: dict[str, int] = {}
    for one in found:
        by_role[one.role] = by_role.get(one.role, 0) + 1
    groups = len({one.group for one in found})
    return Done(made, found, {
        "rounds": dg.MetadataValue.text(f"{groups} of {rounds_in} rounds have a right final answer"),
        "by_role": text_table(("role", "conversations"), [(role, str(count)) for role, count in sorted(by_role.items())]),
    })  # fmt: skip


def _calls(seen: SeenRound) -> Iterator[str]:
    """Keys of all calls of a round."""
    made = seen.round
    yield from (rollout.trace.call for rollout in made.rollouts)
    yield from (check.trace.call for check in made.verifications)
    yield from (summed.trace.call for summed in made.summaries)
    yield from (write.trace.call for write in made.memory.writes)
