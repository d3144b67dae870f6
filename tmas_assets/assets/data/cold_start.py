"""From clean problems to cold-start rows: pass rates, the difficulty band, teachers' rounds, RL prompts, conversations.

Models are asked by the set's derived experiments (`engine/building/derived.py`), so nothing is asked twice and a killed build goes
on where it was.
"""

from collections.abc import Iterator, Sequence

import dagster as dg

from resources.parquet_store import Parent
from tmas_assets.assets.cells import POOL
from tmas_assets.assets.data.plan import BAND, CLEAN, RATES, ROUNDS, Plan
from tmas_assets.assets.data.playing import cells, model, play
from tmas_assets.assets.data.step import Building, Done, refuse_nothing, step_asset
from tmas_assets.assets.metadata import text_table
from tmas_assets.curation.allotment import teacher_for
from tmas_assets.curation.difficulty import in_band
from tmas_assets.curation.drawing import drawn
from tmas_assets.engine.building.derived import pass_rates_of, teacher_of
from tmas_assets.engine.building.pass_rates import rates
from tmas_assets.engine.building.simulation import said
from tmas_assets.records import (
    ColdStart,
    Experiment,
    PassRate,
    SimulatedRound,
    SourceProblem,
    Teacher,
)


def simulation_assets(data: ColdStart, plan: Plan, models: Sequence[dg.AssetDep] = ()) -> list[dg.AssetsDefinition]:
    """`models`: checkpoints that baseline and teachers are."""
    return [
        step_asset(
            data, plan, RATES, lambda building: rates_step(data, building),
            f"How often {data.pass_rates.samples} plain samples of the baseline model are right, problem by problem.",
            kinds=("vllm",), pool=POOL, models=models,
        ),
        step_asset(
            data, plan, BAND, lambda building: band_step(data, building),
            f"Problems with a pass rate over {data.pass_rates.above:g} and under {data.pass_rates.below:g}.",
        ),
        step_asset(
            data, plan, ROUNDS, lambda building: rounds_step(data, building),
            "TMAS rounds that the teachers play on the problems: five agents, two banks, graded.", kinds=("vllm",), pool=POOL,
            models=models,
        ),
    ]  # fmt: skip


def rates_step(data: ColdStart, building: Building) -> Done:
    came, file = building.steps.read(CLEAN, SourceProblem)
    asked = drawn(came, data.pass_rates.problems, weights=_weights(data), seed=data.seed)
    experiment = pass_rates_of(data)
    outcome = play(building, experiment, asked, 1)
    found = tuple(rates(cells(building, experiment), model(building, experiment), asked))
    made = building.steps.write(RATES, PassRate, found, [Parent(CLEAN, file.digest)], partial=outcome.budget)
    return Done(made, found, _of_rates(found))


def band_step(data: ColdStart, building: Building) -> Done:
    came, file = building.steps.read(CLEAN, SourceProblem)
    measured, rates_file = building.steps.read(RATES, PassRate)
    found = in_band(came, {one.problem: one for one in measured}, data.pass_rates)
    refuse_nothing(building, BAND, *found)
    made_from = [Parent(CLEAN, file.digest), Parent(RATES, rates_file.digest)]
    made = building.steps.write(BAND, SourceProblem, found.kept, made_from, dropped=found.dropped)
    return Done(made, found.kept)


def rounds_step(data: ColdStart, building: Building) -> Done:
    came, file = building.steps.read(BAND, SourceProblem)
    rates_read, rates_file = building.steps.read(RATES, PassRate)
    measured = {one.problem: one for one in rates_read}
    asked = drawn(came, data.simulation.problems, weights=_weights(data), seed=data.seed, rates=measured)
    found: list[SimulatedRound] = []
    budget: str | None = None
    for teacher in data.teachers:
        own = [one for one in asked if teacher_for(one, data.teachers, data.seed) == teacher]
        experiment = teacher_of(data, teacher)
        outcome = play(building, experiment, own, experiment.iterations)
        budget = budget or outcome.budget
        found += _said(building, experiment, teacher, own)
    made_from = [Parent(BAND, file.digest), Parent(RATES, rates_file.digest)]
    made = building.steps.write(ROUNDS, SimulatedRound, found, made_from, partial=budget)
    by_teacher = [
        (teacher.name, *_account([one for one in found if one.teacher == teacher.name])) for teacher in data.teachers
    ]
    shown = {"by_teacher": text_table(("teacher", "model", "problems", "rounds", "right", "wrong", "ungraded"), by_teacher)}
    return Done(made, found, shown)


def _said(building: Building, experiment: Experiment, teacher: Teacher, own: Sequence[SourceProblem]) -> Iterator[SimulatedRound]:
    played, solver = cells(building, experiment), model(building, experiment)
    for one in own:
        yield from said(played, teacher.name, solver, one.problem, range(experiment.iterations))


def _account(rounds: Sequence[SimulatedRound]) -> tuple[str, ...]:
    return (
        rounds[0].teacher_model if rounds else "",
        str(len({one.problem for one in rounds})),
        str(len(rounds)),
        *(str(sum(getattr(one, name) for one in rounds)) for name in ("right", "wrong", "ungraded")),
    )


def _weights(data: ColdStart) -> dict[str, float]:
    return {source.name: source.weight for source in data.sources}


def _of_rates(found: Sequence[PassRate]) -> dict[str, dg.MetadataValue]:
    known = [one.p for one in found if one.p is not None]
    return {
        "mean_pass_rate": dg.MetadataValue.float(round(sum(known) / len(known), 4) if known else 0.0),
        "never_solved": dg.MetadataValue.int(sum(p == 0 for p in known)),
        "always_solved": dg.MetadataValue.int(sum(p == 1 for p in known)),
        "samples_not_graded": dg.MetadataValue.int(sum(one.ungraded for one in found)),
    }
