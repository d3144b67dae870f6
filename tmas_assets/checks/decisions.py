"""The promises of a decision as Dagster's asset checks on `<experiment>/decision`, one partition a hypothesis.

They read what is stored; the arithmetic is run once more in the sandbox, so that no result is taken on its own word. Leaves
out what each promises: `engine/decision_promises.py`.
"""

import asyncio
import math
import warnings
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

import dagster as dg

from partitions.axes import problem_axis
from resources.deployment import Deployment
from resources.sandbox.bubblewrap import SandboxFault
from tmas_assets.assets.decision_parts import DECISION, key, settings_for
from tmas_assets.assets.decision_reports import make_report
from tmas_assets.assets.metadata import text_table
from tmas_assets.assets.running import cells_of, graders_of, table_of
from tmas_assets.benchmarks import asset_name
from tmas_assets.engine.decision_promises import ARITHMETIC, PROMISES
from tmas_assets.records import Calculation, Experiment
from tmas_assets.reports.decision_report import DecisionReport, Promise
from tmas_assets.strategies import Ran
from tmas_assets.strategies.team_decision.calculation import computed, computing

_RAN = ("confirmed", "corrected", "computed")


def strategy_checks(experiment: Experiment) -> Sequence[dg.AssetChecksDefinition]:
    """The checks of an experiment that makes decisions; none for others."""
    return [_check(experiment, name) for name in PROMISES] if experiment.strategy.name == "team_decision" else []


def _check(experiment: Experiment, name: str) -> dg.AssetChecksDefinition:
    with warnings.catch_warnings():
        # partitioned checks are a preview in this release; users of the command line cannot do anything about it
        warnings.simplefilter("ignore", dg.PreviewWarning)

        @dg.asset_check(
            asset=key(experiment, DECISION),
            name=name,
            description=PROMISES[name],
            partitions_def=problem_axis(asset_name(experiment.benchmark)),
        )
        def check(context: dg.AssetCheckExecutionContext, deployment: Deployment) -> dg.AssetCheckResult:
            problem = table_of(deployment, experiment).by_key(context.partition_key)
            report = make_report(deployment, cells_of(deployment, experiment), problem)
            promise = next(one for one in report.promises if one.name == name)
            if name == ARITHMETIC:
                promise = recomputed(deployment, experiment, report, promise)
            return _result(promise)

    return check


def _result(promise: Promise) -> dg.AssetCheckResult:
    return dg.AssetCheckResult(
        passed=promise.kept,
        severity=dg.AssetCheckSeverity.ERROR if promise.grave else dg.AssetCheckSeverity.WARN,
        description=promise.said,
        metadata={"offending": text_table(("what",), [(text,) for text in promise.offences])} if promise.offences else {},
    )


def recomputed(deployment: Deployment, experiment: Experiment, report: DecisionReport, promise: Promise) -> Promise:
    """`promise` with every stored result run again; one that comes out otherwise is an offence, and a grave one."""
    stored = [
        (voice.turn, one)
        for repeat in report.repeats
        for voice in repeat.standing
        for one in (voice.finding.calculations if voice.finding else ())
        if one.status in _RAN
    ]
    work = computing([one for _, one in stored])
    if work.program is None:
        return promise
    try:
        ran = _run(deployment, work.program)
    except SandboxFault as fault:
        text = f"{len(stored)} results could not be run again here: {fault}"
        return promise.model_copy(update={"kept": False, "offences": (*promise.offences, text)})
    again = computed(work, ran, tolerance=settings_for(experiment).tolerance)
    wrong = tuple(
        f"{turn} {one.name}: {one.result} is stored and {now.result} comes out"
        for (turn, one), now in zip(stored, again, strict=True)
        if not _same(one, now)
    )
    said = f"{promise.said}; {len(stored)} run again, {len(wrong)} came out otherwise"
    return promise.model_copy(update={
        "kept": promise.kept and not wrong, "grave": bool(wrong), "said": said, "offences": (*promise.offences, *wrong)})  # fmt: skip


def _run(deployment: Deployment, program: str) -> Ran:
    # a thread of its own, since the step's thread may be inside somebody's event loop
    with graders_of(deployment) as graders, ThreadPoolExecutor(1) as thread:
        return thread.submit(asyncio.run, graders.run_code(program)).result()


def _same(stored: Calculation, now: Calculation) -> bool:
    return (
        stored.result is not None and now.result is not None and math.isclose(stored.result, now.result, rel_tol=1e-9, abs_tol=1e-12)
    )
