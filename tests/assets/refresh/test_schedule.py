"""The nightly schedule: off at first, in its own zone, once a local day, and a reason wherever it launches nothing."""

import json
import threading
from collections.abc import Iterator
from datetime import UTC, datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import dagster as dg
import pytest

from resources.deployment import Deployment
from tests.scripted import launch
from tests.scripted.server import Settings
from tests.whole.experiments import deployment, endpoint
from tests.whole.refreshing import sums, write_problems
from tmas_assets.assets.refresh.schedule import refresh_schedule
from tmas_assets.records import Experiment, Refresh

NIGHT = datetime(2026, 3, 4, 1, 15, tzinfo=UTC)
KEY = "sk-planted-7f3c9a2e5d8b4061"


@pytest.fixture(scope="module")
def instance(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dg.DagsterInstance]:
    """A context of a schedule opens its instance anew, so one on disk."""
    home = tmp_path_factory.mktemp("dagster")
    (home / "dagster.yaml").write_text("telemetry: {enabled: false}\n")
    with dg.DagsterInstance.local_temp(str(home)) as made:
        yield made


@pytest.fixture
def server() -> Iterator[launch.Running]:
    with launch.thread() as running:
        yield running


def tick(asked: Experiment, place: Deployment, instance: dg.DagsterInstance, at: datetime = NIGHT) -> dg.RunRequest | dg.SkipReason:
    assert asked.refresh is not None
    schedule = refresh_schedule(asked.name, asked.refresh, [asked])
    with dg.build_schedule_context(instance=instance, scheduled_execution_time=at, resources={"deployment": place}) as context:
        return schedule(context)  # type: ignore[return-value]


def launched(instance: dg.DagsterInstance, asked: Experiment, request: dg.RunRequest) -> None:
    """The daemon's part."""

    @dg.job(name=f"{asked.name}_campaign")
    def campaign() -> None: ...

    instance.create_run_for_job(campaign, tags=dict(request.tags))


def test_it_is_off_at_first_and_reads_its_cron_in_the_zone_of_the_file(tmp_path: Path) -> None:
    asked = sums("http://127.0.0.1:9/v1", tmp_path)
    assert asked.refresh is not None
    schedule = refresh_schedule(asked.name, asked.refresh, [asked])
    assert schedule.name == "nightly_refresh"
    assert schedule.default_status == dg.DefaultScheduleStatus.STOPPED
    assert schedule.execution_timezone == "Europe/Berlin"
    assert schedule.cron_schedule == "15 2 * * *"
    assert schedule.job_name == "nightly_campaign"


def test_another_tick_of_the_day_and_a_changed_hour_launch_nothing_and_the_next_day_does(
    server: launch.Running, tmp_path: Path, instance: dg.DagsterInstance
) -> None:
    write_problems(tmp_path, 1)
    asked, place = sums(server.url, tmp_path, name="once"), deployment(tmp_path)  # the instance is shared with other tests
    first = tick(asked, place, instance)
    assert isinstance(first, dg.RunRequest)
    assert (first.run_key, first.tags["tmas/refresh"]) == ("once:2026-03-04", "2026-03-04")
    launched(instance, asked, first)
    later = asked.model_copy(update={"refresh": asked.refresh.model_copy(update={"cron": "15 3 * * *"})})  # type: ignore[union-attr]
    for one, hour in ((asked, 1), (later, 2), (later, 22)):
        again = tick(one, place, instance, NIGHT.replace(hour=hour))
        assert isinstance(again, dg.SkipReason)
        assert "tried on 2026-03-04 already" in str(again.skip_message)
    # 23:15 UTC is tomorrow in Berlin
    assert isinstance(tick(later, place, instance, NIGHT.replace(hour=23)), dg.RunRequest)
    assert server.stats()["total"] == 0


def test_a_missing_server_is_named_and_the_next_tick_of_the_day_launches_once_it_is_there(
    server: launch.Running, tmp_path: Path, instance: dg.DagsterInstance
) -> None:
    write_problems(tmp_path, 1)
    gone = tick(sums("http://127.0.0.1:9/v1", tmp_path), deployment(tmp_path), instance)
    assert isinstance(gone, dg.SkipReason)
    said = str(gone.skip_message)
    for words in ("nightly was not refreshed on 2026-03-04", "endpoints.default", "http://127.0.0.1:9/v1/models", "Start the server"):
        assert words in said
    assert isinstance(tick(sums(server.url, tmp_path), deployment(tmp_path), instance), dg.RunRequest)


def test_one_replica_that_answers_is_enough_and_another_model_is_not(
    server: launch.Running, tmp_path: Path, instance: dg.DagsterInstance
) -> None:
    write_problems(tmp_path, 1)
    both = sums(server.url, tmp_path, endpoints={"default": endpoint(server.url, urls=["http://127.0.0.1:9/v1", server.url])})
    assert isinstance(tick(both, deployment(tmp_path), instance), dg.RunRequest)
    other = sums(server.url, tmp_path, endpoints={"default": endpoint(server.url, model="another")})
    said = tick(other, deployment(tmp_path), instance)
    assert isinstance(said, dg.SkipReason)
    assert "offers scripted, asked for 'another'" in str(said.skip_message)


