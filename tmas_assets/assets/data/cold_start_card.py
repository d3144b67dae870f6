"""The data card of a cold-start set: facts from its files. Leaves out how a card reads (`reports/data_card.py`)."""

from collections import Counter

import dagster as dg

from tmas_assets.assets.data.card import (
    compared,
    counts_of,
    model_uses,
    offered,
    partial_of,
    source_facts,
    write_card,
)
from tmas_assets.assets.data.plan import BAND, CARD, RATES, ROUNDS, SCREENING, SFT, Plan
from tmas_assets.assets.data.step import Building, Done, step_asset
from tmas_assets.curation.balance import difficulty
from tmas_assets.engine.building.derived import pass_rates_of, teacher_of
from tmas_assets.records import (
    ROW_SOURCES,
    ColdStart,
    Conversation,
    PassRate,
    RlRow,
    SimulatedRound,
    SourceProblem,
)
from tmas_assets.reports.card_facts import CardFacts, TargetFacts
from tmas_assets.reports.card_tallies import name_counts, pass_rate_bins, strata, teacher_facts
from tmas_assets.reports.card_yaml import settings_yaml
from tmas_assets.reports.length_panels import conversation_panels, length_rows, prompt_panels
from tmas_assets.reports.report_rows import Setting
from tmas_assets.strategies import strategy_digest

_STEPS = (*SCREENING, RATES, BAND, ROUNDS)


def cold_start_card(data: ColdStart, plan: Plan) -> dg.AssetsDefinition:
    return step_asset(
        data, plan, CARD, lambda building: _card(data, building),
        "The data card: sources, licences, what each filter dropped, difficulty, teachers, lengths, known limits.",
    )  # fmt: skip


def _card(data: ColdStart, building: Building) -> Done:
    steps = building.steps
    sets = {source: steps.read(source, RlRow) for source in ROW_SOURCES}
    rows = [row for found, _ in sets.values() for row in found]
    sft, sft_file = steps.read(SFT, Conversation)
    kept = [one.problem.id for one in steps.read(BAND, SourceProblem)[0]]
    rounds = steps.read(ROUNDS, SimulatedRound)[0]
    panels = (*prompt_panels(rows), *conversation_panels(sft))
    teachers = [(teacher, teacher_of(data, teacher)) for teacher in data.teachers]
    baseline = pass_rates_of(data)
    files = (
        *(offered(source, "rl_prompts", file, source) for source, (_, file) in sets.items()),
        offered(SFT, "conversations", sft_file, SFT),
    )
    facts = CardFacts(
        name=data.name,
        kind="cold_start",
        description=data.description,
        seed=data.seed,
        settings=settings_yaml(data),
        sources=source_facts(data, steps, Counter(row.extra_info.origin for row in rows)),
        licences=name_counts(row.extra_info.licence for row in rows),
        screening=counts_of(steps, (*SCREENING, BAND)),
        compared=compared(steps),
        targets=tuple(
            TargetFacts(set=source, asked=data.targets.of(source), made=len(found), why=_why(data.targets.of(source), len(found)))
            for source, (found, _) in sets.items()
        ),
        teachers=teacher_facts(data.teachers, rounds, rows),
        models=model_uses(building, [("pass rates", baseline), *((f"teacher {one.name}", made) for one, made in teachers)]),
        lengths=length_rows(panels),
        digests=tuple(
            Setting(name=made.name, value=strategy_digest(made.strategy)) for made in (baseline, *(made for _, made in teachers))
        ),
        files=tuple(one.facts for one in files),
        pass_rates=pass_rate_bins(steps.read(RATES, PassRate)[0], kept),
        pass_rate_samples=data.pass_rates.samples,
        strata=strata(rows, lambda row: difficulty(row.extra_info.p_base)),
        partial=partial_of(steps, _STEPS),
    )
    return write_card(data, building, facts, files, panels)


def _why(asked: int, made: int) -> str:
    return "no more rows with a prompt of their own" if made < asked else ""
