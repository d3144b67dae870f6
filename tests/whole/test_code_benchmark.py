"""A code benchmark from release to score: a campaign whose answers run in the sandbox."""

import shutil

import polars as pl
import pytest

from tests.scripted import launch
from tests.whole.conftest import Project
from tests.whole.experiments import experiment


@pytest.mark.skipif(shutil.which("bwrap") is None, reason="bubblewrap is not installed (apt-get install bubblewrap)")
def test_human_eval_answers_are_run_and_graded_as_they_deserve(tmp_path, instance):
    with launch.process("--script", "tests.whole.solving:human_eval") as server:
        asked = experiment(server.url, iterations=1, benchmark={"name": "humaneval", "limit": 6},
                           strategy={"name": "tmas", "settings": {"candidates": 4, "verifications": 1}})
        project = Project(asked, tmp_path, instance)
        project.run()
    outcomes = []
    for event in project.events("benchmark_scores").values():
        grades = pl.read_parquet(event.metadata["path"].value)
        assert set(grades["grader"]) == {"code"}
        assert not any(grades["unsandboxed"])
        outcomes += grades["outcome"].to_list()
    intents = []
    for event in project.events("rollouts").values():
        intents += [text.split()[-3] for text in pl.read_parquet(event.metadata["path"].value)["text"]]
    assert outcomes == intents
    assert set(intents) == {"right", "wrong"}
