"""`tmas ui` says what is in its way and starts nothing: a taken port, another UI of the same home."""

import fcntl
import io
import os
import socket

import pytest
from rich.console import Console

from tmas_assets.commands import ui
from tmas_assets.commands.faults import CommandFault


@pytest.fixture
def home(tmp_path, monkeypatch):
    monkeypatch.setenv("TMAS_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("DAGSTER_HOME", str(tmp_path / "home" / "dagster"))
    return tmp_path / "home" / "dagster"


def opened(port):
    return ui.open_ui(port, out=Console(file=io.StringIO()))


def test_a_taken_port_is_said_before_anything_is_made(home):
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        port = other.getsockname()[1]
        with pytest.raises(CommandFault, match=f"port {port} is in use by another program.*--port {port + 1}"):
            opened(port)
    assert not home.exists()


def test_a_second_ui_of_a_home_is_refused_with_the_place_of_the_first(home):
    home.mkdir(parents=True)
    with (home / "ui.lock").open("w") as first:
        fcntl.flock(first, fcntl.LOCK_EX)
        first.write("http://127.0.0.1:3017, process 4242")
        first.flush()
        with pytest.raises(CommandFault, match=r"is up already \(http://127.0.0.1:3017, process 4242\)"):
            opened(free_port())


def test_the_lock_is_held_by_what_this_process_becomes(home):
    home.mkdir(parents=True)
    ui._hold(home / "ui.lock", 3000)
    inherited = [fd for fd in map(int, os.listdir("/proc/self/fd")) if reads(fd).endswith("ui.lock")]
    assert [os.get_inheritable(fd) for fd in inherited] == [True]
    os.close(inherited[0])


def reads(fd):
    try:
        return os.readlink(f"/proc/self/fd/{fd}")
    except OSError:
        return ""


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]
