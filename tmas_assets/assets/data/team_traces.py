"""From clean problems to filtered traces of a team: questions, traces, filters, and the two forms they are exported in.

Reviews are single requests; reference solutions and traces are made by the set's derived experiments.
"""

from collections import Counter
from collections.abc import Sequence
from contextlib import closing
from typing import NamedTuple

import dagster as dg

from resources.parquet_store import Parent
from tmas_assets.agents import question_review
from tmas_assets.agents.asking import Ask
from tmas_assets.assets.cells import POOL
from tmas_assets.assets.data.plan import CLEAN, FILTERED, QUESTIONS, TRACES, Plan
from tmas_assets.assets.data.playing import cells, play
from tmas_assets.assets.data.step import Building, Done, refuse_nothing, step_asset
from tmas_assets.assets.driving import ask_all
from tmas_assets.assets.metadata import text_table
from tmas_assets.curation import dropped as as_dropped
from tmas_assets.curation.questions import fault, selected
from tmas_assets.curation.trace_filters import FilterCount, dropped_by, filter_counts, filtered, used
from tmas_assets.curation.waves import next_wave
from tmas_assets.engine.building.derived import attempt_of, references_of, reviews_of, team_settings
from tmas_assets.engine.building.references import with_references
from tmas_assets.engine.building.traces import stored_traces
from tmas_assets.records import (
    ChatRequest,
    Conversation,
    Dropped,
    FilteredTrace,
    PublishedTrace,
    Question,
    SourceProblem,
    TeamTrace,
    TeamTraces,
)
from tmas_assets.records.seeds import seed_of
from tmas_assets.training.trace_exports import conversations, published

JUDGED, KEPT, CONVERSATIONS, FILTERS = "judged", "traces", "conversations", "filters"
"""Parts of `filtered`: every trace's verdicts, the kept traces in full, their conversations, and what each filter does."""


def trace_assets(data: TeamTraces, plan: Plan, models: Sequence[dg.AssetDep] = ()) -> list[dg.AssetsDefinition]:
    """`models`: checkpoints that reviewer and team are."""
    return [
        step_asset(
            data, plan, QUESTIONS, lambda building: _questions(data, building),
            "Questions that are hard, need several disciplines, have a long reference solution, and are spread over domains.",
            kinds=("vllm",), pool=POOL, models=models,
        ),
        step_asset(
            data, plan, TRACES, lambda building: _traces(data, building),
            f"What a team (mas_tts) did on the questions, call by call, until {data.target} traces pass the filters.",
            kinds=("vllm",), pool=POOL, models=models,
        ),
        step_asset(
            data, plan, FILTERED, lambda building: _filtered(data, building),
            f"Traces that agree, keep the form and are right, in the published columns. Target: {data.target}.",
        ),
    ]  # fmt: skip


def _questions(data: TeamTraces, building: Building) -> Done:
    came, file = building.steps.read(CLEAN, SourceProblem)
    reviewing = reviews_of(data)
    asked = ask_all(building.deployment, reviewing, [_review(data, one) for one in came], run=building.run)
    if asked.unavailable:
        raise dg.Failure(f"{data.name}: {asked.unavailable} Reviews that came are kept; materialize {QUESTIONS} again.")
    unread = {"reference": "", "reference_tokens": None, "reference_right": None, "reference_model": "", "reference_call": ""}
    reviewed, unasked = [], []
    for candidate, call in zip(came, asked.calls, strict=True):
        if call is None:
            unasked.append(as_dropped(candidate, "not reviewed", asked.budget or "no reply"))
            continue
        review = question_review.read(call)
        domain = review.disciplines[0] if review.disciplines else "unknown"
        reviewed.append(Question(candidate=candidate, review=review, domain=domain, **unread))
    # a reference is paid for where nothing else speaks against the question
    worth = [one for one in reviewed if (found := fault(one, data.selection)) is not None and found[0] == "reference failed"]
    solving = references_of(data)
    outcome = play(building, solving, [one.candidate for one in worth], 1)
    solved = {one.candidate.problem.id: one for one in with_references(cells(building, solving), worth)}
    chosen = selected(
        [solved.get(one.candidate.problem.id, one) for one in reviewed], data.selection, seed=data.seed
    )
    dropped = (*chosen.dropped, *unasked)
    refuse_nothing(building, QUESTIONS, chosen.kept, dropped)
    made = building.steps.write(
        QUESTIONS, Question, chosen.kept, [Parent(CLEAN, file.digest)], dropped=dropped,
        partial=asked.budget or outcome.budget,
    )
    domains = Counter(one.domain for one in chosen.kept)
    by_domain = text_table(("domain", "questions"), [(name, str(count)) for name, count in sorted(domains.items())])
    return Done(made, chosen.kept, {"by_domain": by_domain})


