"""Dagster's own daemon refreshes: a schedule that a person switched on, ticking each minute, launches the campaign."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import contextmanager
from pathlib import Path

import dagster as dg
from dagster._core.test_utils import create_test_daemon_workspace_context
from dagster._core.workspace.load_target import WorkspaceFileTarget

from tests.scripted import launch
from tests.whole import campaign
from tests.whole.refreshing import adding, sums, write_problems
from tmas_assets.records import Experiment

PATIENCE = 240.0


@contextmanager
def daemon(asked: Experiment, folder: Path):
    """In a session of its own; ends with the block."""
    with (folder / "daemon.log").open("wb") as log:
        process = subprocess.Popen(
            [sys.executable, "-W", "ignore", "-m", "dagster._daemon", "run", "-w", "workspace.yaml"],
            cwd=folder, env=campaign.environment(asked, folder), stdin=subprocess.DEVNULL, stdout=log, stderr=subprocess.STDOUT,
            start_new_session=True,
        )  # fmt: skip
    try:
        yield process
    finally:
        os.killpg(process.pid, signal.SIGTERM)
        try:
            process.wait(60)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait(30)


def until(look: Callable[[], object], folder: Path) -> None:
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        if look():
            return
        time.sleep(0.5)
    raise AssertionError(f"not within {PATIENCE:g} s; the daemon says:\n{(folder / 'daemon.log').read_text()[-4000:]}")


def test_the_daemon_launches_the_campaign_of_a_schedule_that_was_switched_on(tmp_path, monkeypatch):
    write_problems(tmp_path, 2)
    with launch.thread(script=adding) as server:
        asked = sums(server.url, tmp_path, refresh={"cron": "* * * * *", "time_zone": "Pacific/Auckland"})
        for name, value in campaign.environment(asked, tmp_path).items():
            if name.startswith(("TMAS_", "DAGSTER_")):
                monkeypatch.setenv(name, value)
        home = tmp_path / "dagster"
        (home / "dagster.yaml").write_text("telemetry: {enabled: false}\nfreshness: {enabled: false}\n")
        (tmp_path / "workspace.yaml").write_text(
            "load_from:\n  - python_module: {module_name: tests.whole.refresh_location, location_name: tmas, "
            f"working_directory: {campaign.ROOT}}}\n"
        )
        with dg.DagsterInstance.get() as instance:
            target = WorkspaceFileTarget([str(tmp_path / "workspace.yaml")])
            with create_test_daemon_workspace_context(target, instance) as workspace:
                (repository,) = workspace.create_request_context().get_code_location("tmas").get_repositories().values()
                schedule = repository.get_schedule("nightly_refresh")
                assert schedule.get_current_instigator_state(None).status.value in ("DECLARED_IN_CODE", "STOPPED")
                instance.start_schedule(schedule)
            with daemon(asked, tmp_path):
                until(lambda: [run for run in instance.get_runs() if run.is_success], tmp_path)
            (run,) = instance.get_runs()
            assert run.job_name == "nightly_campaign"
            assert run.tags["tmas/refresh"].startswith("20")
            assert instance.fetch_materializations(dg.AssetKey(["nightly", "summary"]), limit=5).records
        assert server.stats()["paths"]["/v1/chat/completions"] == 4

