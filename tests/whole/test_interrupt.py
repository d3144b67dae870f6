"""Interrupting and killing a campaign: it ends at once, leaves no process, and the next run repeats what was in flight."""

import os
import signal
import sqlite3
import time

import psutil
import pytest

from tests.scripted import launch
from tests.whole import campaign
from tests.whole.experiments import experiment
from tests.whole.files import contents


def wait_for(condition, seconds=90.0):
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "condition not met in time"
        time.sleep(0.05)


def group(pgid: int) -> list[int]:
    return [p.pid for p in psutil.process_iter() if p.pid != os.getpid() and _pgid(p.pid) == pgid]


def _pgid(pid: int) -> int:
    try:
        return os.getpgid(pid)
    except ProcessLookupError:
        return -1


def test_an_interrupt_during_a_long_request_ends_the_run_at_once(tmp_path):
    with launch.process("--latency", "100") as server:
        process = campaign.start(experiment(server.url), tmp_path)
        wait_for(lambda: server.stats()["in_flight"] > 0)
        process.send_signal(signal.SIGINT)
        began = time.monotonic()
        text, _ = process.communicate(timeout=90)
        assert time.monotonic() - began < 60
        assert process.returncode != 0
        assert "interrupted; 12 requests were in flight" in text
        wait_for(lambda: not group(process.pid), 10)


@pytest.mark.timeout(400)
def test_a_killed_campaign_repeats_only_what_was_in_flight_and_ends_with_the_same_bytes(tmp_path):
    with launch.process("--latency", "0.3") as server:
        asked = experiment(server.url)
        campaign.finish(campaign.start(asked, tmp_path / "whole"))
        once = server.stats()["total"]
        process = campaign.start(asked, tmp_path / "killed")
        wait_for(lambda: server.stats()["total"] > once + 30)
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
        time.sleep(1)  # what was in flight ends on the server
        sent = server.stats()["total"] - once
        with sqlite3.connect(tmp_path / "killed" / "calls.sqlite") as log:
            in_flight = sent - log.execute("select count(*) from calls").fetchone()[0]
        assert 0 <= in_flight <= 16
        wait_for(lambda: not group(process.pid), 10)
        campaign.finish(campaign.start(asked, tmp_path / "killed"))
        assert server.stats()["total"] - once - once <= in_flight
    assert contents(tmp_path / "killed" / "store") == contents(tmp_path / "whole" / "store")
