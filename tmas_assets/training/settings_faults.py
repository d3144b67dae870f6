"""What is wrong with a training run's settings and can be told from them alone, as lines `grpo.mix: ...`, before anything is started.

Pure. Leaves out what one field can say (`records/training.py`), rewards (`rewards/faults.py`), and all that depends on rows, models and machines.
"""

import math
from collections.abc import Iterator, Mapping

from pydantic import JsonValue

from tmas_assets.records import Grpo, Prompts, Training
from tmas_assets.training.step_layout import accumulation

_GATHER = "stage3_gather_16bit_weights_on_model_save"
_STATED = {
    "train_batch_size": "sft.batch, or grpo.prompts and grpo.samples",
    "train_micro_batch_size_per_gpu": "optimisation.micro_batch",
    "gradient_accumulation_steps": "optimisation.micro_batch",
    "gradient_clipping": "optimisation.max_grad_norm",
    "scheduler": "optimisation.schedule and optimisation.warmup",
}
"""DeepSpeed's fields that other settings of ours say, and the trainer holds against them."""


def settings_faults(training: Training) -> Iterator[str]:
    """One line a fault, the path of its field first."""
    yield from _division(training)
    if training.grpo is not None:
        yield from _mix(training.grpo, training.prompted)
        if training.grpo.rollouts.engine != "transformers" and training.launch.device == "cpu":
            yield f"grpo.rollouts.engine: {training.grpo.rollouts.engine} needs GPUs, and launch.device is cpu; set it to transformers, or the device to cuda"
    if training.launch.hostfile is not None and training.launch.launcher != "deepspeed":
        yield f"launch.hostfile: deepspeed alone reads it, and launch.launcher is {training.launch.launcher}; set that to deepspeed, or leave the hostfile out"
    yield from _zero(training)


def _division(training: Training) -> Iterator[str]:
    """Of one node: more of them need no less."""
    sft, grpo = training.sft, training.grpo
    if sft is not None:
        sequences, made_of = sft.batch, "sft.batch"
    else:
        assert grpo is not None
        sequences, made_of = grpo.prompts * grpo.samples, f"prompts {grpo.prompts} x samples {grpo.samples}"
    try:
        accumulation(sequences, micro_batch=training.optimisation.micro_batch, processes=training.launch.processes, made_of=made_of)
    except ValueError as error:
        yield f"optimisation.micro_batch: {error}"


def _mix(grpo: Grpo, prompts: Prompts) -> Iterator[str]:
    wrong = {source: weight for source, weight in grpo.mix.items() if not (math.isfinite(weight) and weight >= 0)}
    yield from (f"grpo.mix.{source}: {weight} is no share; give a number of at least 0" for source, weight in wrong.items())
    if grpo.mix and not wrong and not any(grpo.mix.values()):
        yield "grpo.mix: no source has a share above 0; give one, or leave the mix out"
    for source, weight in grpo.mix.items():
        if source not in prompts.sources and source not in wrong and weight:
            yield f"grpo.mix.{source}: prompts.sources has only {', '.join(prompts.sources) or 'none'}; add {source} there, or take it out of the mix"


def _zero(training: Training) -> Iterator[str]:
    chosen = training.deepspeed
    if chosen.offload and chosen.stage == 0:
        yield "deepspeed.offload: stage 0 keeps everything on every device; raise deepspeed.stage, or leave offload out"
    for name, ours in _STATED.items():
        if name in chosen.overrides:
            yield f"deepspeed.overrides.{name}: set {ours} in its place"
    for name in ("bf16", "fp16"):
        if "enabled" in _fields(chosen.overrides.get(name)):
            yield f"deepspeed.overrides.{name}.enabled: set optimisation.precision in its place"
    if "zero_optimization" not in chosen.overrides:
        return
    zero = chosen.overrides["zero_optimization"]
    if not isinstance(zero, Mapping):
        yield f"deepspeed.overrides.zero_optimization: its fields are wanted, found {zero!r}; set deepspeed.stage to choose a stage"
    elif "stage" in zero:
        yield "deepspeed.overrides.zero_optimization.stage: set deepspeed.stage in its place"
    elif chosen.stage == 3 and zero.get(_GATHER, True) is not True:
        yield f"deepspeed.overrides.zero_optimization.{_GATHER}: without it no model can be saved under stage 3; leave it out"


def _fields(value: JsonValue) -> Mapping[str, JsonValue]:
    return value if isinstance(value, Mapping) else {}
