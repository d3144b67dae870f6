"""The checks of `<experiment>/summary`: the evidence is read once, and every promise looks at it.

They look at the score that stands: the one Dagster was last told of, also where a newer checkpoint came since. No model is asked and
no server started. Leaves out the promises (`engine/score_checks/`) and Dagster's own checks (`checks/summaries.py`).
"""

from collections.abc import Callable, Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass

import dagster as dg

from partitions.keys import problem_key
from resources.calls.call_log import CallLog
from resources.deployment import Deployment
from resources.parquet_store import Address, MissingFile, OtherSchema
from resources.serving.vllm_server import VllmServer
from tmas_assets.assets.evaluations import evaluations
from tmas_assets.assets.events import last_materialization
from tmas_assets.assets.faults import PERMANENT, permanent, table_of
from tmas_assets.assets.keys import experiment_key
from tmas_assets.assets.scored_models import as_scored, behind, models_of, pinned_or_stated
from tmas_assets.assets.standing_failures import failed_campaign, failed_partitions
from tmas_assets.assets.summary import summary_address
from tmas_assets.benchmarks import BenchmarkError, benchmark
from tmas_assets.engine.cells import CellStore
from tmas_assets.engine.gathering import gather
from tmas_assets.engine.judging import Judge, LoggedJudgements
from tmas_assets.engine.pinned_release import check_pinned_release
from tmas_assets.engine.problems import ProblemTable
from tmas_assets.engine.score_checks import (
    answers_complete,
    current_grades,
    current_summary,
    failed_answers,
    logged_tokens,
    parse_errors,
    sandboxed_code,
    truncations,
    unchanged_problems,
    verified_models,
    verifier_calibration,
)
from tmas_assets.engine.score_checks import failed_partitions as standing
from tmas_assets.engine.score_checks.evidence import Evidence, StoredSummary, evidence
from tmas_assets.engine.team import identities, identity
from tmas_assets.records import Experiment, Score
from tmas_assets.records.finding import Finding, finding_of
from tmas_assets.reports.standing import LeaderboardRow
from tmas_assets.statistics import ProblemTally

_OF_ALL = (verified_models, current_summary, unchanged_problems, logged_tokens, answers_complete, standing, parse_errors, truncations)
_OF_GRADED = (current_grades, failed_answers, sandboxed_code, verifier_calibration)


def promises(experiment: Experiment) -> Mapping[str, str]:
    """What each check says, by name. Without golds nothing is promised of grades."""
    modules = (*_OF_ALL, *(_OF_GRADED if benchmark(experiment.benchmark.name).has_gold else ()))
    return {module.PROMISE: module.SAID for module in modules}


def log_evaluations(context: dg.OpExecutionContext, deployment: Deployment, experiment: Experiment) -> None:
    """Every check, for a run that has no step of the checks' own; one that fails is said in the run's log as well. Raises as `findings`."""
    key = experiment_key(experiment, "summary")
    told = list(findings(deployment, context.instance, experiment))
    for said in evaluations(context.instance, key, told):
        context.log_event(said)  # type: ignore[arg-type]  # taken, though Dagster's annotation leaves it out
    if broken := [one for one in told if not one.passed and one.severity == "error"]:
        context.log.warning(f"{len(broken)} checks of {key.to_user_string()} failed, first {broken[0].promise}: {broken[0].said}")


def findings(deployment: Deployment, instance: dg.DagsterInstance, experiment: Experiment) -> Iterator[Finding]:
    """What every check finds. One that cannot be looked at fails alone. Raises a `Failure` where the problems, the cells or
    the call log cannot be read at all."""
    table = table_of(deployment, experiment)
    try:
        with closing(deployment.call_log()) as log:
            told = _Looking(deployment, instance, experiment, table, log).findings()
            yield from (one for one in told if one.promise in promises(experiment))
    except (*PERMANENT, BenchmarkError) as fault:
        raise permanent(fault) from fault


