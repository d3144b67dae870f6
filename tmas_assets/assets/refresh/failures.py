"""The sensor `failures`: every failed run of the location is a line in the log, and goes to a webhook where one is set.

Switched on from the start: it costs nothing and launches nothing. It needs Dagster's daemon, like every sensor. Leaves out the delivery and
what makes a text safe to show: `resources/alerts.py`.
"""

import logging

import dagster as dg

from resources.alerts import Alert, alert, deliver
from tmas_assets.assets.run_tags import CAMPAIGN, DATA_SET, TRAINING
from tmas_assets.assets.step_reasons import UNSAID, step_reason

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
    of = next((run.tags[tag] for tag in (CAMPAIGN, TRAINING, DATA_SET) if tag in run.tags), run.job_name)
    return alert(of, run.job_name, run.run_id, step, reason)


def _cause(context: dg.RunFailureSensorContext) -> tuple[str | None, str]:
    """The first step that failed by itself, with the sentence it gave; else what Dagster says of the run."""
    for event in context.get_step_failure_events():
        if (reason := step_reason(event)) != UNSAID:
            return event.step_key, reason
    return None, context.failure_event.message or "no reason given"
