"""Whether DeepSpeed has the fields that a run puts over its configuration: it passes over a name that it does not know in silence.

Trainer-process module: imports DeepSpeed, and takes the names from its own code (0.19.8). Leaves out fields that our settings state.
"""

from collections.abc import Iterator, Mapping
from difflib import get_close_matches

import deepspeed.runtime.config as own
from deepspeed.runtime.zero.config import DeepSpeedZeroConfig
from pydantic import JsonValue, ValidationError

_SECTIONS = frozenset({
    "activation_checkpointing", "aio", "amp", "autotuning", "comet", "comms_logger", "compile", "compression_training", "csv_monitor",
    "datastates_config", "elasticity", "expert_parallel", "flops_profiler", "hybrid_engine", "nebula", "pipeline", "sparse_attention",
    "sparse_gradients", "tensor_parallel", "tensorboard", "timers", "wandb", "weight_quantization", "zero_optimization",
})  # fmt: skip
"""Names that its code reads without a constant for them in `runtime/config.py`."""


def unknown_fields(overrides: Mapping[str, JsonValue]) -> Iterator[str]:
    """One line a fault, the path of its field first."""
    known = _SECTIONS | {value for value in vars(own).values() if isinstance(value, str)}
    for name in overrides:
        if name not in known:
            near = get_close_matches(name, known, n=1)
            yield f"deepspeed.overrides.{name}: DeepSpeed has no such field{f'; did you mean {near[0]}?' if near else ''}"
    zero = overrides.get("zero_optimization")
    if not isinstance(zero, Mapping):
        return
    try:
        DeepSpeedZeroConfig(**{name: value for name, value in zero.items() if value != "auto"})
    except ValidationError as error:
        for one in error.errors():
            yield f"deepspeed.overrides.zero_optimization.{'.'.join(map(str, one['loc']))}: {one['msg']}"
