"""The reference computes the advantages that TRL's trainer computes: one step of it, with rewards that we say, on a model made here."""

import pytest

from tests.training import tiny_model
from tmas_assets.rewards.advantages import advantages, zero_variance

pytestmark = pytest.mark.xdist_group("trl")  # its import takes seconds: one worker is enough

GROUP = 4
REWARDS = (
    [1.0, None, 0.0, 1.0, 1.0, 1.0, 1.0, 1.0],
    [1.0, 0.2, -0.5, -1.0, None, None, None, None],
    [1.375, -1.0, -1.0, None, None, 0.2, None, None],
)


@pytest.fixture(scope="module")
def trainer(tmp_path_factory):
    """(rewards, scale) -> (advantages, logged figures) by TRL's own code."""
    import datasets
    import torch
    from trl import GRPOConfig, GRPOTrainer

    folder = tmp_path_factory.mktemp("trl")
    table = datasets.Dataset.from_list([{"prompt": [{"role": "user", "content": text}]} for text in "ab"])
    said: list[float | None] = []
    made = GRPOTrainer(
        model=tiny_model.model(), processing_class=tiny_model.tokenizer(), train_dataset=table,
        reward_funcs=lambda completions, **columns: list(said),
        args=GRPOConfig(
            output_dir=str(folder), use_cpu=True, report_to="none", bf16=False, num_generations=GROUP, max_completion_length=4,
            per_device_train_batch_size=2 * GROUP, dataloader_pin_memory=False, disable_tqdm=True, gradient_checkpointing=False,
        ),
    )  # fmt: skip
    inputs = [one for one in table for _ in range(GROUP)]

    def run(rewards, scale):
        said[:] = rewards
        made.scale_rewards = scale
        with torch.no_grad():
            found = made._generate_and_score_completions(inputs)
        return found["advantages"].tolist(), {name: values[-1] for name, values in made._metrics["train"].items()}

    return run


@pytest.mark.parametrize("scale", ["group", "batch", "none"])
@pytest.mark.parametrize("rewards", REWARDS)
def test_advantages_are_the_trainers(trainer, rewards, scale):
    found, _ = trainer(rewards, scale)
    assert found == pytest.approx(advantages(rewards, GROUP, scale), abs=1e-5)


def test_the_trainers_figures_are_those_of_the_rewards_that_are_there(trainer):
    _, figures = trainer(REWARDS[0], "group")
    assert figures["reward"] == pytest.approx(6 / 7)
    assert figures["frac_reward_zero_std"] == zero_variance(REWARDS[0], GROUP) == 0.5
