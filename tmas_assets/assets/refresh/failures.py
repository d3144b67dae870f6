"""The sensor `failures`: every failed run of the location is a line in the log, and goes to a webhook where one is set.

Switched on from the start: it costs nothing and launches nothing. It needs Dagster's daemon, like every sensor. Leaves out the delivery and
what makes a text safe to show: `resources/alerts.py`.
"""

import logging

import dagster as dg

from resources.alerts import Alert, alert, deliver
from tmas_assets.assets.refresh.tags import CAMPAIGN

_log = logging.getLogger("tmas")


def failure_sensor() -> dg.SensorDefinition:
    @dg.run_failure_sensor(
        name="failures",
        default_status=dg.DefaultSensorStatus.RUNNING,
        description="Tells every failed run: a line in the log, and JSON to the webhook that TMAS_ALERT_WEBHOOK names.",
    )
    def failures(context: dg.RunFailureSensorContext) -> None:
        told = told_of(context)
        _log.error(told.line)
        if (fault := deliver(told)) is not None:
            _log.warning(fault)

    return failures


def told_of(context: dg.RunFailureSensorContext) -> Alert:
    run = context.dagster_run
    step, reason = _cause(context)
    return alert(run.tags.get(CAMPAIGN, run.job_name), run.job_name, run.run_id, step, reason)


def _cause(context: dg.RunFailureSensorContext) -> tuple[str | None, str]:
    """The first step that failed by itself, with the sentence it gave; else what Dagster says of the run."""
    for event in context.get_step_failure_events():
        data = event.step_failure_data
        if data.user_failure_data is not None and data.user_failure_data.description:
            return event.step_key, data.user_failure_data.description
        if data.error is not None:
            inner = data.error
            while inner.cause is not None:
                inner = inner.cause
            return event.step_key, inner.message
    return None, context.failure_event.message or "no reason given"
