"""Which partitions of an experiment Dagster knows as failed: last planned in a run that failed, and not made since.

A campaign plans no partition, so its last run is asked for by itself. Leaves out what is said of it:
`engine/score_checks/failed_partitions.py`.
"""

from collections.abc import Iterator, Sequence

import dagster as dg

from tmas_assets.assets.cells import PARTS
from tmas_assets.assets.keys import experiment_key
from tmas_assets.engine.score_checks.failed_partitions import FailedCampaign, FailedPartition
from tmas_assets.records import Experiment
from tmas_assets.records.finding import LONGEST_SAMPLE

_TOGETHER = 100
"""Runs in one query."""
_LONGEST = 200
"""Characters of a reason."""


def failed_partitions(instance: dg.DagsterInstance, experiment: Experiment, retired: frozenset[str]) -> Sequence[FailedPartition]:
    """By asset and partition; `retired`: keys of retired problems. Why is asked of the runs of the first few, since that reads logs."""
    # the same that the UI counts as failed, though Dagster gives it no public name
    storage = instance.event_log_storage
    attempts = {
        (part, partition): run
        for part in PARTS
        for partition, (run, _) in storage.get_latest_asset_partition_materialization_attempts_without_materializations(
            experiment_key(experiment, part)
        ).items()
    }
    failed = _failed(instance, sorted(set(attempts.values())))
    standing = sorted((part, partition, run) for (part, partition), run in attempts.items() if run in failed)
    asked = list(dict.fromkeys(run for _, _, run in standing))[:LONGEST_SAMPLE]
    reasons = {run: _reason(instance, run) for run in asked}
    return [
        FailedPartition(part, partition, run, reasons.get(run, "failed"), partition.rpartition("|")[2] in retired)
        for part, partition, run in standing
    ]


def failed_campaign(instance: dg.DagsterInstance, experiment: Experiment) -> FailedCampaign | None:
    """The last campaign, where it failed."""
    runs = instance.get_runs(dg.RunsFilter(job_name=f"{experiment.name}_campaign"), limit=1)
    if not runs or runs[0].status != dg.DagsterRunStatus.FAILURE:
        return None
    return FailedCampaign(runs[0].run_id, f"the last campaign failed: {_reason(instance, runs[0].run_id)}")


def _failed(instance: dg.DagsterInstance, runs: Sequence[str]) -> set[str]:
    return {
        run.run_id
        for start in range(0, len(runs), _TOGETHER)
        for run in instance.get_runs(dg.RunsFilter(run_ids=list(runs[start : start + _TOGETHER])))
        if run.status == dg.DagsterRunStatus.FAILURE
    }


def _reason(instance: dg.DagsterInstance, run: str) -> str:
    """In one line, as the first step that failed says it; a run that was killed has none."""
    return next(_reasons(instance, run), "it ended without a step saying why")


def _reasons(instance: dg.DagsterInstance, run: str) -> Iterator[str]:
    kinds = {dg.DagsterEventType.STEP_FAILURE}
    for record in instance.all_logs(run, of_type=kinds):
        event = record.dagster_event
        data = event.step_failure_data if event is not None else None
        if data is None:
            continue
        own = data.user_failure_data.description if data.user_failure_data is not None else None
        text = own or (data.error.message if data.error is not None else "")
        if line := " ".join(text.split()):
            yield line if len(line) <= _LONGEST else line[: _LONGEST - 1] + "…"
