"""Nothing listens beyond this machine unless a person says so, and what lies in TMAS_HOME is its owner's alone."""

import json
import os
import secrets
import signal
import socket
import stat
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from ipaddress import ip_address
from pathlib import Path
from urllib.request import Request, urlopen

import psutil
import pytest

from resources.calls.call_log import CallLog
from resources.deployment import Deployment
from resources.serving.vllm_command import refused_arguments, serve_command
from resources.training.launchers import LOCAL
from tmas_assets.records import ManagedServer

ROOT = Path(__file__).resolve().parents[2]


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def until(look: Callable[[], object], what: str, seconds: float = 180) -> object:
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        try:
            if found := look():
                return found
        except OSError:
            pass
        time.sleep(0.3)
    raise AssertionError(f"not within {seconds:g} s: {what}")


# --- who listens ----------------------------------------------------------------------------------------------------


@contextmanager
def ui(home: Path, **planted: str) -> Iterator[tuple[str, psutil.Process]]:
    """`tmas ui` as a person starts it, ended with all that it started."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("TMAS_", "DAGSTER_", "HF_"))}
    with (home.parent / "ui.log").open("wb") as log:
        process = subprocess.Popen(
            [sys.executable, "-m", "tmas_assets.cli", "ui", "--port", str(port)], cwd=ROOT, env={**kept, "TMAS_HOME": str(home), **planted},
            stdin=subprocess.DEVNULL, stdout=log, stderr=subprocess.STDOUT, start_new_session=True,
        )  # fmt: skip
    try:
        yield f"http://127.0.0.1:{port}", psutil.Process(process.pid)
    finally:
        family = [psutil.Process(process.pid), *psutil.Process(process.pid).children(recursive=True)]
        process.send_signal(signal.SIGTERM)
        _, alive = psutil.wait_procs(family, timeout=15)
        for one in alive:
            one.kill()
        process.wait()


def addresses(process: psutil.Process) -> set[str]:
    """Where any process of the family listens over TCP."""
    family = [process, *process.children(recursive=True)]
    return {one.laddr.ip for each in family for one in each.net_connections("tcp") if one.status == psutil.CONN_LISTEN}


def ask(url: str, query: str) -> dict[str, object]:
    body = json.dumps({"query": query}).encode()
    with urlopen(Request(f"{url}/graphql", body, {"Content-Type": "application/json"}), timeout=120) as reply:
        found = json.load(reply)
    assert "errors" not in found, found["errors"]
    return dict(found["data"])


RESOURCES = """{ repositoriesOrError { ... on RepositoryConnection { nodes { name allTopLevelResourceDetails {
  name configuredValues { key value type } configFields { name defaultValueAsJson } } } } ... on PythonError { message } } }"""
LOCATION = """{ workspaceOrError { ... on Workspace { locationEntries { loadStatus locationOrLoadError {
  __typename ... on PythonError { message stack } } } } } }"""


@pytest.mark.timeout(400)
def test_the_ui_listens_on_loopback_alone_and_shows_the_names_of_secrets(tmp_path: Path) -> None:
    secret = f"sk-{secrets.token_hex(20)}"
    home = tmp_path / "home"
    planted = {"TMAS_CALL_LOG": f"postgresql+psycopg2://tmas:{secret}@127.0.0.1:9/db", "TMAS_STORE_OPTIONS": json.dumps({"secret": secret})}
    with ui(home, **planted) as (url, process):
        until(lambda: urlopen(f"{url}/server_info", timeout=5).status == 200, "the web server answers")
        until(lambda: "LOADED" in json.dumps(ask(url, LOCATION)), "the code location is loaded")
        heard = addresses(process)
        assert heard
        assert [one for one in heard if not ip_address(one).is_loopback] == []
        shown = json.dumps([ask(url, RESOURCES), ask(url, LOCATION)])
        assert "TMAS_CALL_LOG" in shown
        assert "TMAS_STORE_OPTIONS" in shown
        assert secret not in shown
        assert "PythonError" not in shown
    assert mode(home) == 0o700
    written = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert any(path.name == "ui.log" for path in written)
    assert [path.relative_to(tmp_path) for path in written if secret.encode() in path.read_bytes()] == []


def test_a_managed_server_and_the_ranks_of_a_trainer_listen_on_loopback() -> None:
    for device in ("cpu", "cuda"):
        words = serve_command("python", "launcher", ManagedServer(device=device), Path("/m"), "m@1")
        assert words[words.index("--host") + 1] == "127.0.0.1"
    for other in (("--host", "0.0.0.0"), ("--host=::",), ("--uds", "/tmp/x"), ("--hos=0.0.0.0",)):
        assert refused_arguments(ManagedServer(extra_args=other))
    assert ip_address(LOCAL).is_loopback


# --- whose the files are --------------------------------------------------------------------------------------------


@pytest.fixture
def open_umask() -> Iterator[None]:
    """A machine on which new files are for all to read."""
    before = os.umask(0o000)
    yield
    os.umask(before)


def test_the_home_is_made_for_its_owner_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, open_umask: None) -> None:
    monkeypatch.setenv("TMAS_HOME", str(tmp_path / "a" / "home"))
    Deployment.from_environment()
    assert mode(tmp_path / "a" / "home") == 0o700
    assert mode(tmp_path / "a") == 0o777


def test_a_home_that_is_there_stays_as_its_owner_opened_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    home = tmp_path / "home"
    home.mkdir()
    home.chmod(0o750)
    monkeypatch.setenv("TMAS_HOME", str(home))
    Deployment.from_environment()
    assert mode(home) == 0o750


def test_a_home_that_cannot_be_made_is_no_fault_of_those_who_only_read_settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("TMAS_HOME", str(tmp_path / "file" / "home"))
    assert Deployment.from_environment().home == str(tmp_path / "file" / "home")


def test_a_call_log_of_sqlite_is_its_owners_alone_with_the_files_beside_it(tmp_path: Path, open_umask: None) -> None:
    log = CallLog(f"sqlite:///{tmp_path / 'calls.sqlite'}")
    try:
        log.totals()
        assert {path.name: oct(mode(path)) for path in tmp_path.glob("calls.sqlite*")} == dict.fromkeys(
            sorted(path.name for path in tmp_path.glob("calls.sqlite*")), oct(0o600)
        )
        assert len(list(tmp_path.glob("calls.sqlite*"))) >= 2
    finally:
        log.close()


def test_a_call_log_that_was_shared_stays_shared(tmp_path: Path) -> None:
    path = tmp_path / "calls.sqlite"
    CallLog(f"sqlite:///{path}").close()
    path.chmod(0o660)
    CallLog(f"sqlite:///{path}").close()
    assert mode(path) == 0o660
