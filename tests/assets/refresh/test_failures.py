"""The sensor `failures`: on from the start, one line a failed run, whatever the webhook does."""

import logging
from collections.abc import Iterator

import dagster as dg
import pytest

from resources import alerts
from tests.resources.test_alerts import webhook
from tmas_assets.assets.faults import permanent
from tmas_assets.assets.refresh.failures import failure_sensor, told_of
from tmas_assets.assets.run_tags import CAMPAIGN, DATA_SET, NO_RETRY, TRAINING


@pytest.fixture
def instance() -> Iterator[dg.DagsterInstance]:
    with dg.DagsterInstance.ephemeral() as made:
        yield made


def failed(instance: dg.DagsterInstance, tag: str = CAMPAIGN) -> dg.RunFailureSensorContext:
    """A run of demo whose step failed for good, as the daemon hands it to the sensor."""

    @dg.op
    def cells() -> None:
        raise permanent(RuntimeError("the benchmark file is gone"))

    @dg.job(name="demo_campaign", tags={tag: "demo", **NO_RETRY}, executor_def=dg.in_process_executor)
    def campaign() -> None:
        cells()

    done = campaign.execute_in_process(instance=instance, raise_on_error=False)
    event = next(one for one in done.all_events if one.event_type_value == "PIPELINE_FAILURE")
    context = dg.build_run_status_sensor_context("failures", event, instance, done.dagster_run)
    return context.for_run_failure()


def test_a_failed_run_is_one_line_with_experiment_job_run_step_and_reason(instance, monkeypatch, caplog):
    monkeypatch.delenv(alerts.WEBHOOK, raising=False)
    monkeypatch.delenv(alerts.WEBSERVER, raising=False)
    context = failed(instance)
    sensor = failure_sensor()
    assert sensor.default_status == dg.DefaultSensorStatus.RUNNING
    with caplog.at_level(logging.WARNING, logger="tmas"):
        sensor(context)
    (line,) = [record.getMessage() for record in caplog.records if record.name == "tmas"]
    assert line == f"demo: demo_campaign failed in run {context.dagster_run.run_id} at cells: the benchmark file is gone"
    assert instance.get_run_by_id(context.dagster_run.run_id).tags["dagster/retry_on_asset_or_op_failure"] == "false"


@pytest.mark.parametrize("tag", [CAMPAIGN, TRAINING, DATA_SET])
def test_what_failed_is_named_by_what_its_run_is_of(instance, tag):
    assert told_of(failed(instance, tag)).experiment == "demo"


def test_a_webhook_is_asked_once_and_its_own_failure_does_not_fail_the_sensor(instance, monkeypatch, caplog):
    context = failed(instance)
    with webhook(500) as (url, sent), caplog.at_level(logging.WARNING, logger="tmas"):
        monkeypatch.setenv(alerts.WEBHOOK, url)
        failure_sensor()(context)
    assert len(sent) == 1
    said = [record.getMessage() for record in caplog.records if record.name == "tmas"]
    assert len(said) == 2
    assert "status 500" in said[1]
    assert url not in "".join(said)
