"""dagster.yaml of a laptop and of a deployment: a real instance takes each, and every promise of theirs is in force there."""

from collections.abc import Iterator, Mapping
from pathlib import Path

import dagster as dg
import pytest
import yaml
from dagster._core.definitions.run_request import InstigatorType
from dagster._core.events import RunFailureReason
from dagster._core.execution.retries import auto_reexecution_should_retry_run
from dagster._core.op_concurrency_limits_counter import GlobalOpConcurrencyLimitsCounter
from dagster._core.run_coordinator.queued_run_coordinator import QueuedRunCoordinator
from dagster._core.scheduler.instigation import TickStatus
from dagster._core.storage.dagster_run import RunOpConcurrency, RunsFilter
from dagster._core.utils import make_new_run_id
from dagster._utils.tags import TagConcurrencyLimitsCounter

from tests.deploy.conftest import DEPLOY, ROOT, document
from tmas_assets.assets.cells import POOL as MODEL_SERVER
from tmas_assets.assets.training.checkpoint_assets import POOL as TRAINER
from tmas_assets.commands.dagster_home import POOLS, limit_pools, prepare_dagster_home


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("DAGSTER_HOME", str(tmp_path / "dagster"))
    return prepare_dagster_home()


@pytest.fixture
def instance(home: Path) -> Iterator[dg.DagsterInstance]:
    with dg.DagsterInstance.from_config(str(home)) as made:
        yield made


def test_the_deployments_file_differs_from_the_laptops_in_storage_and_number_of_runs_only():
    laptop, deployed = document(ROOT / "dagster.yaml"), document(DEPLOY / "compose" / "dagster.yaml")
    assert deployed.pop("storage") == {"postgres": {"postgres_url": {"env": "DAGSTER_POSTGRES_URL"}}}
    assert deployed["concurrency"]["runs"].pop("max_concurrent_runs") > laptop["concurrency"]["runs"].pop("max_concurrent_runs")
    assert deployed == laptop


def test_one_trainer_runs_at_a_time_and_four_campaigns(instance):
    assert POOLS == {MODEL_SERVER: 4, TRAINER: 1}
    for pool, limit in POOLS.items():
        for _ in range(limit):
            assert not _waits(instance, pool)
            _run(instance, dg.DagsterRunStatus.STARTED, pool)
        assert _waits(instance, pool)
    assert _waits(instance, "a_pool_that_nobody_has_named") is False
    _run(instance, dg.DagsterRunStatus.STARTED, "a_pool_that_nobody_has_named")
    assert _waits(instance, "a_pool_that_nobody_has_named") is True


def test_a_limit_that_somebody_has_set_stays(home, instance):
    instance.event_log_storage.set_concurrency_slots(MODEL_SERVER, 9)
    prepare_dagster_home()
    assert {pool.name: pool.limit for pool in instance.event_log_storage.get_pool_limits()} == {MODEL_SERVER: 9, TRAINER: 1}


def test_a_pool_that_had_the_limit_of_all_pools_is_given_its_own(tmp_path):
    (tmp_path / "dagster.yaml").write_text("concurrency: {pools: {default_limit: 1}}")
    with dg.DagsterInstance.from_config(str(tmp_path)) as other:
        other.event_log_storage.initialize_concurrency_limit_to_default(MODEL_SERVER)
        assert [(pool.limit, pool.from_default) for pool in other.event_log_storage.get_pool_limits()] == [(1, True)]
        limit_pools(other)
        assert {pool.name: pool.limit for pool in other.event_log_storage.get_pool_limits()} == POOLS


