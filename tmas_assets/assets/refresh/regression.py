"""The promise `no_regression` of `<experiment>/summary`: its score is not significantly lower than the last one that passed.

Every campaign of an experiment with `refresh` keeps what its summary scored, compares, says the check, and fails in its last step where the
score is lower: by then everything is stored. Studies, leaderboard and pages do not wait for it. A summary made in the UI is judged by the
same check. Leaves out how scores are compared: `engine/regression.py`.
"""

from dataclasses import dataclass

import dagster as dg
from pydantic import Field

from resources.deployment import Deployment
from resources.parquet_store import StoreFault
from tmas_assets.assets.evaluations import evaluation, target_of
from tmas_assets.assets.events import Metadata
from tmas_assets.assets.faults import cells_of, permanent
from tmas_assets.assets.keys import experiment_key
from tmas_assets.assets.pinning import pinned_in_run
from tmas_assets.assets.summary import summary_address
from tmas_assets.benchmarks import benchmark
from tmas_assets.engine.history import History, KeptSummary, ScoredSummary, Verdict
from tmas_assets.engine.regression import verdict
from tmas_assets.records import Experiment, Score
from tmas_assets.statistics import ProblemTally

PROMISE = "no_regression"


class RegressionConfig(dg.Config):
    accept: bool = Field(default=False, description="take the present score as the one to go on from, though it is lower")


@dataclass(frozen=True)
class Judged:
    """A summary and what was found of it."""

    summary: str
    verdict: Verdict


def is_judged(experiment: Experiment) -> bool:
    """Whether its scores are held against each other: those of an experiment that is refreshed and has golds."""
    return experiment.refresh is not None and benchmark(experiment.benchmark.name).has_gold


def judge(deployment: Deployment, experiment: Experiment, *, accept: bool = False) -> Judged:
    """Keep what the stored summary scored, where it is not the newest that is kept, and compare it. One that was judged before is not
    judged again: a regression stays one. One that a person accepted stays accepted, whatever the level is by now. Raises a `Failure` where
    there is no summary, or the store refuses."""
    assert experiment.refresh is not None
    cells = cells_of(deployment, experiment)
    history, level = History(cells.store, experiment.name), experiment.refresh.level
    try:
        scores, stored = cells.store.read_stored(summary_address(cells, "scores"), Score)
        last = history.last()
        if last is not None and last.summary == stored.digest and last.verdict.level == level and (last.verdict.passed or not accept):
            return Judged(stored.digest, last.verdict)
        now = ScoredSummary(
            summary=stored.digest, variant=cells.variant, models=cells.models, repeats=cells.experiment.repeats, scores=scores,
            tallies=cells.store.read(summary_address(cells, "tallies"), ProblemTally),
        )  # fmt: skip
        standing = history.last_passed()
        accepted = standing is not None and standing.summary == stored.digest and standing.verdict.accepted
        found = verdict(now, history.last_passed(but=stored.digest), level=level, accept=accept or accepted)
        if any(score.answers for score in scores):
            fields = {name: getattr(now, name) for name in ScoredSummary.model_fields}
            history.keep(KeptSummary(**fields, number=history.next_number(), verdict=found))
    except StoreFault as fault:
        raise permanent(fault) from fault
    return Judged(stored.digest, found)


def judged_metadata(found: Judged) -> Metadata:
    one = found.verdict
    compared = (
        {
            "difference": dg.MetadataValue.float(one.difference),
            "interval": dg.MetadataValue.text(f"[{one.low:+.4f}, {one.high:+.4f}] at {one.level:g}"),
            "iteration": dg.MetadataValue.text(f"t{one.iteration:02d}"),
        }
        if one.difference is not None
        else {}
    )
    return {
        "said": dg.MetadataValue.text(one.said),
        **compared,
        "problems": dg.MetadataValue.int(one.problems),
        "summary": dg.MetadataValue.text(found.summary),
        "compared_with": dg.MetadataValue.text(one.before or "none"),
    }


def result(found: Judged) -> dg.AssetCheckResult:
    return dg.AssetCheckResult(
        passed=found.verdict.passed, severity=dg.AssetCheckSeverity.ERROR, description=found.verdict.said,
        metadata=dict(judged_metadata(found)),
    )  # fmt: skip


def regression_op(experiment: Experiment, urgency: str) -> dg.OpDefinition:
    """The last step of a campaign. Fails for good where the score is lower, after it has said the check."""

    @dg.op(
        name=f"{experiment.name}_{PROMISE}",
        ins={"start": dg.In(dg.Nothing)},
        tags={"dagster/priority": urgency},
        description="Is the score significantly lower than the last one that passed? Then this step fails; everything is stored.",
    )
    def no_regression(context: dg.OpExecutionContext, config: RegressionConfig, deployment: Deployment) -> None:
        key = experiment_key(experiment, "summary")
        found = judge(deployment, pinned_in_run(context, deployment, experiment), accept=config.accept)
        said = evaluation(result(found), key, PROMISE, target_of(context.instance, key))
        context.log_event(said)  # type: ignore[arg-type]  # taken, and not among the types that it states
        context.log.info(found.verdict.said)
        if not found.verdict.passed:
            raise permanent(RuntimeError(f"{experiment.name}: {found.verdict.said}"))

    return no_regression


def regression_check(experiment: Experiment) -> dg.AssetChecksDefinition:
    """The same as an asset check, for a summary that is materialized by itself."""

    @dg.asset_check(
        asset=experiment_key(experiment, "summary"),
        name=PROMISE,
        description="Pass@1 is not significantly lower than in the last summary that passed, by the paired interval.",
    )
    def no_regression(context: dg.AssetCheckExecutionContext, deployment: Deployment) -> dg.AssetCheckResult:
        found = judge(deployment, pinned_in_run(context.op_execution_context, deployment, experiment))
        return result(found)

    return no_regression
