"""A field that DeepSpeed does not have is refused, and those that it has are not."""

import pytest

pytestmark = pytest.mark.xdist_group("trl")  # its import takes seconds: one worker is enough


@pytest.mark.parametrize(
    ("overrides", "line"),
    [
        ({"zero_optimisation": {}}, "deepspeed.overrides.zero_optimisation: DeepSpeed has no such field; did you mean zero_optimization?"),
        ({"zero_optimization": {"reduce_bucket": 5}}, "deepspeed.overrides.zero_optimization.reduce_bucket: Extra inputs are not permitted"),
        ({"zero_optimization": {"offload_param": {"device": "moon"}}}, "deepspeed.overrides.zero_optimization.offload_param.device: "),
    ],
)
def test_a_field_that_is_none_is_named(overrides, line):
    from tmas_assets.engine.training.deepspeed_fields import unknown_fields

    [found] = unknown_fields(overrides)
    assert found.startswith(line)


def test_fields_of_its_documentation_are_known():
    from tmas_assets.engine.training.deepspeed_fields import unknown_fields

    named = (
        "steps_per_print", "communication_data_type", "prescale_gradients", "gradient_predivide_factor", "sparse_gradients", "optimizer",
        "activation_checkpointing", "comms_logger", "flops_profiler", "wall_clock_breakdown", "tensorboard", "wandb", "csv_monitor", "data_types",
        "aio", "zero_allow_untested_optimizer", "bf16", "checkpoint", "data_efficiency", "compile", "torch_autocast", "tensor_parallel",
    )  # fmt: skip
    zero = {"reduce_bucket_size": "auto", "overlap_comm": True, "offload_optimizer": {"device": "nvme", "nvme_path": "/fast"}}
    assert list(unknown_fields({"zero_optimization": zero, **{name: {} for name in named}})) == []
