"""DeepSpeed's configuration for every stage, on CPU and CUDA, as DeepSpeed and accelerate themselves read it."""

import copy
import json
from pathlib import Path
from typing import Any

import pytest

from resources.training.deepspeed_config import deepspeed_config, merged
from resources.training.launchers import accelerate_config
from resources.training.trainer_faults import TrainerFault
from tests.resources.training.trainers import training
from tmas_assets.records.training import DeepSpeed, Launch

pytestmark = pytest.mark.xdist_group("trl")
EVERY = [(stage, offload, device) for stage in (0, 1, 2, 3) for offload in (False, True) for device in ("cpu", "cuda") if stage or not offload]


def made(device: str = "cpu", **settings: Any) -> dict[str, Any]:
    return deepspeed_config(training(device=device).model_copy(update={"deepspeed": DeepSpeed(**settings)}))


def filled(value: Any) -> Any:
    """As the trainer fills in what is `auto`."""
    if isinstance(value, dict):
        values = {"gradient_clipping": 1.0, "enabled": True, "lr": 1e-5, "betas": [0.9, 0.999], "eps": 1e-8, "weight_decay": 0.0}
        return {name: values.get(name, 1) if under == "auto" else filled(under) for name, under in value.items()}
    return value


@pytest.mark.parametrize(("stage", "offload", "device"), EVERY)
def test_deepspeed_and_accelerate_read_it_as_it_was_meant(stage: int, offload: bool, device: str) -> None:
    from accelerate import DeepSpeedPlugin
    from deepspeed.runtime.config import DeepSpeedConfig

    config = made(device, stage=stage, offload=offload)
    read = DeepSpeedConfig(filled(copy.deepcopy(config)))
    zero = read.zero_config
    assert int(zero.stage) == stage
    assert zero.overlap_comm == (device == "cuda")
    assert (zero.offload_optimizer is not None) == offload
    assert (zero.offload_param is not None) == (offload and stage == 3)
    assert zero.gather_16bit_weights_on_model_save == (stage == 3)
    assert read.zero_allow_untested_optimizer
    assert read.zero_force_ds_cpu_optimizer == (offload and device == "cuda")
    assert read.bfloat16_config.enabled
    assert (read.optimizer_name == "adamw") == (offload and device == "cuda")
    plugin = DeepSpeedPlugin(hf_ds_config=copy.deepcopy(config))
    assert plugin.zero_stage == stage
    assert plugin.offload_optimizer_device == ("cpu" if offload else "none")


def test_deepspeeds_own_fields_are_put_over_ours_and_the_rest_stays() -> None:
    config = made(stage=3, overrides={"zero_optimization": {"overlap_comm": True}, "bf16": None, "wall_clock_breakdown": True})
    assert config["zero_optimization"] == {**made(stage=3)["zero_optimization"], "overlap_comm": True}
    assert config["bf16"] is None
    assert config["wall_clock_breakdown"] is True
    assert merged({"a": {"b": 1}}, {"a": 2}) == {"a": 2}


def test_offload_without_a_stage_is_refused() -> None:
    with pytest.raises(TrainerFault, match="stage 0"):
        made(stage=0, offload=True)


def test_accelerate_reads_its_file_as_it_was_meant(tmp_path: Path) -> None:
    from accelerate.commands.config.config_args import load_config_from_file

    path = tmp_path / "accelerate.json"
    path.write_text(json.dumps(accelerate_config(Launch(processes=4), "bf16", 1234)))
    read = load_config_from_file(str(path))
    assert (read.num_processes, read.main_process_port, read.mixed_precision, read.use_cpu) == (4, 1234, "bf16", True)
    assert str(read.distributed_type.value) == "DEEPSPEED"
