"""Settings that contradict each other are told with the path of the field, before a trainer is started; the shipped ones are not among them."""

from typing import Any

import pytest

from tmas_assets.records import Training
from tmas_assets.training.settings_faults import settings_faults

SFT = {"conversations": {"set": "cold"}, "sft": {"batch": 6}}
GRPO = {"prompts": {"set": "cold", "sources": ["normal", "experience"]}, "grpo": {"steps": 1, "prompts": 3, "samples": 4, "rewards": [{"name": "correctness"}]}}


def faults(base: dict[str, Any], **changed: dict[str, Any]) -> list[str]:
    body = {"name": "run", "optimisation": {"learning_rate": 1e-5}, **base}
    body |= {name: body.get(name, {}) | fields for name, fields in changed.items()}
    return list(settings_faults(Training.model_validate(body)))


@pytest.mark.parametrize(
    ("base", "changed", "line"),
    [
        (SFT, {"optimisation": {"micro_batch": 4}}, "optimisation.micro_batch: a step has 6 sequences (sft.batch)"),
        (GRPO, {"launch": {"processes": 5}}, "optimisation.micro_batch: a step has 12 sequences (prompts 3 x samples 4)"),
        (GRPO, {"grpo": {"mix": {"normal": 1, "guideline": 1}}}, "grpo.mix.guideline: prompts.sources has only normal, experience; add guideline"),
        (GRPO, {"grpo": {"mix": {"normal": float("nan")}}}, "grpo.mix.normal: nan is no share"),
        (GRPO, {"grpo": {"mix": {"normal": 1, "experience": float("inf")}}}, "grpo.mix.experience: inf is no share"),
        (GRPO, {"grpo": {"mix": {"normal": -1}}}, "grpo.mix.normal: -1.0 is no share"),
        (GRPO, {"grpo": {"mix": {"normal": 0}}}, "grpo.mix: no source has a share above 0"),
        (GRPO, {"grpo": {"rollouts": {"engine": "vllm_colocate"}}}, "grpo.rollouts.engine: vllm_colocate needs GPUs"),
        (SFT, {"launch": {"hostfile": "hosts"}}, "launch.hostfile: deepspeed alone reads it, and launch.launcher is torchrun"),
        (SFT, {"deepspeed": {"stage": 0, "offload": True}}, "deepspeed.offload: stage 0"),
        (SFT, {"deepspeed": {"overrides": {"train_batch_size": 7}}}, "deepspeed.overrides.train_batch_size: set sft.batch"),
        (SFT, {"deepspeed": {"overrides": {"fp16": {"enabled": True}}}}, "deepspeed.overrides.fp16.enabled: set optimisation.precision"),
        (SFT, {"deepspeed": {"overrides": {"zero_optimization": {"stage": 3}}}}, "deepspeed.overrides.zero_optimization.stage: set deepspeed.stage"),
        (SFT, {"deepspeed": {"overrides": {"zero_optimization": 3}}}, "deepspeed.overrides.zero_optimization: its fields are wanted, found 3"),
        (
            SFT, {"deepspeed": {"stage": 3, "overrides": {"zero_optimization": {"stage3_gather_16bit_weights_on_model_save": False}}}},
            "deepspeed.overrides.zero_optimization.stage3_gather_16bit_weights_on_model_save: without it no model can be saved",
        ),
    ],
)  # fmt: skip
def test_a_contradiction_is_one_line_with_its_path(base, changed, line):
    [found] = faults(base, **changed)
    assert found.startswith(line)


@pytest.mark.parametrize("base", [SFT, GRPO])
def test_settings_that_fit_have_none(base):
    fields = {"stage": 3, "overrides": {"zero_optimization": {"reduce_bucket_size": 5}, "bf16": {"immediate_grad_update": True}}}
    assert faults(base, launch={"processes": 3}, optimisation={"micro_batch": 2}, deepspeed=fields) == []
    assert faults(SFT, launch={"launcher": "deepspeed", "hostfile": "hosts"}) == []
    assert faults(GRPO, grpo={"mix": {"normal": 1, "guideline": 0}, "rollouts": {"engine": "vllm_colocate"}}, launch={"device": "cuda"}) == []
