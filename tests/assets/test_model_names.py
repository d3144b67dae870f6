"""Models named in files: training runs that there are, with an iteration that they have, in no circle; and what depends on them."""

from pathlib import Path
from typing import Any, cast

import dagster as dg
import pytest

from tmas_assets.assets.checkpoint_deps import checkpoint_deps
from tmas_assets.assets.data.files import ColdStartFile
from tmas_assets.assets.experiment import ExperimentFault, ExperimentFile
from tmas_assets.assets.loading import Loaded
from tmas_assets.assets.model_names import endpoint_faults, refuse_unknown_models, training_faults
from tmas_assets.assets.training.files import TrainingFile
from tmas_assets.records import ColdStart, Endpoint, Experiment, Training

FILE = Path("defs/mine/defs.yaml")


def grpo(name: str = "demo_grpo", base: str = "smollm2-135m-instruct", rows: str = "cold", iteration: object = "latest") -> Training:
    return Training.model_validate({
        "name": name, "base": {"model": base, "iteration": iteration}, "prompts": {"set": rows}, "optimisation": {"learning_rate": 1e-6},
        "grpo": {"iterations": 3, "steps": 1, "rewards": [{"name": "correctness"}]},
    })  # fmt: skip


def sft(name: str = "demo_sft") -> Training:
    return Training.model_validate({"name": name, "conversations": {"set": "cold"}, "sft": {}, "optimisation": {"learning_rate": 1e-6}})


def endpoints(*models: Any) -> dict[str, Endpoint]:
    """Each a name, or a name with its iteration."""
    stated = [one if isinstance(one, tuple) else (one, "latest") for one in models]
    return {
        f"e{at}": Endpoint.model_validate({"managed": {"model": name, "iteration": iteration}}) for at, (name, iteration) in enumerate(stated)
    }


@pytest.mark.parametrize("model", ["smollm2-135m-instruct", "demo_grpo", ("demo_grpo", 2), "demo_sft", "./demo", "/models/q", "~/m", ".."])
def test_a_model_that_there_is_has_no_fault(model: Any) -> None:
    assert endpoint_faults(endpoints(model), [grpo(), sft()]) == []


@pytest.mark.parametrize(
    ("model", "words"),
    [
        ("demo_grop", "endpoints.e0.managed.model: there is no training run 'demo_grop'; did you mean demo_grpo? known: "),
        ("Qwen3-4B", "the path of a folder has a slash, e.g. ./Qwen3-4B"),
        (("demo_grpo", 3), "endpoints.e0.managed.iteration: demo_grpo has t00 to t02 (found 3)"),
        (("demo_grpo", -1), "endpoints.e0.managed.iteration: demo_grpo has t00 to t02 (found -1)"),
        (("demo_sft", 1), "endpoints.e0.managed.iteration: demo_sft has t00 alone (found 1)"),
    ],
)
def test_a_model_that_there_is_not_is_a_fault_of_its_field(model: Any, words: str) -> None:
    (fault,) = endpoint_faults(endpoints(model), [grpo(), sft()])
    assert words in fault


def test_a_base_and_a_judge_are_looked_up_too() -> None:
    (fault,) = training_faults(grpo(base="demo_stf"), [sft()])
    assert fault.startswith("base.model: there is no training run 'demo_stf'; did you mean demo_sft?")
    assert training_faults(grpo(base="demo_sft", iteration=1), [sft()]) == ["base.iteration: demo_sft has t00 alone (found 1)"]
    judged = grpo().model_copy(update={"judge": endpoints("other")["e0"]})
    assert training_faults(judged, [judged])[0].startswith("judge.managed.model: there is no training run 'other'")


def located(*trainings: Training, cold: Any = "smollm2-135m-instruct") -> Loaded:
    data = ColdStart.model_validate({
        "name": "cold", "sources": [{"benchmark": {"name": "reasoning_gym"}}],
        "endpoints": {"default": endpoints(cold)["e0"].model_dump(mode="json")},
    })  # fmt: skip
    files = tuple(TrainingFile(one, Path(f"defs/{one.name}/defs.yaml")) for one in trainings)
    return Loaded(cast(dg.ComponentTree, None), (), (), (ColdStartFile(data, FILE),), files)


def test_a_data_set_is_of_a_stated_checkpoint() -> None:
    other = grpo("other", rows="another")
    refuse_unknown_models(located(other, cold=("other", 0)))
    with pytest.raises(ExperimentFault, match=r"endpoints\.default\.managed\.iteration: a data set is of one checkpoint; say which of other"):
        refuse_unknown_models(located(other, cold="other"))


@pytest.mark.parametrize(
    "location", [located(grpo("a", "b"), grpo("b", "a")), located(grpo(), cold=("demo_grpo", 0))], ids=["bases", "rows"]
)
def test_a_circle_is_named_with_everyone_in_it(location: Loaded) -> None:
    with pytest.raises(ExperimentFault, match=r"(a needs b needs a|b needs a needs b|cold needs demo_grpo needs cold|demo_grpo needs cold needs demo_grpo): a circle"):
        refuse_unknown_models(location)


def test_dependencies_are_on_the_partition_that_is_meant() -> None:
    known = [grpo(), sft()]
    named = {dep.asset_key.to_user_string(): dep.partition_mapping for dep in checkpoint_deps(endpoints("demo_grpo", "demo_sft"), known)}
    assert named == {"demo_grpo/grpo_checkpoint": dg.LastPartitionMapping(), "demo_sft/sft_checkpoint": None}
    (both,) = checkpoint_deps(endpoints(("demo_grpo", 0), "demo_grpo"), known)
    assert both.partition_mapping == dg.SpecificPartitionsPartitionMapping(["t00", "t02"])
    assert checkpoint_deps(endpoints("smollm2-135m-instruct", "./x"), known) == []


def test_a_faulty_experiment_is_named_by_file_and_field() -> None:
    stated = Experiment.model_validate({
        "name": "mine", "benchmark": {"name": "reasoning_gym", "release": "mine"}, "strategy": {"name": "single"}, "iterations": 1,
        "endpoints": {"default": {"managed": {"model": "demo_grp"}}},
    })  # fmt: skip
    found = Loaded(cast(dg.ComponentTree, None), (ExperimentFile(stated, FILE),), (), (), (TrainingFile(grpo(), FILE),))
    with pytest.raises(ExperimentFault) as caught:
        refuse_unknown_models(found)
    assert str(caught.value).startswith(f"{FILE}: attributes.endpoints.default.managed.model: there is no training run 'demo_grp'; did you mean demo_grpo?")


def test_a_training_from_a_run_that_there_is_not_is_named_by_file_and_field() -> None:
    with pytest.raises(ExperimentFault) as caught:
        refuse_unknown_models(located(grpo(base="demo_sfd"), sft()))
    assert str(caught.value).startswith("defs/demo_grpo/defs.yaml: attributes.base.model: there is no training run 'demo_sfd'; did you mean demo_sft?")
