"""Grading again asks no model: rules run anew, judgements come from the call log, what is not there stays undecided."""

import polars as pl
import pytest

from tests.scripted import launch
from tests.whole.conftest import Project
from tests.whole.experiments import experiment
from tests.whole.files import contents
from tmas_assets.grading import versions


@pytest.fixture
def made(tmp_path, instance):
    """A campaign that is through, its model server gone."""
    with launch.process() as server:
        project = Project(experiment(server.url, iterations=2), tmp_path, instance)
        project.run()
    return project


def test_the_same_graders_give_the_same_bytes(made, tmp_path):
    before = contents(tmp_path / "store")
    made.run(regrade=True)
    after = contents(tmp_path / "store")
    assert {path: data for path, data in after.items() if "benchmark_scores" in path} == {
        path: data for path, data in before.items() if "benchmark_scores" in path}


def test_a_newer_grader_is_in_every_grade_and_score_without_a_model(made, monkeypatch):
    monkeypatch.setattr(versions, "GRADER_VERSIONS", {**versions.GRADER_VERSIONS, "reasoning_gym": "99"})
    made.run(regrade=True)
    events = made.events("benchmark_scores")
    assert len(events) == 8
    for event in events.values():
        versions_there = pl.read_parquet(event.metadata["path"].value)["grader_version"]
        assert {version.partition("+")[0] for version in versions_there} == {"99"}


def test_one_cell_can_be_graded_again_from_the_ui(made):
    cell = "t00|chain_sum-0000"
    before = made.events("rollouts")[cell].metadata["digest"].value
    assert made.materialize(made.key("benchmark_scores"), partition=cell).success
    assert made.events("rollouts")[cell].metadata["digest"].value == before


def test_cells_that_were_never_made_are_left_out(tmp_path, instance):
    with launch.process() as server:
        project = Project(experiment(server.url, iterations=2), tmp_path, instance)
        project.run(iterations="0..0")
    project.run(regrade=True)
    assert len(project.events("benchmark_scores")) == 4
