"""What Dagster is told: the last event of a partition names the bytes that are there, and no event names what is not."""

import pytest

from tests.scripted import launch
from tests.whole.campaign import QUIET
from tests.whole.conftest import Project, failure
from tests.whole.experiments import experiment
from tmas_assets.grading import versions

PARTS = ("rollouts", "verifier_scores", "memory_bank", "benchmark_scores")


@pytest.fixture
def server():
    with launch.thread() as running:
        yield running


def versions_shown(project, part):
    """Data version and digest of the last event of every partition."""
    return {
        key: (event.tags["dagster/data_version"], event.metadata["digest"].value)
        for key, event in project.events(part).items()
    }


def test_settings_that_are_changed_and_changed_back_are_reported_as_the_bytes_that_count(server, tmp_path, instance):
    project = Project(experiment(server.url, iterations=2), tmp_path, instance)
    project.run()
    first = {part: versions_shown(project, part) for part in PARTS}
    other = Project(experiment(server.url, iterations=2, seed=9), tmp_path, instance)
    other.run()
    assert all(versions_shown(other, part) != first[part] for part in PARTS)
    calls = server.stats()["total"]
    project.run()
    assert {part: versions_shown(project, part) for part in PARTS} == first
    assert server.stats()["total"] == calls


def test_grades_of_a_newer_grader_are_reported_and_nothing_else_is(server, tmp_path, instance, monkeypatch):
    project = Project(experiment(server.url, iterations=1), tmp_path, instance)
    project.run()
    before = {part: versions_shown(project, part) for part in PARTS}
    monkeypatch.setattr(versions, "GRADER_VERSIONS", versions.GRADER_VERSIONS | {"reasoning_gym": "2"})
    project.run()
    after = {part: versions_shown(project, part) for part in PARTS}
    changed = before.pop("benchmark_scores"), after.pop("benchmark_scores")
    assert before == after
    assert all(changed[0][key] != changed[1][key] for key in changed[0])
    count = len(instance.fetch_materializations(project.key("rollouts"), limit=1000).records)
    assert count == 4


def test_a_run_over_a_range_of_cells_gives_each_its_own_data_version(server, tmp_path, instance):
    project = Project(experiment(server.url, iterations=2), tmp_path, instance)
    project.problems()
    job = project.defs.resolve_implicit_global_asset_job_def()
    ends = {
        "dagster/asset_partition_range_start": "t00|chain_sum-0001",
        "dagster/asset_partition_range_end": "t01|chain_sum-0002",
    }
    for parts in (("memory_bank",), ("benchmark_scores",), ("memory_bank", "benchmark_scores")):
        result = job.execute_in_process(
            instance=instance,
            asset_selection=[project.key(part) for part in parts],
            tags=ends,
            run_config=QUIET,
            raise_on_error=False,
        )
        assert result.success, failure(result)
        for part in PARTS:
            shown = versions_shown(project, part)
            assert set(shown) == {f"t0{t}|chain_sum-000{n}" for t in (0, 1) for n in (1, 2)}
            assert all(version == digest for version, digest in shown.values())


def test_a_cell_that_the_budget_stopped_is_not_materialized(server, tmp_path, instance):
    project = Project(experiment(server.url, budget={"calls": 3}), tmp_path, instance)
    project.problems()
    result = project.materialize(project.key("memory_bank"), partition="t00|chain_sum-0000")
    assert "budget reached: calls 3 of 3" in failure(result)
    assert project.events("memory_bank") == {}


def test_a_report_folder_that_cannot_be_written_is_named(server, tmp_path, instance):
    project = Project(experiment(server.url, iterations=1), tmp_path, instance)
    (tmp_path / "reports").write_text("a file where a folder is needed")
    text = failure(project.campaign())
    assert "reports/scripted.html: could not write" in text
    assert len(project.events("memory_bank")) == 4


def test_a_key_that_is_not_set_is_named_without_a_traceback(server, tmp_path, instance):
    default = {"urls": [server.url], "model": "scripted", "api_key_env": "TMAS_NO_SUCH_KEY"}
    project = Project(experiment(server.url, endpoints={"default": default}), tmp_path, instance)
    text = failure(project.campaign())
    assert text.startswith("api_key_env: the environment variable TMAS_NO_SUCH_KEY is not set")
    assert server.stats()["total"] == 0
