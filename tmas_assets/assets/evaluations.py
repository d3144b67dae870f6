"""What Dagster is told of a finding: the result of a check's own step, or an evaluation that a run without such a step logs.

Leaves out finding anything.
"""

from collections.abc import Iterator, Sequence

import dagster as dg

# Dagster names no public class for what an evaluation was made of; without it the UI takes it for one of an older materialization
from dagster._core.definitions.asset_checks.asset_check_evaluation import (
    AssetCheckEvaluationTargetMaterializationData as Target,
)

from tmas_assets.assets.events import last_materialization
from tmas_assets.assets.metadata import text_table
from tmas_assets.records.finding import Finding


def result(finding: Finding, key: dg.AssetKey) -> dg.AssetCheckResult:
    tables = {
        name: text_table(("id", "what"), [(offence.id, offence.what) for offence in offences])
        for name, offences in (("offending", finding.offences), ("listed", finding.listed))
        if offences
    }
    return dg.AssetCheckResult(
        check_name=finding.promise,
        asset_key=key,
        passed=finding.passed,
        severity=dg.AssetCheckSeverity.WARN if finding.severity == "warn" else dg.AssetCheckSeverity.ERROR,
        description=finding.said,
        metadata={
            "looked_at": finding.looked_at,
            "offending_ids": dg.MetadataValue.json([offence.id for offence in finding.offences]),
            **({"cure": dg.MetadataValue.text(finding.cure)} if finding.cure and not finding.passed else {}),
            **{one.name: dg.MetadataValue.float(one.value) for one in finding.measures},
            **tables,
        },
    )


def target_of(instance: dg.DagsterInstance, key: dg.AssetKey, partition: str | None = None) -> Target | None:
    """The materialization that stands, for an evaluation to be of it; None where there is none."""
    last = last_materialization(instance, key, partition)
    return Target(storage_id=last.storage_id, run_id=last.run_id, timestamp=last.timestamp) if last is not None else None


def evaluations(
    instance: dg.DagsterInstance, key: dg.AssetKey, findings: Sequence[Finding]
) -> Iterator[dg.AssetCheckEvaluation]:
    """The same for a run that has no step of the checks' own, of the materialization of the unpartitioned `key` that stands."""
    of = target_of(instance, key)
    for finding in findings:
        yield evaluation(result(finding, key), key, finding.promise, of)


def evaluation(
    found: dg.AssetCheckResult, key: dg.AssetKey, name: str, of: Target | None, partition: str | None = None
) -> dg.AssetCheckEvaluation:
    """What a step that is not the check's own logs of `found`. `of`: the materialization it is of (`target_of`)."""
    return dg.AssetCheckEvaluation(
        asset_key=key,
        check_name=name,
        passed=found.passed,
        metadata=dict(found.metadata or {}),
        target_materialization_data=of,
        severity=found.severity,
        description=found.description,
        partition=partition,
    )
