"""The promises of training data as Dagster's asset checks: on each row set, on a training run's prompts, on filtered traces.

On `<training>/rl_prompts` they block: what is downstream in the same run, a training, does not start where one is broken. They
read the stored files and look up the parents of each row again. Leaves out what each one promises (`training/rl_checks.py`).
"""

from collections.abc import Callable, Iterator, Mapping, Sequence

import dagster as dg
import pyarrow as pa

from resources.deployment import Deployment
from tmas_assets.assets.data.plan import BAND, FILTERED, QUESTIONS, RATES, UNIQUE
from tmas_assets.assets.data.rl_prompts import PROMPTS, prompts_key
from tmas_assets.assets.data.step import step_key
from tmas_assets.assets.data.team_traces import JUDGED, KEPT
from tmas_assets.assets.evaluations import result
from tmas_assets.assets.faults import PERMANENT, cells_of, permanent
from tmas_assets.curation.contamination import contaminated, indexed
from tmas_assets.engine.building.derived import DataSet, teacher_of, teacher_settings
from tmas_assets.engine.building.evaluations import evaluation_sets
from tmas_assets.engine.building.parents import RowParents, by_parent
from tmas_assets.engine.building.steps import Steps
from tmas_assets.records import (
    ROW_SOURCES,
    BenchmarkChoice,
    ColdStart,
    FilteredTrace,
    PassRate,
    Problem,
    PublishedTrace,
    Question,
    RlRow,
    RowCounts,
    RowSource,
    SourceProblem,
    TeamTrace,
    TeamTraces,
    Training,
)
from tmas_assets.records.finding import Finding, Offence, finding_of
from tmas_assets.training.rl_checks import (
    check_distinct_prompts,
    check_pass_rates,
    check_rerendering,
    check_roles,
    check_schema,
    check_targets,
    check_verdict_classes,
)

_ROWS = {
    "schema": "The file has just the columns and types of the record.",
    "targets_met": "As many rows as asked for; nothing is repeated to get there.",
    "no_contamination": "No row's problem is one that a benchmark or an experiment here measures models on.",
    "pass_rates": "p_base lies inside [0, 1] and is the measured pass rate of the very problem.",
    "distinct_prompts": "No two rows have one prompt.",
    "roles": "A prompt begins with one system message and ends with the user's.",
    "prompts_render_again": "Every prompt renders again, word for word, from the problem, round and memory that the row names.",
}
_CLASSES = {"verdict_classes": "Guideline rows of both verdict classes: tried strategies that led to a right answer, and that did not."}
_TRACES = {
    "schema": "The file has just the published columns.",
    "targets_met": "As many traces as asked for.",
    "no_contamination": "No question is one that a benchmark or an experiment here measures models on.",
    "filters_hold": "Every trace is the first of its question that passes all filters that are on.",
}


def row_checks(data: ColdStart, measured: Sequence[BenchmarkChoice]) -> list[dg.AssetChecksDefinition]:
    """On each of the three row sets."""
    return [_row_checks(data, measured, source) for source in ROW_SOURCES]


def _row_checks(data: ColdStart, measured: Sequence[BenchmarkChoice], source: RowSource) -> dg.AssetChecksDefinition:
    promises = {**_ROWS, **(_CLASSES if source == "guideline" else {})}

    def find(deployment: Deployment) -> Iterator[Finding]:
        return _of_rows(deployment, data, measured, Steps(deployment.store(), data.name), source, (source,))

    return _checks(step_key(data.name, source), promises, find)


def prompts_checks(training: Training, data: ColdStart, measured: Sequence[BenchmarkChoice]) -> dg.AssetChecksDefinition:
    """On what a training run is prompted with; they block it."""
    sources = training.prompted.sources
    promises = {**_ROWS, **(_CLASSES if "guideline" in sources else {})}

    def find(deployment: Deployment) -> Iterator[Finding]:
        return _of_rows(deployment, data, measured, Steps(deployment.store(), training.name), PROMPTS, sources)

    return _checks(prompts_key(training.name), promises, find, blocking=True)


def _of_rows(
    deployment: Deployment, data: ColdStart, measured: Sequence[BenchmarkChoice], steps: Steps, step: str, sources: Sequence[RowSource]
) -> Iterator[Finding]:
    rows, _ = steps.read(step, RlRow)
    own = Steps(steps.store, data.name)
    targets = RowCounts(**{source: data.targets.of(source) if source in sources else 0 for source in ROW_SOURCES})
    candidates = {one.problem.id: one for one in own.read(BAND, SourceProblem)[0]}
    yield check_schema(_schema(steps, step), RlRow)
    yield check_targets(rows, targets)
    problems = {row.extra_info.problem: candidates.get(row.extra_info.problem) for row in rows}
    yield _clean(deployment, data, measured, {name: one.problem if one else None for name, one in problems.items()})
    yield check_pass_rates(rows, own.read(RATES, PassRate)[0])
    yield check_distinct_prompts(rows)
    yield check_roles(rows)
    parents = RowParents(
        candidates, {teacher.name: cells_of(deployment, teacher_of(data, teacher)) for teacher in data.teachers}
    )
    yield check_rerendering(sorted(rows, key=by_parent), parents, teacher_settings(data))
    if "guideline" in sources:
        yield check_verdict_classes(rows, targets.guideline)


