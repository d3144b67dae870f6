"""Experiment files: a new one is found, and a wrong one is refused with file and field."""

from pathlib import Path

import dagster as dg
import pytest
import yaml
from dagster.components.testing import create_defs_folder_sandbox

from resources.deployment import Deployment
from tmas_assets.assets.experiment import ExperimentFile
from tmas_assets.assets.location import loaded
from tmas_assets.records import Experiment

GOOD = {
    "name": "mine",
    "benchmark": {"name": "math500"},
    "strategy": {"name": "tmas", "settings": {"candidates": 2}},
    "iterations": 2,
    "endpoints": {"default": {"urls": ["http://127.0.0.1:1/v1"], "model": "m"}},
}


def load(attributes):
    with create_defs_folder_sandbox() as sandbox:
        folder = sandbox.defs_folder_path / "mine"
        folder.mkdir(parents=True)
        document = {"type": "tmas_assets.assets.experiment.ExperimentFile", "attributes": attributes}
        (folder / "defs.yaml").write_text(yaml.safe_dump(document))
        with sandbox.load_component_and_build_defs(defs_path=folder):
            pass


def test_an_experiment_makes_the_whole_chain_and_a_campaign():
    resources = dg.Definitions(resources={"deployment": Deployment.from_environment()})
    own = ExperimentFile(Experiment.model_validate(GOOD), Path("defs.yaml")).build_defs(None)
    chain = dg.Definitions.merge(own, resources)
    keys = {spec.key.to_user_string() for spec in chain.resolve_all_asset_specs()}
    parts = ("rollouts", "verifier_scores", "memory_bank", "benchmark_scores", "summary")
    assert keys >= {f"mine/{part}" for part in parts}
    assert chain.resolve_job_def("mine_campaign")


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"iterations": "many"}, "iterations"),
        ({"iterations": 0}, "iterations"),
        ({"colour": "red"}, "colour"),
        ({"benchmark": {"name": "math501"}}, "math501"),
        ({"benchmark": {"name": "imo_answerbench", "release": "v3"}}, "v3"),
        ({"benchmark": {"name": "reasoning_gym", "settings": {"size": 0}}}, "size"),
        ({"strategy": {"name": "tmsa"}}, "attributes.strategy.name: no strategy 'tmsa'"),
        ({"strategy": {"name": "tmas", "settings": {"epsilon": 2}}}, "attributes.strategy.settings.epsilon"),
        ({"roles": {"solver": {}}}, "attributes.roles.solver"),
        ({"endpoints": {}}, "needs an endpoint named 'default'"),
        ({"endpoints": {"default": {"urls": ["http://a/v1"], "model": "m", "concurency": 1}}}, "concurency"),
        ({"name": "Bad name"}, "name"),
    ],
)
def test_a_wrong_field_is_refused_with_its_file_and_name(change, field):
    with pytest.raises(Exception) as caught:  # noqa: PT011 - whichever wrapper Dagster puts around it
        load(GOOD | change)
    texts = []
    error: BaseException | None = caught.value
    while error is not None:
        texts.append(str(error))
        error = error.__cause__ or error.__context__
    text = "\n".join(texts)
    assert "defs.yaml" in text
    assert field in text


def test_the_shipped_experiments_are_those_promised():
    files = loaded().experiments
    shipped = {file.experiment.name: file.experiment for file in files}
    assert shipped.keys() >= {"demo", "imo_answerbench_tmas", "math500_tmas_small"}
    paper = shipped["imo_answerbench_tmas"]
    settings = paper.strategy.settings
    assert (settings["candidates"], settings["verifications"], settings["epsilon"]) == (8, 8, 0.2)
    assert (paper.iterations, paper.repeats) == (20, 4)
    assert paper.endpoints["default"].model == "Qwen/Qwen3-4B-Thinking-2507"
    small = shipped["math500_tmas_small"]
    assert (small.strategy.settings["candidates"], small.strategy.settings["verifications"], small.iterations) == (
        4,
        4,
        10,
    )
    demo = shipped["demo"]
    assert (demo.strategy.settings["candidates"], demo.strategy.settings["verifications"]) == (4, 2)
    assert demo.iterations >= 3
    assert demo.benchmark.settings["size"] >= 8
    assert all(Path(file.file).name == "defs.yaml" for file in files)
