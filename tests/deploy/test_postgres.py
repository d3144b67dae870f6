"""Dagster's storage and the call log in Postgres, by the deployment's dagster.yaml: the bytes of SQLite, and two runs at once."""

import shutil
from contextlib import closing
from pathlib import Path

import dagster as dg
import pytest
from dagster_postgres import PostgresEventLogStorage, PostgresRunStorage, PostgresScheduleStorage

from tests.deploy.conftest import DEPLOY
from tests.resources.postgres import PostgresServer
from tests.scripted import launch
from tests.whole import campaign
from tests.whole.experiments import experiment
from tests.whole.files import contents
from tmas_assets.commands.dagster_home import POOLS, make_schema

PARTS = ("rollouts", "verifier_scores", "memory_bank", "benchmark_scores")


@pytest.fixture
def databases(postgres_server: PostgresServer, monkeypatch: pytest.MonkeyPatch) -> None:
    """As deploy/compose makes them: one of Dagster, one of the call log."""
    names = ("dagster_of_test", "calls_of_test")
    with closing(postgres_server.connect()) as connection, connection.cursor() as cursor:
        for name in names:
            cursor.execute(f"DROP DATABASE IF EXISTS {name} WITH (FORCE)")
            cursor.execute(f"CREATE DATABASE {name}")
    monkeypatch.setenv("DAGSTER_POSTGRES_URL", postgres_server.url(names[0]))
    monkeypatch.setenv("TMAS_CALL_LOG", postgres_server.url(names[1]))


def test_two_campaigns_at_once_on_postgres_pay_once_and_leave_the_bytes_of_one_on_sqlite(databases, postgres_server, tmp_path, monkeypatch):
    with launch.process("--latency", "0.05") as server:
        asked = experiment(server.url, iterations=2)
        with monkeypatch.context() as laptop:
            laptop.delenv("TMAS_CALL_LOG")
            campaign.finish(campaign.start(asked, tmp_path / "sqlite"))
        once = server.stats()["total"]
        home = Path(campaign.environment(asked, tmp_path / "postgres")["DAGSTER_HOME"])
        shutil.copy(DEPLOY / "compose" / "dagster.yaml", home)
        for process in [campaign.start(asked, tmp_path / "postgres") for _ in range(2)]:
            campaign.finish(process)
        assert server.stats()["total"] == 2 * once
    assert contents(tmp_path / "postgres" / "store") == contents(tmp_path / "sqlite" / "store")
    assert [path.name for path in (tmp_path / "postgres").rglob("*") if path.suffix in (".sqlite", ".db")] == []
    assert _rows(postgres_server, "calls_of_test", "calls") == once
    with dg.DagsterInstance.from_config(str(home)) as instance:
        assert isinstance(instance.run_storage, PostgresRunStorage)
        assert isinstance(instance.event_log_storage, PostgresEventLogStorage)
        assert isinstance(instance.schedule_storage, PostgresScheduleStorage)
        runs = instance.get_runs()
        assert [run.status for run in runs] == [dg.DagsterRunStatus.SUCCESS] * 2
        for part in PARTS:
            said = instance.get_materialized_partitions(dg.AssetKey([asked.name, part]))
            assert len(said) == 8, part
        assert {pool.name: pool.limit for pool in instance.event_log_storage.get_pool_limits()} == POOLS


def test_a_home_on_postgres_is_prepared_again_without_a_change(databases, postgres_server, tmp_path, monkeypatch):
    shutil.copy(DEPLOY / "compose" / "dagster.yaml", tmp_path)
    monkeypatch.setenv("DAGSTER_HOME", str(tmp_path))
    make_schema(tmp_path)
    with dg.DagsterInstance.get() as instance:
        instance.event_log_storage.set_concurrency_slots("model_server", 16)
    make_schema(tmp_path)
    with dg.DagsterInstance.get() as instance:
        assert {pool.name: pool.limit for pool in instance.event_log_storage.get_pool_limits()} == POOLS | {"model_server": 16}
    assert _rows(postgres_server, "dagster_of_test", "concurrency_limits") == 2


def _rows(server: PostgresServer, database: str, table: str) -> int:
    with closing(server.connect(database)) as connection, connection.cursor() as cursor:
        cursor.execute(f"SELECT count(*) FROM {table}")
        (count,) = cursor.fetchone()
    return int(count)
