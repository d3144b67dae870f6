"""DeepSpeed's configuration for a training run, as its JSON; pure. The trainer fills in what is `auto`.

Field names and meanings: deepspeed 0.19.8, `runtime/config.py` and `runtime/zero/config.py`.
"""

from collections.abc import Mapping

from pydantic import JsonValue

from resources.training.trainer_faults import Fault, TrainerFault
from tmas_assets.records.training import Training


def deepspeed_config(training: Training) -> dict[str, JsonValue]:
    """Raises TrainerFault where the settings contradict each other."""
    chosen = training.deepspeed
    cuda = training.launch.device == "cuda"
    if chosen.offload and chosen.stage == 0:
        text = "deepspeed.offload needs stage 1, 2 or 3: stage 0 keeps everything on every device. Raise the stage, or leave offload out."
        raise TrainerFault(Fault.LAUNCH, text)
    zero: dict[str, JsonValue] = {"stage": chosen.stage, "contiguous_gradients": True, "overlap_comm": cuda}
    to_host: JsonValue = {"device": "cpu", "pin_memory": cuda}
    if chosen.offload:
        zero["offload_optimizer"] = to_host
    if chosen.stage == 3:
        # so that every rank takes part in saving one whole model
        zero["stage3_gather_16bit_weights_on_model_save"] = True
        if chosen.offload:
            zero["offload_param"] = to_host
    config: dict[str, JsonValue] = {
        "train_micro_batch_size_per_gpu": "auto",
        "gradient_accumulation_steps": "auto",
        "train_batch_size": "auto",
        "gradient_clipping": "auto",
        "bf16": {"enabled": "auto"},
        "zero_optimization": zero,
        # the optimizer is torch's AdamW, whose kernels need no build
        "zero_allow_untested_optimizer": True,
        "zero_force_ds_cpu_optimizer": False,
    }
    if chosen.offload and cuda:
        # torch's AdamW on offloaded state is several times slower than DeepSpeed's own for the host
        config["zero_force_ds_cpu_optimizer"] = True
        config["optimizer"] = {
            "type": "AdamW",
            "params": {"lr": "auto", "betas": "auto", "eps": "auto", "weight_decay": "auto"},
        }
    return merged(config, chosen.overrides)


def merged(below: Mapping[str, JsonValue], above: Mapping[str, JsonValue]) -> dict[str, JsonValue]:
    """`above` put over `below`, mapping into mapping; any other value, None too, takes the place of what was there."""
    result = dict(below)
    for name, value in above.items():
        under = result.get(name)
        result[name] = merged(under, value) if isinstance(under, Mapping) and isinstance(value, Mapping) else value
    return result