@dataclass(frozen=True)
class _Looking:
    deployment: Deployment
    instance: dg.DagsterInstance
    experiment: Experiment
    table: ProblemTable
    log: CallLog

    def findings(self) -> Iterator[Finding]:
        vllm = self.deployment.vllm()
        last = self._last_settings()
        stated = as_scored(self.experiment, self.deployment, last) or pinned_or_stated(self.experiment, vllm)
        models = models_of(stated, vllm)
        if lost := [one for one in models if one.identity is None and not one.judges_only]:
            yield verified_models.check_verified_models(models, None)
            name = lost[0].name
            for promise in promises(self.experiment):
                if promise != verified_models.PROMISE:
                    yield _not_looked_at(promise, f"the model {name} is not there, and without its identity no cell can be told").model_copy(
                        update={"severity": "warn", "cure": f"See {verified_models.PROMISE}"}
                    )
            return
        cells = CellStore(self.deployment.store(), stated, identities(stated, vllm))
        problems = self.table.select((), stated.benchmark.limit)
        seen = evidence(cells, self.table, problems, gather(cells, problems), _stored(cells))
        was, elsewhere = self._elsewhere(seen, last)
        looks: Mapping[str, Callable[[], Finding]] = {
            verified_models.PROMISE: lambda: verified_models.check_verified_models(models, seen, was),
            current_summary.PROMISE: lambda: current_summary.check_current_summary(seen, elsewhere or behind(self.experiment, stated, vllm)),
            unchanged_problems.PROMISE: lambda: unchanged_problems.check_unchanged_problems(seen, self._release()),
            logged_tokens.PROMISE: lambda: logged_tokens.check_logged_tokens(seen, self.log),
            answers_complete.PROMISE: lambda: answers_complete.check_answers_complete(seen),
            standing.PROMISE: lambda: self._failed(seen),
            parse_errors.PROMISE: lambda: parse_errors.check_parse_errors(seen),
            truncations.PROMISE: lambda: truncations.check_truncations(seen),
            current_grades.PROMISE: lambda: current_grades.check_current_grades(seen, self._judge(stated, vllm)),
            failed_answers.PROMISE: lambda: failed_answers.check_failed_answers(seen),
            sandboxed_code.PROMISE: lambda: sandboxed_code.check_sandboxed_code(seen),
            verifier_calibration.PROMISE: lambda: verifier_calibration.check_verifier_calibration(seen),
        }
        for promise, look in looks.items():
            try:
                told = look()
            except (*PERMANENT, BenchmarkError) as fault:  # of what this one reads besides the cells; the others need not wait for it
                told = _not_looked_at(promise, str(fault))
            yield told

    def _last_settings(self) -> str | None:
        """Under which settings the summary lies that Dagster was last told of."""
        last = last_materialization(self.instance, experiment_key(self.experiment, "summary"))
        settings = last.asset_materialization.metadata.get("settings") if last is not None and last.asset_materialization is not None else None
        return str(settings.value) if settings is not None else None

    def _elsewhere(self, seen: Evidence, last: str | None) -> tuple[str | None, str | None]:
        """The identities of the last summary where those are other ones; and why it is not of the present settings."""
        if last is None or last == seen.cells.variant:
            return None, None
        try:
            row = seen.cells.store.read(Address((seen.name, "summary"), ("leaderboard_row",), last), LeaderboardRow)[0]
        except (MissingFile, OtherSchema) as fault:
            return None, f"the last one is of other settings ({last}): {fault}"
        now = ", ".join(dict.fromkeys(seen.cells.models))
        if set(row.identity.split(", ")) == set(seen.cells.models):
            return None, f"the last one is of the settings {last}, the file states {seen.cells.variant} by now"
        return row.identity, f"the last one is of the model {row.identity[:40]}, which is {now[:40]} by now"

    def _release(self) -> Finding | None:
        choice = self.experiment.benchmark
        if benchmark(choice.name).own_files is not None:
            return None
        return check_pinned_release(choice, self.table, self.deployment.store(), self.deployment.downloads)

    def _failed(self, seen: Evidence) -> Finding:
        retired = {problem_key(one.id) for one in self.table.retired} - {problem_key(one.id) for one in self.table.problems}
        return standing.check_failed_partitions(
            seen.name, failed_partitions(self.instance, self.experiment, frozenset(retired)), failed_campaign(self.instance, self.experiment),
            expected=seen.expected, missing=len(seen.passed_over),
        )  # fmt: skip

    def _judge(self, stated: Experiment, vllm: VllmServer) -> Judge | None:
        """As it would judge today, from the log alone."""
        if stated.judge is None:
            return None
        model = identity(stated.endpoints[stated.judge.endpoint], vllm)
        return Judge.of(stated, model, LoggedJudgements(self.log, model))


def _not_looked_at(promise: str, why: str) -> Finding:
    return finding_of(promise, f"not looked at: {why}", 0).model_copy(update={"passed": False})


def _stored(cells: CellStore) -> StoredSummary | None:
    store = cells.store
    try:
        scores = store.read(summary_address(cells, "scores"), Score)
        tallies = store.read(summary_address(cells, "tallies"), ProblemTally)
        row = store.read(summary_address(cells, "leaderboard_row"), LeaderboardRow)[0]
    except (MissingFile, OtherSchema):
        return None
    return StoredSummary(scores, tallies, row)