def test_a_second_campaign_of_one_experiment_waits_and_one_of_another_does_not(instance):
    assert isinstance(instance.run_coordinator, QueuedRunCoordinator)
    queue = instance.get_concurrency_config().run_queue_config
    assert queue is not None
    assert queue.max_concurrent_runs == 4
    first = _run(instance, dg.DagsterRunStatus.STARTED, tags={"tmas/campaign": "one"})
    counter = TagConcurrencyLimitsCounter(list(queue.tag_concurrency_limits), [first])
    assert counter.is_blocked(_run(instance, dg.DagsterRunStatus.NOT_STARTED, tags={"tmas/campaign": "one"}))
    assert not counter.is_blocked(_run(instance, dg.DagsterRunStatus.NOT_STARTED, tags={"tmas/campaign": "two"}))


@pytest.mark.parametrize(
    ("reason", "again"),
    [(RunFailureReason.RUN_EXCEPTION, True), (RunFailureReason.UNKNOWN, True), (RunFailureReason.STEP_FAILURE, False)],
)
def test_a_run_that_crashed_is_tried_once_more_and_a_step_that_failed_is_not(instance, reason, again):
    failed = _run(instance, dg.DagsterRunStatus.FAILURE)
    assert auto_reexecution_should_retry_run(instance, failed, reason) is again


def test_runs_whose_worker_is_gone_are_found_and_give_their_place_in_a_pool_back(instance):
    assert instance.run_monitoring_enabled
    assert instance.run_monitoring_poll_interval_seconds == 30
    assert instance.run_monitoring_start_timeout_seconds == 300
    assert instance.run_monitoring_cancel_timeout_seconds == 120
    assert instance.run_monitoring_settings["free_slots_after_run_end_seconds"] == 60
    assert instance.run_launcher.supports_check_run_worker_health is not None


def test_old_ticks_are_removed_sooner_the_less_they_say(instance):
    for kind in (InstigatorType.SCHEDULE, InstigatorType.SENSOR, InstigatorType.AUTO_MATERIALIZE):
        days = instance.get_tick_retention_settings(kind)
        assert 0 < days[TickStatus.SKIPPED] < days[TickStatus.SUCCESS] <= days[TickStatus.FAILURE] < 366


def test_freshness_is_watched_and_nothing_is_sent_anywhere(instance):
    assert instance.freshness_enabled
    assert not instance.telemetry_enabled
    assert not instance.nux_enabled


def test_a_misspelt_field_is_refused(tmp_path):
    faulty = document(ROOT / "dagster.yaml")
    faulty["run_monitoring"]["poll_seconds"] = faulty["run_monitoring"].pop("poll_interval_seconds")
    (tmp_path / "dagster.yaml").write_text(yaml.safe_dump(faulty))
    with pytest.raises(dg.DagsterInvalidConfigError, match="poll_seconds"):
        dg.DagsterInstance.from_config(str(tmp_path))


def _run(
    instance: dg.DagsterInstance, status: dg.DagsterRunStatus, pool: str | None = None, tags: Mapping[str, str] | None = None
) -> dg.DagsterRun:
    pools = RunOpConcurrency(root_key_counts={}, has_unconstrained_root_nodes=True, all_pools={pool}) if pool else None
    run = dg.DagsterRun(job_name="job", run_id=make_new_run_id(), status=status, tags=dict(tags or {}), run_op_concurrency=pools)
    return instance.add_run(run)


def _waits(instance: dg.DagsterInstance, pool: str) -> bool:
    """Whether one more run in the pool would stay in the queue."""
    next_one, storage = _run(instance, dg.DagsterRunStatus.NOT_STARTED, pool), instance.event_log_storage

    def blocked() -> bool:
        return GlobalOpConcurrencyLimitsCounter(
            instance, [next_one], instance.get_run_records(RunsFilter(statuses=[dg.DagsterRunStatus.STARTED])),
            storage.get_concurrency_keys(), storage.get_pool_limits(),
            pool_granularity=instance.get_concurrency_config().pool_config.pool_granularity,
        ).is_blocked(next_one)  # fmt: skip

    blocked()  # a pool without a limit of its own is given that of all pools, and from then on it is held to it
    return blocked()