def trace_checks(data: TeamTraces, measured: Sequence[BenchmarkChoice]) -> dg.AssetChecksDefinition:
    """On filtered traces."""

    def find(deployment: Deployment) -> Iterator[Finding]:
        steps = Steps(deployment.store(), data.name)
        rows, _ = steps.read(FILTERED, PublishedTrace)
        kept, _ = steps.read(FILTERED, TeamTrace, KEPT)
        questions = {one.candidate.problem.id: one.candidate.problem for one in steps.read(QUESTIONS, Question)[0]}
        yield check_schema(_schema(steps, FILTERED), PublishedTrace)
        missed = [Offence(id=FILTERED, what=f"{len(rows)} traces of {data.target}")] if len(rows) != data.target else []
        yield finding_of("targets_met", f"{len(rows)} traces of {data.target}", len(rows), missed, most=None)
        yield _clean(deployment, data, measured, {trace.question: questions.get(trace.question) for trace in kept})
        yield _filters_hold(kept, steps.read(FILTERED, FilteredTrace, JUDGED)[0])

    return _checks(step_key(data.name, FILTERED), _TRACES, find)


def _filters_hold(kept: Sequence[TeamTrace], judged: Sequence[FilteredTrace]) -> Finding:
    passed: dict[str, int] = {}
    for one in judged:
        if one.kept:
            passed[one.question] = min(one.attempt, passed.get(one.question, one.attempt))
    offences = [
        Offence(id=trace.question, what=f"attempt {trace.attempt} is kept; the first that passes is {passed.get(trace.question, 'none')}")
        for trace in kept
        if passed.get(trace.question) != trace.attempt
    ]
    return finding_of("filters_hold", f"{len(kept)} traces pass every filter that is on", len(kept), offences, most=None)


def _clean(
    deployment: Deployment, data: DataSet, measured: Sequence[BenchmarkChoice], problems: Mapping[str, Problem | None]
) -> Finding:
    """Compared anew with the evaluation sets as they are here now; a warning where there is none to compare with."""
    settings = data.screening.decontamination
    evaluations, compared = evaluation_sets(deployment, measured, settings)
    # what is a template shows in the pool that the rows come from
    pool, _ = Steps(deployment.store(), data.name).read(UNIQUE, SourceProblem)
    index = indexed(evaluations, settings, (one.problem.statement for one in pool))
    offences = []
    for name, problem in sorted(problems.items()):
        if problem is None:
            offences.append(Offence(id=name, what="its problem is not among the screened ones"))
        elif (match := contaminated(problem.statement, index)) is not None:
            offences.append(Offence(id=name, what=f"{match.release} {match.problem}, {match.test}"))
    missing = tuple(Offence(id=one.release, what=f"not compared: {one.missing}") for one in compared if one.missing)
    said = f"{len(problems)} problems compared with {len(compared) - len(missing)} of {len(compared)} evaluation releases"
    finding = finding_of("no_contamination", said, len(problems), offences, listed=missing, most=None)
    if evaluations or offences:
        return finding
    return finding.model_copy(update={"passed": False, "severity": "warn", "said": f"{said}: nothing speaks for them"})


def _schema(steps: Steps, step: str) -> pa.Schema:
    return steps.store.columns(steps.address(step))


def _checks(
    key: dg.AssetKey, promises: Mapping[str, str], find: Callable[[Deployment], Iterator[Finding]], *, blocking: bool = False
) -> dg.AssetChecksDefinition:
    @dg.multi_asset_check(
        name=f"check_{'_'.join(key.path)}",
        specs=[dg.AssetCheckSpec(name, asset=key, description=said, blocking=blocking) for name, said in promises.items()],
        description=f"The promises of {key.to_user_string()}.",
        can_subset=True,
    )
    def checks(context: dg.AssetCheckExecutionContext, deployment: Deployment) -> Iterator[dg.AssetCheckResult]:
        try:
            for finding in find(deployment):
                if dg.AssetCheckKey(key, finding.promise) in context.selected_asset_check_keys:
                    yield result(finding, key)
        except PERMANENT as fault:
            raise permanent(fault) from fault

    return checks
