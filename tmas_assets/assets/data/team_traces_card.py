"""The data card of a set of team traces: facts from its files. Leaves out how a card reads (`reports/data_card.py`)."""

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
from tmas_assets.assets.data.plan import CARD, FILTERED, QUESTIONS, SCREENING, TRACES, Plan
from tmas_assets.assets.data.step import Building, Done, step_asset
from tmas_assets.assets.data.team_traces import CONVERSATIONS, FILTERS, JUDGED, KEPT
from tmas_assets.curation.trace_filters import FilterCount
from tmas_assets.engine.building.derived import attempt_of, references_of, reviews_of
from tmas_assets.records import Conversation, FilteredTrace, PublishedTrace, Question, TeamTrace, TeamTraces
from tmas_assets.reports.card_facts import CardFacts, TargetFacts, TeacherFacts
from tmas_assets.reports.card_tallies import domain_counts, name_counts
from tmas_assets.reports.card_yaml import settings_yaml
from tmas_assets.reports.length_panels import length_rows, trace_panels
from tmas_assets.reports.report_rows import Setting
from tmas_assets.strategies import strategy_digest

_STEPS = (*SCREENING, QUESTIONS, TRACES, FILTERED)


def team_traces_card(data: TeamTraces, plan: Plan) -> dg.AssetsDefinition:
    return step_asset(
        data, plan, CARD, lambda building: _card(data, building),
        "The data card: sources, licences, what each filter dropped, domains, the team, lengths, known limits.",
    )  # fmt: skip


def _card(data: TeamTraces, building: Building) -> Done:
    steps = building.steps
    questions = steps.read(QUESTIONS, Question)[0]
    traces = steps.read(TRACES, TeamTrace)[0]
    judged = steps.read(FILTERED, FilteredTrace, JUDGED)[0]
    kept, kept_file = steps.read(FILTERED, TeamTrace, KEPT)
    file = steps.read(FILTERED, PublishedTrace)[1]
    talks_file = steps.read(FILTERED, Conversation, CONVERSATIONS)[1]
    panels = trace_panels(kept)
    origin = {one.candidate.problem.id: one.candidate.source for one in questions}
    attempts = [attempt_of(data, attempt) for attempt in sorted({trace.attempt for trace in traces})]
    short = data.target - len(kept)
    files = (
        offered("default", "published", file, FILTERED),
        offered("traces", "traces", kept_file, FILTERED, KEPT),
        offered("conversations", "conversations", talks_file, FILTERED, CONVERSATIONS),
    )
    facts = CardFacts(
        name=data.name,
        kind="team_traces",
        description=data.description,
        seed=data.seed,
        settings=settings_yaml(data),
        sources=source_facts(data, steps, Counter(origin[trace.question] for trace in kept)),
        licences=name_counts(trace.licence for trace in kept),
        screening=counts_of(steps, (*SCREENING, QUESTIONS, FILTERED)),
        compared=compared(steps),
        targets=(
            TargetFacts(set=FILTERED, asked=data.target, made=len(kept), why="no question is left to try" if short > 0 else ""),
        ),
        teachers=(_team(traces, len(kept)),),
        models=model_uses(building, [
            ("reviews", reviews_of(data)), ("references", references_of(data)), *(("team", made) for made in attempts[:1]),
        ]),
        lengths=length_rows(panels),
        digests=tuple(
            Setting(name=made.name, value=strategy_digest(made.strategy)) for made in (references_of(data), *attempts)
        ),
        files=tuple(one.facts for one in files),
        domains=domain_counts(questions, traces, judged),
        filters=steps.read(FILTERED, FilterCount, FILTERS)[0],
        traces_kept=sum(one.kept for one in judged),
        format_faults=name_counts(one.format_fault.partition(": ")[2] for one in judged if one.format_fault),
        partial=partial_of(steps, _STEPS),
    )
    return write_card(data, building, facts, files, panels)


def _team(traces: tuple[TeamTrace, ...], rows: int) -> TeacherFacts:
    outcomes = Counter(trace.outcome for trace in traces)
    solvers = {turn.model for trace in traces for turn in trace.turns if turn.role == "problem_solver"}
    return TeacherFacts(
        name="team", model=", ".join(sorted(solvers)), weight=1, rows=rows, right=outcomes["right"],
        wrong=outcomes["wrong"], ungraded=outcomes["undecided"] + outcomes["failed"],
    )  # fmt: skip
