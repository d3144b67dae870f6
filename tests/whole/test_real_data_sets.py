"""The small sets as they are shipped, made smaller still, with the real model on this CPU: rows that load, checks that pass."""

import sys
from pathlib import Path

import pytest

from tests.real_model import real_home
from tests.whole.data_sets import build
from tests.whole.experiments import deployment
from tmas_assets.assets.location import loaded
from tmas_assets.engine.building.steps import Steps
from tmas_assets.records import Conversation, PublishedTrace, RlRow

pytestmark = [pytest.mark.vllm, pytest.mark.timeout(600)]


def shipped(name):
    return next(file.data for file in loaded().data_sets if file.data.name == name)


def smaller(data, problems, **change):
    """Fewer source problems and other targets; models, settings and screening stay."""
    [source] = data.sources
    settings = source.benchmark.settings | {"size": problems}
    source = source.model_copy(update={"benchmark": source.benchmark.model_copy(update={"settings": settings})})
    return data.model_copy(update={"sources": (source,), **change})


def test_the_shipped_small_sets_are_built_by_the_real_model(tmp_path, tmp_path_factory, monkeypatch, instance):
    home = real_home(tmp_path_factory)
    monkeypatch.setenv("TMAS_HOME", str(home))
    place = real_deployment(tmp_path)
    cold, traces = shipped("cold_start_small"), shipped("m500_small")
    targets = cold.targets.model_copy(update={"normal": 2, "experience": 1, "guideline": 2})
    simulation = cold.simulation.model_copy(update={"problems": 4, "iterations": 1})
    sets = [
        smaller(cold, 24, targets=targets, simulation=simulation, name="cold"),
        smaller(traces, 12, target=1, attempts=2, name="traces"),
    ]
    results = build(sets, tmp_path, instance, place)
    assert [result.success for result in results] == [True, True], [
        event.step_failure_data for result in results for event in result.all_events if event.is_step_failure
    ]
    store = place.store()
    cold_steps = Steps(store, "cold")
    assert [len(cold_steps.read(source, RlRow)[0]) for source in ("normal", "experience", "guideline")] == [2, 1, 2]
    assert {one.role for one in cold_steps.read("sft", Conversation)[0]} >= {"solution", "experience", "guideline"}
    [trace] = Steps(store, "traces").read("filtered", PublishedTrace)[0]
    assert trace.problem_solver_messages[-1].role == "assistant"


def real_deployment(folder: Path):
    python = Path(sys.prefix).with_name(".venv-serve") / "bin" / "python"
    return deployment(folder, serve_python=str(python), linger_seconds=60)
