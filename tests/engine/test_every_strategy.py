"""What holds for every strategy of the scan, on the real engine: faults, kills, caps, order of replies, the account."""

import os
import signal
import sqlite3
import time
from contextlib import closing

import pytest

from resources.calls.call_log import CallLog
from tests.engine import bench_process
from tests.engine.bench_of_cells import Bench, experiment
from tests.scripted import launch
from tests.scripted.server import Settings
from tests.strategies.small import SMALL
from tests.whole.experiments import endpoint
from tests.whole.files import contents
from tmas_assets.engine.figures import figures
from tmas_assets.engine.gathering import gather
from tmas_assets.engine.graders import Graders
from tmas_assets.engine.summary import scores, tokens_from_scratch
from tmas_assets.records import Experiment
from tmas_assets.strategies import strategies

every_strategy = pytest.mark.parametrize("name", sorted(SMALL))


@pytest.fixture(scope="module")
def server():
    with launch.thread() as running:
        yield running


def small(url: str, name: str, **change) -> Experiment:
    settings, iterations = SMALL[name]
    chosen = {"name": name, "settings": settings}
    return experiment(url, **{"strategy": chosen, "iterations": iterations, "failure_threshold": 1.0, **change})


def test_the_table_of_small_settings_has_every_strategy():
    assert sorted(SMALL) == sorted(strategies())


@every_strategy
def test_every_call_is_in_one_record_and_the_account_equals_the_call_log(server, tmp_path, name):
    bench = Bench(small(server.url, name, repeats=2), tmp_path)
    assert bench.run().stopped == []
    counted = tokens_from_scratch(gather(bench.cells, bench.problems))
    with closing(CallLog(bench.deployment.call_log_url)) as log:
        assert sorted(counted, key=lambda row: row.role) == sorted(log.totals("scripted"), key=lambda row: row.role)


@every_strategy
def test_one_at_a_time_or_all_at_once_gives_the_same_bytes(server, tmp_path, name):
    for limit in (1, 16):
        asked = small(server.url, name, endpoints={"default": endpoint(server.url, concurrency=limit)})
        assert Bench(asked, tmp_path / str(limit)).run().stopped == []
    assert contents(tmp_path / "1" / "store") == contents(tmp_path / "16" / "store")


@every_strategy
def test_transient_faults_change_no_byte(server, tmp_path, name):
    calm = Bench(small(server.url, name), tmp_path / "calm")
    calm.run()
    kinds = ("429", "503", "drop", "html", "bad_json", "no_choices")
    with launch.thread(Settings(fault_rate=0.25, fault_kinds=kinds)) as stormy:
        default = endpoint(stormy.url, max_attempts=20)
        rough = Bench(small(stormy.url, name, endpoints={"default": default}), tmp_path / "rough")
        assert rough.run().stopped == []
    assert contents(rough.folder / "store") == contents(calm.folder / "store")


@every_strategy
@pytest.mark.parametrize("kind", ["status", "empty", "length", "reasoning_only", "repetition", "no_usage"])
def test_a_spoiled_reply_is_recorded_and_the_rest_goes_on(tmp_path, name, kind):
    """One reply in three is refused, empty, cut off, ...: no cell is lost, no grade is invented, figures can be made."""
    fault = {"status": "400"}.get(kind, kind)
    with launch.thread(Settings(fault_rate=0.33, fault_kinds=(fault,))) as server:
        default = endpoint(server.url, max_attempts=2)
        bench = Bench(small(server.url, name, endpoints={"default": default}, repeats=2), tmp_path)
        outcome = bench.run()
    lost = {one.problem for one in outcome.stopped if "refused" not in one.reason}
    assert lost == set()
    gathered = gather(bench.cells, bench.problems)
    for score in scores(bench.cells, bench.problems, gathered):
        assert score.answers + score.missing + score.left_out == score.expected
    with Graders(max_workers=1) as graders:
        figures(bench.cells, bench.problems, gathered, graders)


@every_strategy
def test_a_cap_on_calls_stops_between_whole_cells_and_going_on_ends_in_the_same_bytes(server, tmp_path, name):
    whole = Bench(small(server.url, name), tmp_path / "whole")
    whole.run()
    with closing(CallLog(whole.deployment.call_log_url)) as log:
        calls = sum(row.calls for row in log.totals())
    parts = Bench(small(server.url, name, budget={"calls": max(1, calls // 3)}), tmp_path / "parts")
    for _ in range(8):
        if parts.run().budget is None:
            break
    assert contents(parts.folder / "store") == contents(whole.folder / "store")


@every_strategy
def test_a_killed_run_repeats_only_what_was_in_flight_and_ends_in_the_same_bytes(tmp_path, name):
    with launch.thread(Settings(latency=0.15)) as server:
        asked = small(server.url, name)
        whole = Bench(asked, tmp_path / "whole")
        whole.run()
        once = server.stats()["total"]
        process = bench_process.start(asked, tmp_path / "killed")
        while server.stats()["total"] - once < max(1, once // 2):
            assert process.poll() is None, process.communicate()[0]
            time.sleep(0.005)
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
        time.sleep(0.5)  # what was in flight ends on the server
        sent = server.stats()["total"] - once
        with closing(sqlite3.connect(tmp_path / "killed" / "calls.sqlite")) as log:
            in_flight = sent - log.execute("select count(*) from calls").fetchone()[0]
        again = Bench(asked, tmp_path / "killed")
        assert again.run().stopped == []
        assert server.stats()["total"] - once - once <= in_flight <= 16
    assert contents(tmp_path / "killed" / "store") == contents(tmp_path / "whole" / "store")
