"""What the UI calls out of date: nothing that was just made, and everything that rests on what changed since."""

import dagster as dg
import pytest
from dagster._core.definitions.data_version import CachingStaleStatusResolver
from dagster._core.loader import LoadingContextForTest

from tests.whole.conftest import Project
from tests.whole.experiments import experiment

CELLS = [f"t{iteration:02d}|chain_sum-{problem:04d}" for iteration in range(2) for problem in range(2)]
PARTS = ("rollouts", "verifier_scores", "memory_bank", "benchmark_scores")


@pytest.fixture
def asked(server):
    settings = {"tasks": [{"name": "chain_sum"}], "size": 2, "seed": 5}
    return experiment(
        server.url, iterations=2, benchmark={"name": "reasoning_gym", "release": "tests", "settings": settings}
    )


def out_of_date(project: Project) -> dict[str, list[str]]:
    """Reasons by asset and partition, as the UI's "unsynced" gives them."""
    instance = project.instance
    graph = project.defs.resolve_asset_graph()
    resolver = CachingStaleStatusResolver(instance, graph, LoadingContextForTest(instance))
    asked = [(project.key(part), cell) for part in PARTS for cell in CELLS] + [(project.key("summary"), None)]
    reasons = {f"{key.path[-1]} {cell}": resolver.get_stale_causes(key, cell) for key, cell in asked}
    for key, cell in asked:
        assert resolver.get_current_data_version(key, cell).value not in ("NULL", "INITIAL"), (key, cell)
    return {name: [cause.reason for cause in causes] for name, causes in reasons.items() if causes}


def test_nothing_is_out_of_date_after_a_campaign(asked, tmp_path, instance):
    project = Project(asked, tmp_path, instance)
    project.run()
    assert out_of_date(project) == {}


def test_nothing_is_out_of_date_after_cells_one_by_one_and_a_summary(asked, tmp_path, instance):
    project = Project(asked, tmp_path, instance)
    assert project.problems().success
    for cell in CELLS:
        assert project.materialize(project.key("memory_bank"), partition=cell).success
    assert project.materialize(project.key("summary")).success
    assert out_of_date(project) == {}


def test_a_summary_is_out_of_date_when_a_cell_follows_it(asked, tmp_path, instance):
    project = Project(asked, tmp_path, instance)
    project.run(iterations="0..0")
    for cell in CELLS[2:]:
        assert project.materialize(project.key("memory_bank"), partition=cell).success
    assert list(out_of_date(project)) == ["summary None"]


def test_an_iteration_is_out_of_date_when_the_one_before_it_is_another(asked, tmp_path, instance):
    project = Project(asked, tmp_path, instance)
    project.run()
    other = dg.AssetMaterialization(
        project.key("memory_bank"), partition=CELLS[0], tags={"dagster/data_version": "another"}
    )
    instance.report_runless_asset_event(other)
    assert out_of_date(project) == {f"memory_bank {CELLS[2]}": ["has a new dependency data version"]}


def test_cells_and_grades_of_older_settings_are_out_of_date(asked, server, tmp_path, instance):
    project = Project(asked, tmp_path, instance)
    project.run()
    changed = asked.model_copy(
        update={"strategy": asked.strategy.model_copy(update={"settings": {"candidates": 2, "verifications": 2}})}
    )
    reasons = out_of_date(Project(changed, tmp_path, instance))
    assert {name.split()[0] for name in reasons} == {"memory_bank", "benchmark_scores"}
    assert all(why == ["has a new code version"] for why in reasons.values())
