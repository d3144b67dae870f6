"""Trainer arguments that SFT and GRPO share: optimisation, precision, DeepSpeed, where states go, and nothing that leaves the machine."""

from typing import Any, TypeVar

import deepspeed
import torch.distributed as dist

from resources.training.deepspeed_config import deepspeed_config
from resources.training.kernel_cache import leave_out_unused_kernels
from tmas_assets.engine.training import ranks
from tmas_assets.engine.training.deepspeed_fields import unknown_fields
from tmas_assets.engine.training.faults import TrainerRefusal
from tmas_assets.records import TrainerPlan
from tmas_assets.training.step_layout import accumulation

C = TypeVar("C")


def arguments(kind: type[C], plan: TrainerPlan, *, last: int, sequences: int, made_of: str, **own: Any) -> C:
    """`kind`, a configuration class of TRL. `last`: the step that training ends after, counted over the whole run; `sequences`: of
    one step over all processes, `made_of` words for that number; `own`: what only this kind of training sets.

    Raises TrainerRefusal where processes and micro-batches do not divide a step, or DeepSpeed has no field that is put over its own.
    """
    training, settings = plan.training, plan.training.optimisation
    try:
        steps = accumulation(sequences, micro_batch=settings.micro_batch, processes=ranks.processes(), made_of=made_of)
    except ValueError as error:
        raise TrainerRefusal(f"{training.name}: {error}") from error
    if wrong := "; ".join(unknown_fields(training.deepspeed.overrides)):
        raise TrainerRefusal(f"{training.name}: {wrong}")
    on_cpu = training.launch.device == "cpu"
    if on_cpu:
        leave_out_unused_kernels()
    warming = settings.schedule == "constant" and settings.warmup > 0
    shared = {
        "output_dir": plan.states,
        "max_steps": last,
        "per_device_train_batch_size": settings.micro_batch,
        "gradient_accumulation_steps": steps,
        "learning_rate": settings.learning_rate,
        "lr_scheduler_type": "constant_with_warmup" if warming else settings.schedule,
        "warmup_steps": settings.warmup,
        "weight_decay": settings.weight_decay,
        "max_grad_norm": settings.max_grad_norm,
        "gradient_checkpointing": settings.gradient_checkpointing,
        "bf16": settings.precision == "bf16",
        "seed": settings.seed,
        "deepspeed": dict(deepspeed_config(training)),
        "use_cpu": on_cpu,
        "dataloader_pin_memory": not on_cpu,
        # a state at every `save_steps`, and one after the last step in any case; `prune` decides which stay
        "save_strategy": "steps",
        "save_steps": settings.save_steps or last,
        "save_total_limit": None,
        "save_only_model": False,
        "logging_strategy": "steps",
        "logging_steps": 1,
        # a loss that is no number is an error with a name, not an average of earlier ones
        "logging_nan_inf_filter": False,
        "report_to": "none",
        "disable_tqdm": True,
        "push_to_hub": False,
        "remove_unused_columns": False,
        # float32 here, so that the optimizer's master weights are the folder's own; DeepSpeed casts for the forward pass
        "model_init_kwargs": {"dtype": "float32", "use_safetensors": True},
    }  # fmt: skip
    made = kind(**(shared | own))
    if on_cpu and dist.is_initialized():
        # transformers started gloo past DeepSpeed, which would count one process when stage 3 spreads the model
        deepspeed.init_distributed("gloo", auto_mpi_discovery=False)
    return made
