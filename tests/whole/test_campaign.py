"""The campaign job on a real instance and the scripted server: events, bytes, resumption, and faults in words."""

import asyncio
import hashlib
import sqlite3
from pathlib import Path

import dagster as dg
import pytest

from tests.whole.conftest import Project, failure
from tests.whole.experiments import endpoint, experiment
from tests.whole.files import contents
from tmas_assets.engine import campaign

PARTS = ("rollouts", "verifier_scores", "memory_bank", "benchmark_scores")


@pytest.fixture
def project(server, tmp_path, instance):
    return Project(experiment(server.url), tmp_path, instance)


def test_every_cell_is_materialized_with_the_digest_of_its_bytes_as_data_version(project):
    project.run()
    for part in PARTS:
        events = project.events(part)
        assert len(events) == 12
        for event in events.values():
            path = Path(str(event.metadata["path"].value))
            digest = hashlib.sha256(path.read_bytes()).hexdigest()
            assert event.tags["dagster/data_version"] == digest == event.metadata["digest"].value
            assert event.metadata["dagster/row_count"].value > 0
            assert 0 <= event.metadata["mean_verifier_score"].value <= 1
    rollouts = next(iter(project.events("rollouts").values())).metadata
    assert rollouts["completion_tokens"].value > 0
    assert [row.data["rollout"] for row in rollouts["rollouts"].records] == ["r0t00c0", "r0t00c1", "r0t00c2"]


def test_the_memory_of_an_iteration_names_the_digest_of_the_one_before(project):
    project.run()
    events = project.events("memory_bank")
    for partition, event in events.items():
        iteration, problem = str(partition).split("|")
        if iteration != "t00":
            before = events[f"t{int(iteration[1:]) - 1:02d}|{problem}"]
            assert event.metadata["previous_digest"].value == before.metadata["digest"].value


def test_running_again_asks_nothing_and_changes_no_byte(project, server):
    project.run()
    calls, files = server.stats()["total"], contents(project.folder / "store")
    project.run()
    assert server.stats()["total"] == calls
    assert contents(project.folder / "store") == files
    assert all(len(project.events(part)) == 12 for part in PARTS)


def test_a_longer_range_goes_on_where_the_shorter_one_stopped(project, server, tmp_path):
    whole = Project(project.experiment, tmp_path / "whole", project.instance)
    whole.folder.mkdir()
    whole.run()
    calls = server.stats()["total"]
    project.run(iterations="0..0")
    project.run(iterations="1..2")
    assert server.stats()["total"] == 2 * calls
    cells = {path: digest for path, digest in contents(project.folder / "store").items() if "/summary/" not in path}
    assert cells.items() <= contents(whole.folder / "store").items()


def test_cells_that_a_killed_run_left_unreported_are_reported(project, tmp_path):
    project.run()
    with dg.DagsterInstance.ephemeral() as other:
        again = Project(project.experiment, project.folder, other)
        again.run()
        assert all(len(again.events(part)) == 12 for part in PARTS)
        assert again.events("memory_bank").keys() == project.events("memory_bank").keys()


def test_lost_files_come_back_from_the_call_log(project, server):
    project.run()
    files, calls = contents(project.folder / "store"), server.stats()["total"]
    for path in (project.folder / "store" / "scripted").rglob("*.parquet"):
        path.unlink()
    project.run()
    assert contents(project.folder / "store") == files
    assert server.stats()["total"] == calls


def test_repeats_are_independent_and_in_one_cell(server, tmp_path, instance):
    project = Project(experiment(server.url, repeats=2, iterations=2), tmp_path, instance)
    project.run()
    one = next(iter(project.events("rollouts").values()))
    assert one.metadata["dagster/row_count"].value == 6


def test_some_problems_and_iterations_only(project):
    project.run(iterations="0..1", problems=["chain_sum-0001"])
    assert set(project.events("memory_bank")) == {"t00|chain_sum-0001", "t01|chain_sum-0001"}


@pytest.mark.parametrize(
    ("config", "text"),
    [
        ({"problems": ["chain_sum-9"]}, "no problem 'chain_sum-9' among its 4; nearest: chain_sum-000"),
        ({"iterations": "0..7"}, "iterations 0..7 are out of range: scripted has t00 to t02"),
        ({"iterations": "soon"}, "iterations 'soon' cannot be read"),
        ({"iterations": "2..2"}, "t01 is missing for 4 of 4 problems (chain_sum-0000"),
    ],
)
def test_a_request_that_cannot_be_met_is_refused_before_any_call(project, server, config, text):
    assert text in failure(project.campaign(**config))
    assert server.stats()["total"] == 0


