"""The shipped training files hold the published settings, and what they lead to is read by DeepSpeed, or refused in words without a GPU."""

import copy
import json
from pathlib import Path

import dagster as dg
import pytest

from resources.training.deepspeed_config import deepspeed_config
from resources.training.trainer_faults import Fault, TrainerFault
from resources.training.trainer_job import TrainerJob
from tmas_assets.assets.location import loaded
from tmas_assets.assets.training.files import training_definitions
from tmas_assets.records import TrainerPlan, Training

pytestmark = pytest.mark.xdist_group("trl")
LARGE = ("tmas_hybrid_4b", "tmas_vanilla_4b", "m1_32b_sft")


@pytest.fixture(scope="module")
def shipped() -> dict[str, Training]:
    return {file.training.name: file.training for file in loaded().trainings}


@pytest.mark.parametrize("name", ["tmas_hybrid_4b", "tmas_vanilla_4b"])
def test_the_4b_runs_are_those_of_the_tmas_paper(shipped: dict[str, Training], name: str) -> None:
    run = shipped[name]
    assert run.grpo is not None
    assert (run.optimisation.learning_rate, run.grpo.prompts, run.grpo.samples, run.grpo.rollouts.max_tokens) == (1e-6, 128, 16, 80 * 1024)
    assert (run.deepspeed.stage, run.launch.device, run.base.model.rpartition("/")[2]) == (3, "cuda", "Qwen3-4B-Thinking-2507")


def test_vanilla_and_hybrid_differ_in_their_rewards_alone(shipped: dict[str, Training]) -> None:
    for vanilla, hybrid in (("tmas_vanilla_4b", "tmas_hybrid_4b"), ("demo_vanilla", "demo_grpo")):
        one, other = (shipped[name].model_dump(exclude={"name", "description", "judge"}) for name in (vanilla, hybrid))
        rewards = [[choice["name"] for choice in run["grpo"].pop("rewards")] for run in (one, other)]
        assert one == other
        assert rewards == [["correctness"], ["correctness", "experience_use", "novel_strategy"]]


def test_the_32b_run_is_that_of_m1(shipped: dict[str, Training]) -> None:
    run = shipped["m1_32b_sft"]
    settings = run.optimisation
    assert run.sft is not None
    assert (settings.learning_rate, settings.schedule, settings.warmup, settings.weight_decay) == (1e-5, "cosine", 0.05, 1e-4)
    assert (run.sft.epochs, run.sft.max_tokens, run.sft.loss_on, run.sft.whole_groups) == (5, 32768, "assistant", True)
    assert (run.deepspeed.stage, run.deepspeed.offload, run.launch.device) == (3, True, "cuda")


@pytest.mark.parametrize("name", LARGE)
def test_deepspeed_and_accelerate_read_the_configuration(shipped: dict[str, Training], name: str) -> None:
    from accelerate import DeepSpeedPlugin

    plugin = DeepSpeedPlugin(hf_ds_config=copy.deepcopy(deepspeed_config(shipped[name])))
    assert plugin.zero_stage == 3
    assert plugin.offload_param_device == ("cpu" if name == "m1_32b_sft" else "none")


@pytest.mark.parametrize(("name", "kind", "words"), [
    ("tmas_hybrid_4b", Fault.TRAINER_MISSING, "has no vllm"),
    ("m1_32b_sft", Fault.GPU_MISSING, "asks for 8 GPUs"),
])  # fmt: skip
def test_without_gpus_a_launch_is_refused_before_anything_is_started(
    shipped: dict[str, Training], name: str, kind: Fault, words: str, tmp_path: Path
) -> None:
    plan = TrainerPlan(
        training=shipped[name], iteration=0, model="/models/none", state=None, rows=("set", "sft"), rows_partition=("rows",), rows_digest="0",
        states=str(tmp_path / "states"), output=str(tmp_path / "model"), figures=str(tmp_path / "figures.jsonl"),
    )  # fmt: skip
    with pytest.raises(TrainerFault, match=words) as fault:
        TrainerJob(scratch=str(tmp_path)).run(plan, tmp_path / "run", environment={})
    assert fault.value.kind is kind
    assert not (tmp_path / "run" / "trainer.log").exists()


def test_a_run_that_trains_on_gpus_asks_a_cluster_for_one_a_process_and_others_for_none() -> None:
    found = loaded()
    trainings, sets = [file.training for file in found.trainings], [file.data for file in found.data_sets]
    asked = {one.name: _pod(training_definitions(one, sets, trainings, [])) for one in trainings}
    assert asked["tmas_hybrid_4b"] == {"container_config": {"resources": {"limits": {"nvidia.com/gpu": "8"}}}}
    assert asked["demo_sft"] is None


def _pod(defs: dg.Definitions) -> object:
    (job,) = (one for one in defs.jobs or () if one.name.endswith("_train"))
    stated = job.tags.get("dagster-k8s/config") if isinstance(job, dg.JobDefinition) else None
    return None if stated is None else json.loads(stated)