class _Echo(BaseHTTPRequestHandler):
    """Refuses everybody and repeats the key that it was sent."""

    def do_GET(self) -> None:
        body = json.dumps({"error": {"message": f"bad key {self.headers['Authorization']}"}}).encode()
        self.send_response(401)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None: ...


def test_a_refused_key_is_said_without_the_key(tmp_path: Path, instance: dg.DagsterInstance, monkeypatch: pytest.MonkeyPatch) -> None:
    write_problems(tmp_path, 1)
    monkeypatch.setenv("TMAS_TEST_KEY", KEY)
    refusing = ThreadingHTTPServer(("127.0.0.1", 0), _Echo)
    threading.Thread(target=refusing.serve_forever, daemon=True).start()
    try:
        url = f"http://127.0.0.1:{refusing.server_port}/v1"
        asked = sums(url, tmp_path, endpoints={"default": endpoint(url, api_key_env="TMAS_TEST_KEY")})
        said = tick(asked, deployment(tmp_path), instance)
    finally:
        refusing.shutdown()
        refusing.server_close()
    assert isinstance(said, dg.SkipReason)
    assert "status 401" in str(said.skip_message)
    assert "TMAS_TEST_KEY" in str(said.skip_message)
    assert KEY not in str(said.skip_message)


def test_a_key_that_is_not_set_is_named(tmp_path: Path, instance: dg.DagsterInstance, monkeypatch: pytest.MonkeyPatch) -> None:
    write_problems(tmp_path, 1)
    monkeypatch.delenv("TMAS_TEST_KEY", raising=False)
    with launch.thread(Settings(api_key=KEY)) as guarded:
        asked = sums(guarded.url, tmp_path, endpoints={"default": endpoint(guarded.url, api_key_env="TMAS_TEST_KEY")})
        said = tick(asked, deployment(tmp_path), instance)
        monkeypatch.setenv("TMAS_TEST_KEY", KEY)
        assert isinstance(tick(asked, deployment(tmp_path), instance), dg.RunRequest)
    assert isinstance(said, dg.SkipReason)
    assert "TMAS_TEST_KEY holds no key" in str(said.skip_message)


def test_a_judge_that_is_gone_is_missing_too(server: launch.Running, tmp_path: Path, instance: dg.DagsterInstance) -> None:
    write_problems(tmp_path, 1)
    asked = sums(
        server.url, tmp_path, judge={"endpoint": "judge", "rubric": "answer"},
        endpoints={"default": endpoint(server.url), "judge": endpoint("http://127.0.0.1:9/v1")},
    )  # fmt: skip
    said = tick(asked, deployment(tmp_path), instance)
    assert isinstance(said, dg.SkipReason)
    assert "endpoints.judge" in str(said.skip_message)


def test_missing_data_is_named_before_a_run_that_could_only_fail(
    server: launch.Running, tmp_path: Path, instance: dg.DagsterInstance
) -> None:
    asked = sums(server.url, tmp_path)  # its file was never written
    said = tick(asked, deployment(tmp_path), instance)
    assert isinstance(said, dg.SkipReason)
    assert "problems/problem_file_mine" in str(said.skip_message)
    assert "sums.jsonl" in str(said.skip_message)


def test_a_managed_server_needs_its_interpreter_and_its_model(tmp_path: Path, instance: dg.DagsterInstance) -> None:
    write_problems(tmp_path, 1)
    python = tmp_path / "python"
    python.write_text("#!/bin/sh\n")
    python.chmod(0o755)

    def said(model: str, interpreter: str) -> str:
        asked = sums("", tmp_path, endpoints={"default": {"managed": {"model": model}}})
        found = tick(asked, deployment(tmp_path, serve_python=interpreter, home=str(tmp_path / "home")), instance)
        return str(found.skip_message) if isinstance(found, dg.SkipReason) else "launched"

    assert "no interpreter /nonexistent/python" in said("smollm2-135m-instruct", "/nonexistent/python")
    assert "TMAS_SERVE_PYTHON" in said("smollm2-135m-instruct", "/nonexistent/python")
    assert said("smollm2-135m-instruct", str(python)) == "launched"  # the run makes the bundled model
    assert "demo_grpo" in said("demo_grpo", str(python))
    assert str(tmp_path / "nothing") in said(str(tmp_path / "nothing"), str(python))


@pytest.mark.parametrize("zone", ["Mars/Base", "localtime", ""])
def test_a_zone_that_is_none_or_the_machines_own_is_refused(zone: str) -> None:
    with pytest.raises(ValueError, match="is no time zone; give an IANA name"):
        Refresh(time_zone=zone)