def test_a_server_that_is_down_is_named_and_nothing_is_lost(project, server, tmp_path, instance):
    project.run(iterations="0..0")
    files = contents(project.folder / "store")
    gone = experiment("http://127.0.0.1:9/v1", name="scripted")
    down = Project(gone, project.folder, instance)
    text = failure(down.campaign())
    assert "4 problems stopped early" in text
    assert "http://127.0.0.1:9/v1" in text
    assert files.items() <= contents(project.folder / "store").items()
    project.run()


def test_another_model_than_the_one_asked_for_is_refused(server, tmp_path, instance):
    asked = experiment(server.url, endpoints={"default": endpoint(server.url, model="qwen")})
    text = failure(Project(asked, tmp_path, instance).campaign())
    assert "wrong model served" in text
    assert "serves scripted, asked for 'qwen'" in text


def test_one_refused_request_marks_its_record_and_the_others_go_on(project, server):
    server.script({"kind": "status", "status": 400, "times": 1})
    project.run()
    grades = [event.metadata.get("outcome_failed") for event in project.events("benchmark_scores").values()]
    assert sum(found.value for found in grades if found) == 1


def test_too_many_refused_requests_fail_the_run_with_the_count(project, server):
    server.script({"kind": "status", "status": 400, "match": "Score", "times": 1000})
    text = failure(project.campaign())
    assert "calls failed for good" in text
    assert "threshold 20%" in text


def test_a_spent_budget_gives_a_partial_result_that_says_so(server, tmp_path, instance):
    asked = experiment(server.url, budget={"calls": 100})
    project = Project(asked, tmp_path, instance)
    result = project.campaign()
    assert result.success
    assert server.stats()["total"] == 100
    made = len(project.events("memory_bank"))
    assert 0 < made < 12
    summary = project.events("summary")[None]
    assert summary.metadata["iterations_scored"].value == f"{len(summary.metadata['scores'].records)} of 3" != "3 of 3"
    more = Project(experiment(server.url), tmp_path, instance)
    more.run()
    assert len(more.events("memory_bank")) == 12


def test_a_corrupt_cell_stops_its_problem_and_no_other(project, server):
    project.run(iterations="0..1")
    [torn] = list((project.folder / "store/scripted/memory_bank").rglob("t01/chain_sum-0002.parquet"))
    torn.write_bytes(torn.read_bytes()[:100])
    text = failure(project.campaign())
    assert "1 problem stopped early, 3 cells were made" in text
    assert "scripted/memory_bank t01|chain_sum-0002" in text
    assert "not a readable parquet file" in text
    assert torn.stat().st_size == 100


def test_a_corrupt_call_log_is_named_and_kept(project, server):
    project.run(iterations="0..0")
    log = project.folder / "calls.sqlite"
    for beside in project.folder.glob("calls.sqlite-*"):
        beside.unlink()
    log.write_bytes(b"not a database, but long enough to look like one" * 100)
    text = failure(project.campaign())
    assert "calls.sqlite" in text
    assert log.read_bytes().startswith(b"not a database")


def test_a_changed_setting_starts_beside_the_old_cells(project, server, tmp_path, instance):
    project.run()
    files, calls = contents(project.folder / "store"), server.stats()["total"]
    changed = experiment(server.url, strategy={"name": "tmas", "settings": {"candidates": 2, "verifications": 2}})
    Project(changed, tmp_path, instance).run(iterations="0..0")
    now = contents(project.folder / "store")
    # one line of the index is of an experiment, whatever its settings
    assert {path for path in files if now[path] != files[path]} == {"report_site/scripted.parquet"}
    # the first two candidates and their checks are the same requests and are not paid for again
    assert server.stats()["total"] - calls <= 4 * (2 + 2)


def test_cells_of_a_problem_are_told_in_order_however_long_their_grades_take(project, instance, monkeypatch):
    graded = campaign.grade_cell

    async def slow_at_first(cells, graders, judge, iteration, *rest):
        await asyncio.sleep(0 if iteration else 0.5)
        return await graded(cells, graders, judge, iteration, *rest)

    monkeypatch.setattr(campaign, "grade_cell", slow_at_first)
    project.run()
    told = [record.partition_key for record in instance.fetch_materializations(project.key("memory_bank"), limit=100, ascending=True).records]
    for problem in {one.partition("|")[2] for one in told}:
        own = [one for one in told if one.endswith(f"|{problem}")]
        assert own == sorted(own)


def test_the_call_log_holds_each_request_once(project, server):
    project.run()
    with sqlite3.connect(project.folder / "calls.sqlite") as log:
        [(rows,)] = log.execute("select count(*) from calls").fetchall()
    assert rows == server.stats()["total"]
