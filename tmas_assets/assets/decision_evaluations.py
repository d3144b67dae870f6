"""What Dagster is told of the checks of a decision: evaluations on `<experiment>/decision`, one partition a hypothesis.

They read what is stored; the arithmetic is run once more in the sandbox, so that no result is taken on its own word. Leaves
out what each check looks at: `engine/decision_checks.py`.
"""

import asyncio
import math
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor

import dagster as dg

from resources.deployment import Deployment
from resources.sandbox.bubblewrap import SandboxFault
from tmas_assets.assets.decision_parts import DECISION, key, settings_for
from tmas_assets.assets.evaluations import evaluation, target_of
from tmas_assets.assets.faults import graders_of
from tmas_assets.assets.metadata import text_table
from tmas_assets.engine.decision_checks import ARITHMETIC, CHECKS
from tmas_assets.records import Calculation, Experiment
from tmas_assets.reports.decision_report import Check, DecisionReport, Outcome
from tmas_assets.strategies import Ran
from tmas_assets.strategies.team_decision.calculation import computed, computing

_RAN = ("confirmed", "corrected", "computed")


def checked(deployment: Deployment, experiment: Experiment, report: DecisionReport) -> tuple[Check, ...]:
    """Every check of a report, the arithmetic run again."""
    return tuple(recomputed(deployment, experiment, report, one) if one.name == ARITHMETIC else one for one in report.checks)


def result(check: Check) -> dg.AssetCheckResult:
    return dg.AssetCheckResult(
        passed=check.outcome == "passed",
        severity=dg.AssetCheckSeverity.ERROR if check.outcome == "failed" else dg.AssetCheckSeverity.WARN,
        description=f"not yet: {check.said}" if check.outcome == "not yet" else check.said,
        metadata={"offending": text_table(("what",), [(text,) for text in check.offences])} if check.offences else {},
    )


def evaluated(instance: dg.DagsterInstance, experiment: Experiment, partition: str) -> bool:
    """Whether every check was evaluated on the materialization of the decision that stands."""
    keys = [dg.AssetCheckKey(key(experiment, DECISION), name) for name in CHECKS]
    found = instance.event_log_storage.get_asset_check_partition_info(keys, partition_keys=[partition])
    return len(found) == len(keys) and all(one.is_current for one in found)


def evaluations(
    instance: dg.DagsterInstance, experiment: Experiment, partition: str, checks: Sequence[Check]
) -> Iterator[dg.AssetCheckEvaluation]:
    """The same for a run that has no step of the checks' own, of the materialization of the decision that stands."""
    asset = key(experiment, DECISION)
    of = target_of(instance, asset, partition)
    for check in checks:
        yield evaluation(result(check), asset, check.name, of, partition)


def recomputed(deployment: Deployment, experiment: Experiment, report: DecisionReport, check: Check) -> Check:
    """`check` with every stored result run again; one that comes out otherwise is an offence, and a grave one."""
    stored = [
        (voice.turn, one)
        for repeat in report.repeats
        for voice in repeat.standing
        for one in (voice.finding.calculations if voice.finding else ())
        if one.status in _RAN
    ]
    work = computing([one for _, one in stored])
    if work.program is None:
        return check
    try:
        ran = _run(deployment, work.program)
    except SandboxFault as fault:
        text = f"{len(stored)} results could not be run again here: {fault}"
        return check.model_copy(update={"outcome": "warning", "offences": (*check.offences, text)})
    again = computed(work, ran, tolerance=settings_for(experiment).tolerance)
    wrong = tuple(
        f"{turn} {one.name}: {one.result} is stored and {now.result} comes out"
        for (turn, one), now in zip(stored, again, strict=True)
        if not _same(one, now)
    )
    said = f"{check.said}; {len(stored)} run again, {len(wrong)} came out otherwise"
    outcome: Outcome = "failed" if wrong else check.outcome
    return check.model_copy(update={"outcome": outcome, "said": said, "offences": (*check.offences, *wrong)})


def _run(deployment: Deployment, program: str) -> Ran:
    # a thread of its own, since the step's thread may be inside somebody's event loop
    with graders_of(deployment) as graders, ThreadPoolExecutor(1) as thread:
        return thread.submit(asyncio.run, graders.run_code(program)).result()


def _same(stored: Calculation, now: Calculation) -> bool:
    return (
        stored.result is not None and now.result is not None and math.isclose(stored.result, now.result, rel_tol=1e-9, abs_tol=1e-12)
    )
