"""What checks found of a summary that still stands, said again of its new materialization: looking again would read every cell.

Only where every check was evaluated on the materialization before, and nothing that Dagster alone knows (partitions left failed) has to be told.
Leaves out finding anything: `assets/summary_evaluations.py`.
"""

from collections.abc import Sequence

import dagster as dg

from tmas_assets.assets.evaluations import target_of
from tmas_assets.assets.keys import experiment_key
from tmas_assets.assets.standing_failures import failed_partitions
from tmas_assets.assets.summary_evaluations import promises
from tmas_assets.engine.score_checks import failed_partitions as standing
from tmas_assets.records import Experiment


def said_checks(instance: dg.DagsterInstance, experiment: Experiment, before: int | None) -> Sequence[dg.AssetCheckEvaluation] | None:
    """Of the last materialization of the summary, which is the same summary as the one with storage id `before`. None: look again."""
    key = experiment_key(experiment, "summary")
    now = target_of(instance, key)
    if before is None or now is None or failed_partitions(instance, experiment, frozenset()):
        return None
    found = []
    for name in promises(experiment):
        last = _last(instance, dg.AssetCheckKey(key, name))
        of = last.target_materialization_data if last is not None else None
        if last is None or of is None or of.storage_id != before or (name == standing.PROMISE and not last.passed):
            return None
        found.append(dg.AssetCheckEvaluation(
            asset_key=key, check_name=name, passed=last.passed, metadata=last.metadata, target_materialization_data=now,
            severity=last.severity, description=last.description,
        ))  # fmt: skip
    return found


def _last(instance: dg.DagsterInstance, check: dg.AssetCheckKey) -> dg.AssetCheckEvaluation | None:
    records = instance.event_log_storage.get_asset_check_execution_history(check, limit=1)
    event = records[0].event.dagster_event if records and records[0].event is not None else None
    return event.asset_check_evaluation_data if event is not None and event.event_type == dg.DagsterEventType.ASSET_CHECK_EVALUATION else None
