"""The data sets as they ship can be built: each generator of each has golds, and each gold passes its own grader."""

import pytest

from tests.whole.experiments import deployment
from tmas_assets.assets.faults import graders_of
from tmas_assets.assets.location import loaded
from tmas_assets.engine.building.golds import sound
from tmas_assets.engine.building.sources import load_sources

SETS = {file.data.name: file.data for file in loaded().data_sets}
GENERATED = sorted(name for name, data in SETS.items() if any(source.benchmark.name == "reasoning_gym" for source in data.sources))
A_TASK = 3
"""Problems drawn of each generator."""


def few(source):
    """The source with so few problems that all its generators are still drawn from."""
    settings = source.benchmark.settings
    size = A_TASK * sum(task.get("weight", 1) for task in settings["tasks"])
    return source.model_copy(update={"benchmark": source.benchmark.model_copy(update={"settings": settings | {"size": size}})})


@pytest.mark.parametrize("name", GENERATED)
def test_every_generator_of_a_shipped_set_gives_problems_with_sound_golds(name, tmp_path):
    data = SETS[name]
    sources = [few(source) for source in data.sources if source.benchmark.name == "reasoning_gym"]
    found = load_sources(sources, data.screening, data=None, downloads=tmp_path)
    assert not found.dropped
    tasks = {task["name"] for source in sources for task in source.benchmark.settings["tasks"]}
    assert {one.topic for one in found.kept} == tasks
    with graders_of(deployment(tmp_path)) as graders:
        assert sound(found.kept, graders.submit).dropped == ()
