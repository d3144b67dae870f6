"""The nightly schedule of one experiment or study: one campaign a local day, or a reason why there is none.

Dagster's own run key keeps one tick from launching twice, and no more: another tick of the day, after a changed hour or a daemon
that was down, would launch again. So each tick first looks for a run of its day, then for what the campaign needs, and then launches.
Switched off until a person switches it on; in the zone that the file states, never the machine's.
"""

from collections.abc import Sequence
from zoneinfo import ZoneInfo

import dagster as dg

from resources.deployment import Deployment
from tmas_assets.assets.refresh.readiness import missing
from tmas_assets.assets.run_tags import DAY, campaign_name
from tmas_assets.records import Experiment, Refresh


def refresh_schedule(name: str, refresh: Refresh, experiments: Sequence[Experiment]) -> dg.ScheduleDefinition:
    """`name`: of the experiment or study; `experiments`: that its campaign runs."""
    job = campaign_name(name)

    @dg.schedule(
        name=f"{name}_refresh",
        job_name=job,
        cron_schedule=refresh.cron,
        execution_timezone=refresh.time_zone,
        default_status=dg.DefaultScheduleStatus.STOPPED,
        description=f"Once a day what is new of {name}: checkpoints, problems, graders, repeats, iterations. Nothing new costs no model call.",
    )
    def nightly(context: dg.ScheduleEvaluationContext, deployment: Deployment) -> dg.RunRequest | dg.SkipReason:
        day = context.scheduled_execution_time.astimezone(ZoneInfo(refresh.time_zone)).date().isoformat()
        runs = context.instance.get_runs(dg.RunsFilter(job_name=job, tags={DAY: day}), limit=1)
        if runs:
            return dg.SkipReason(
                f"{name} was tried on {day} already: run {runs[0].run_id}, {runs[0].status.value}. Launch {job} to do it again by hand; "
                "it makes only what is missing."
            )
        if faults := missing(deployment, experiments):
            return dg.SkipReason(f"{name} was not refreshed on {day}: {' | '.join(faults)}")
        return dg.RunRequest(run_key=f"{name}:{day}", tags={DAY: day})

    return nightly
