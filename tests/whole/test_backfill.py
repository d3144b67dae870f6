"""A backfill launched through a real instance: cells run in the right order and give a campaign's bytes."""

import json
import logging

import dagster as dg
import pytest
from dagster._core.instance_for_test import instance_for_test
from dagster._core.test_utils import create_test_daemon_workspace_context
from dagster._core.workspace.load_target import ModuleTarget
from dagster._daemon.backfill import execute_backfill_iteration
from dagster_graphql.schema import create_schema

from partitions.keys import problem_key
from tests.whole.campaign import ROOT
from tests.whole.conftest import Project, failure
from tests.whole.experiments import experiment
from tests.whole.files import contents

LAUNCH = """mutation($p: LaunchBackfillParams!) { launchPartitionBackfill(backfillParams: $p) {
  __typename ... on LaunchBackfillSuccess { backfillId } ... on PythonError { message } } }"""


@pytest.fixture
def asked(server):
    base = experiment(server.url, iterations=3)
    return base.model_copy(
        update={"benchmark": base.benchmark.model_copy(update={"settings": {**base.benchmark.settings, "size": 2}})}
    )


def test_a_backfill_over_iterations_and_problems_runs_in_order_and_equals_a_campaign(
    asked, server, tmp_path, instance, monkeypatch
):
    campaign = Project(asked, tmp_path / "campaign", instance)
    campaign.folder.mkdir()
    campaign.run()

    folder = tmp_path / "backfill"
    folder.mkdir()
    monkeypatch.setenv("TMAS_TEST_EXPERIMENT", json.dumps(asked.model_dump(mode="json")))
    monkeypatch.setenv("TMAS_TEST_FOLDER", str(folder))
    in_process = {
        "run_launcher": {
            "module": "dagster._core.launcher.sync_in_memory_run_launcher",
            "class": "SyncInMemoryRunLauncher",
        },
        "run_coordinator": {"module": "dagster._core.run_coordinator", "class": "DefaultRunCoordinator"},
    }
    target = ModuleTarget("tests.whole.location", None, str(ROOT), "tests")
    with (
        instance_for_test(temp_dir=str(folder), overrides=in_process) as home,
        create_test_daemon_workspace_context(target, home) as workspace,
    ):
        project = Project(asked, folder, home)
        assert project.problems().success
        parts = [{"path": [asked.name, part]} for part in ("memory_bank", "benchmark_scores")]
        answer = create_schema().execute(
            LAUNCH,
            variables={"p": {"assetSelection": parts, "allPartitions": True}},
            context=workspace.create_request_context(),
        )
        backfill = answer.data["launchPartitionBackfill"]["backfillId"]
        for _ in range(30):
            faults = [fault for fault in execute_backfill_iteration(workspace, logging.getLogger("test")) if fault]
            assert not faults, faults
            if home.get_backfill(backfill).status.value != "REQUESTED":
                break
        assert home.get_backfill(backfill).status.value == "COMPLETED_SUCCESS"
        records = home.fetch_materializations(project.key("memory_bank"), limit=100).records
        order = [record.partition_key for record in reversed(records)]
        assert len(order) == len(set(order)) == 6
        for problem in {key.split("|")[1] for key in order}:
            assert [key[:3] for key in order if key.endswith(f"|{problem}")] == ["t00", "t01", "t02"]

    def cells(place):
        return {path: digest for path, digest in contents(place / "store").items() if "/summary/" not in path and not path.startswith("report_site/")}

    assert cells(folder) == cells(campaign.folder)


def test_a_cell_whose_past_is_missing_is_refused_and_no_retry_is_asked_for(asked, server, tmp_path, instance):
    project = Project(asked, tmp_path, instance)
    project.problems()
    result = project.materialize(project.key("memory_bank"), partition="t02|chain_sum-0000")
    assert "t01 is missing for 1 of 1 problems" in failure(result)
    assert server.stats()["total"] == 0


def test_an_iteration_whose_problem_table_is_missing_says_what_to_materialize(asked, server, tmp_path, instance):
    project = Project(asked, tmp_path, instance)
    instance.add_dynamic_partitions("problems_reasoning_gym_tests", ["chain_sum-0000"])
    result = project.materialize(project.key("memory_bank"), partition="t00|chain_sum-0000")
    assert "problems/reasoning_gym_tests problems: no file at" in failure(result)


def test_one_cell_materialized_again_asks_nothing_and_keeps_its_version(asked, server, tmp_path, instance):
    project = Project(asked, tmp_path, instance)
    project.run()
    calls = server.stats()["total"]
    before = project.events("memory_bank")["t01|chain_sum-0001"]
    assert project.materialize(project.key("memory_bank"), partition="t01|chain_sum-0001").success
    after = project.events("memory_bank")["t01|chain_sum-0001"]
    assert server.stats()["total"] == calls
    assert after.tags["dagster/data_version"] == before.tags["dagster/data_version"]


def test_the_summary_alone_in_a_later_run_reads_what_is_there(asked, server, tmp_path, instance):
    project = Project(asked, tmp_path, instance)
    project.run(iterations="0..0", problems=["chain_sum-0000"])
    assert project.materialize(project.key("summary")).success
    summary = project.events("summary")[None].metadata
    assert summary["scores"].records[0].data["iteration"] == "t00"
    assert summary["curve"].value.startswith("![")


def test_the_problem_axis_is_filled_and_a_dropped_problem_is_retired(asked, server, tmp_path, instance):
    project = Project(asked, tmp_path, instance)
    assert project.problems().success
    axis = "problems_reasoning_gym_tests"
    assert list(instance.get_dynamic_partitions(axis)) == ["chain_sum-0000", "chain_sum-0001"]
    fewer = asked.model_copy(
        update={"benchmark": asked.benchmark.model_copy(update={"settings": {**asked.benchmark.settings, "size": 1}})}
    )
    smaller = Project(fewer, tmp_path, instance)
    assert smaller.problems().success
    assert list(instance.get_dynamic_partitions(axis)) == ["chain_sum-0000", "chain_sum-0001"]
    assert "is retired: no longer in release" in failure(smaller.campaign(problems=["chain_sum-0001"]))
    assert problem_key("chain_sum-0001") == "chain_sum-0001"


def test_grading_again_alone_gives_the_same_grades(asked, server, tmp_path, instance):
    project = Project(asked, tmp_path, instance)
    project.run(iterations="0..0")
    before = project.events("benchmark_scores")["t00|chain_sum-0000"].tags["dagster/data_version"]
    assert project.materialize(project.key("benchmark_scores"), partition="t00|chain_sum-0000").success
    assert project.events("benchmark_scores")["t00|chain_sum-0000"].tags["dagster/data_version"] == before
    assert isinstance(instance, dg.DagsterInstance)
