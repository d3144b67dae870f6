"""Which partitions of an experiment Dagster knows as failed: last planned in a run that failed, and not made since.

A campaign plans no partition, so the last one, the experiment's own or its study's, is asked for by itself. Leaves out what is said of it:
`engine/score_checks/failed_partitions.py`.
"""

from collections.abc import Iterator, Sequence

import dagster as dg
from dagster._core.execution.stats import StepEventStatus

from partitions.keys import cell_key
from tmas_assets.assets.cells import PARTS
from tmas_assets.assets.keys import experiment_key
from tmas_assets.assets.run_tags import campaign_name
from tmas_assets.assets.step_reasons import UNSAID, step_reason
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
        FailedPartition(part, partition, run, reasons.get(run, "failed"), cell_key(partition).problem in retired)
        for part, partition, run in standing
    ]


def failed_campaign(instance: dg.DagsterInstance, experiment: Experiment) -> FailedCampaign | None:
    """The last campaign that had to make its cells, its own or that of its study, where it failed before it had made them."""
    step = f"{experiment.name}_cells"
    runs = [record for record in _last_campaigns(instance, experiment.name) if step in _steps(instance, record.dagster_run)]
    last = max(runs, key=lambda record: record.storage_id, default=None)
    if last is None or last.dagster_run.status != dg.DagsterRunStatus.FAILURE:
        return None
    run = last.dagster_run.run_id
    found = [one.status for one in instance.get_run_step_stats(run, [step])]
    if found == [StepEventStatus.SUCCESS]:
        return None  # another member's failed, or a later step
    return FailedCampaign(run, f"the last campaign failed: {_reason(instance, run, step if StepEventStatus.FAILURE in found else None)}")


def _last_campaigns(instance: dg.DagsterInstance, name: str) -> Iterator[dg.RunRecord]:
    """The last run of each job that may have the experiment's steps: a member is called `<study>_<label>`."""
    words = name.split("_")
    for count in range(1, len(words) + 1):
        yield from instance.get_run_records(dg.RunsFilter(job_name=campaign_name("_".join(words[:count]))), limit=1)


def _steps(instance: dg.DagsterInstance, run: dg.DagsterRun) -> Sequence[str]:
    return instance.get_job_snapshot(run.job_snapshot_id).node_names if run.job_snapshot_id is not None else ()


def _failed(instance: dg.DagsterInstance, runs: Sequence[str]) -> set[str]:
    return {
        run.run_id
        for start in range(0, len(runs), _TOGETHER)
        for run in instance.get_runs(dg.RunsFilter(run_ids=list(runs[start : start + _TOGETHER])))
        if run.status == dg.DagsterRunStatus.FAILURE
    }


def _reason(instance: dg.DagsterInstance, run: str, step: str | None = None) -> str:
    """In one line, as `step` says it, or the first step that failed; a run that was killed has none."""
    return next(_reasons(instance, run, step), "it ended without a step saying why")


def _reasons(instance: dg.DagsterInstance, run: str, step: str | None) -> Iterator[str]:
    for record in instance.all_logs(run, of_type={dg.DagsterEventType.STEP_FAILURE}):
        event = record.dagster_event
        if event is not None and step in (None, event.step_key) and (text := step_reason(event)) != UNSAID:
            line = " ".join(text.split())
            yield line if len(line) <= _LONGEST else line[: _LONGEST - 1] + "…"
