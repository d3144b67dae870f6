"""What two experiments differ in: only their models, or how they measure."""

from typing import Any

import pytest

from tests.whole.experiments import endpoint, experiment
from tmas_assets.engine.comparison import but_for_models

URL = "http://127.0.0.1:1/v1"
WINDOW = {"model": "demo_grpo", "iteration": 1, "max_model_len": 2048}


def managed(**change: Any) -> dict[str, Any]:
    common = {key: value for key, value in endpoint(URL).items() if key not in ("urls", "model", "revision")}
    return {"default": common | {"managed": WINDOW | change}}


def test_another_model_measures_alike() -> None:
    stated = but_for_models(experiment(URL, endpoints=managed()))
    for change in ({"model": "./base"}, {"iteration": 0}, {"device": "cuda"}):
        assert but_for_models(experiment(URL, name="other", iterations=2, endpoints=managed(**change))) == stated
    assert but_for_models(experiment(URL)) == but_for_models(experiment(URL, endpoints={"default": endpoint(URL, model="m", revision="2")}))


@pytest.mark.parametrize("change", [
    {"seed": 1}, {"repeats": 2}, {"strategy": {"name": "single"}}, {"endpoints": managed(max_model_len=4096)},
    {"endpoints": {"default": managed()["default"] | {"sampling": {"temperature": 0.1}}}},
    {"endpoints": {"default": managed()["default"] | {"structured_output": False}}},
])  # fmt: skip
def test_another_way_of_measuring_is_another(change: dict[str, Any]) -> None:
    assert but_for_models(experiment(URL, **({"endpoints": managed()} | change))) != but_for_models(experiment(URL, endpoints=managed()))