def _review(data: TeamTraces, candidate: SourceProblem) -> ChatRequest:
    experiment, role = reviews_of(data), question_review.ROLE
    place = Ask(
        sampling=experiment.sampling(role),
        seed=seed_of(data.seed, candidate.problem.digest, role),
        sample=role,
        affinity=candidate.problem.digest,
        structured=experiment.endpoints[experiment.endpoint_of(role)].structured_output,
    )
    return question_review.ask(candidate.problem, place, limits=team_settings(data).limits)


def _traces(data: TeamTraces, building: Building) -> Done:
    questions, file = building.steps.read(QUESTIONS, Question)
    traces: list[TeamTrace] = []
    kept: set[str] = set()
    tried: Counter[str] = Counter()
    partial: str | None = None
    with closing(building.deployment.call_log()) as log:
        while partial is None:
            wave = next_wave(questions, kept=kept, attempted=tried, target=data.target, attempts=data.attempts)
            if wave is None:
                break
            experiment = attempt_of(data, wave.attempt)
            outcome = play(building, experiment, [one.candidate for one in wave.questions], experiment.iterations)
            found = stored_traces(cells(building, experiment), log, wave.questions, attempt=wave.attempt)
            traces += found.traces
            tried.update(one.candidate.problem.id for one in wave.questions)
            kept |= {trace.question for trace in found.traces if filtered(trace, data.filters).kept}
            partial = outcome.budget
    made = building.steps.write(TRACES, TeamTrace, traces, [Parent(QUESTIONS, file.digest)], partial=partial)
    by_attempt = Counter(trace.attempt for trace in traces)
    shown = text_table(("attempt", "traces"), [(str(attempt), str(count)) for attempt, count in sorted(by_attempt.items())])
    return Done(made, traces, {"by_attempt": shown, "questions_tried": dg.MetadataValue.int(len(tried))})


class _Judged(NamedTuple):
    trace: TeamTrace
    question: Question
    verdict: FilteredTrace


def _filtered(data: TeamTraces, building: Building) -> Done:
    questions, questions_file = building.steps.read(QUESTIONS, Question)
    traces, traces_file = building.steps.read(TRACES, TeamTrace)
    by_id = {one.candidate.problem.id: one for one in questions}
    judged = [_Judged(trace, by_id[trace.question], filtered(trace, data.filters)) for trace in traces]
    verdicts = [one.verdict for one in judged]
    taken = used(verdicts, list(by_id), target=data.target)
    places = {(one.question, one.attempt): at for at, one in enumerate(taken)}
    chosen = sorted(
        (one for one in judged if (one.trace.question, one.trace.attempt) in places),
        key=lambda one: places[one.trace.question, one.trace.attempt],
    )
    made_from = [Parent(QUESTIONS, questions_file.digest), Parent(TRACES, traces_file.digest)]
    counts = filter_counts(verdicts, data.filters)
    steps = building.steps
    steps.part(FILTERED, JUDGED, FilteredTrace, verdicts, made_from)
    steps.part(FILTERED, FILTERS, FilterCount, counts, made_from)
    steps.part(FILTERED, KEPT, TeamTrace, [one.trace for one in chosen], made_from)
    steps.part(FILTERED, CONVERSATIONS, Conversation, [made for one in chosen for made in conversations(one.trace)], made_from)
    rows = [published(one.trace, one.question) for one in chosen]
    out = [_left(one, data) for one in judged if (one.trace.question, one.trace.attempt) not in places]
    made = steps.write(FILTERED, PublishedTrace, rows, made_from, dropped=out)
    if len(rows) < data.target:
        building.log(
            f"{FILTERED}: {len(rows)} of {data.target} traces: no question is left to try. More source problems, more attempts, or "
            "another team make more; nothing is repeated."
        )
    filters = text_table(
        ("filter", "drops", "judged", "failed", "failed this one alone"),
        [(one.filter, "yes" if one.on else "no", str(one.judged), str(one.failed), str(one.only)) for one in counts],
    )
    shown = {
        "filters": filters,
        "target": dg.MetadataValue.int(data.target),
        "shortfall": dg.MetadataValue.int(max(0, data.target - len(rows))),
    }
    return Done(made, rows, shown)


def _left(one: _Judged, data: TeamTraces) -> Dropped:
    """Why a trace is not among the kept ones: the first filter it failed, or that it was not needed."""
    failed = dropped_by(one.verdict, data.filters)
    told = {
        "consensus": "solver and critics did not agree", "format": one.verdict.format_fault or "",
        "correctness": f"the chosen answer is {one.trace.outcome}",
    }  # fmt: skip
    if failed:
        return as_dropped(one.question.candidate, failed[0], f"attempt {one.trace.attempt}: {told[failed[0]]}")
    return as_dropped(one.question.candidate, "not needed", f"attempt {one.trace.attempt}: the target was met")
