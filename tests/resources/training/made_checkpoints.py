"""A trainer's output in a folder, as far as a registration looks at it: a whole small model and the trainer's outcome."""

import json
from pathlib import Path
from typing import Any

from resources.training.checkpoints import Checkpoints, Registered
from tests.resources.conftest import whole_safetensors
from tmas_assets.records import CheckpointFacts, TrainerOutcome

OUTCOME = TrainerOutcome(
    ended="finished", step=6, seconds=1.5, processes=1, max_difference=0.0, parameters=64, device="cpu", packages=(("trl", "1"),)
)


def facts(training: str = "demo_grpo", iteration: int = 0, **change: Any) -> CheckpointFacts:
    base = f"{training}@t{iteration - 1:02d}" if iteration else "smollm2-135m-instruct"
    stated = CheckpointFacts(
        training=training, kind="grpo", iteration=iteration, base=base, base_digest="b" * 64, rows=f"{training}/rl_prompts",
        rows_digest="r" * 64, order_digest="o" * 64, settings_digest="s" * 64, code_version="1", run="run", reward=0.5, loss=0.1,
    )  # fmt: skip
    return stated.model_copy(update=change)


def trained(folder: Path, weights: int = 64, **outcome: Any) -> Path:
    """`weights`: bytes of the only tensor, so that other numbers make another model."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "config.json").write_text(json.dumps({"model_type": "llama"}))
    (folder / "tokenizer.json").write_text("{}")
    (folder / "tokenizer_config.json").write_text(json.dumps({"chat_template": "{{ messages }}"}))
    (folder / "model.safetensors").write_bytes(whole_safetensors(weights))
    (folder / "outcome.json").write_text(OUTCOME.model_copy(update=outcome).model_dump_json())
    return folder


def register(checkpoints: Checkpoints, training: str = "demo_grpo", iteration: int = 0, weights: int = 64, **change: Any) -> Registered:
    folder = trained(checkpoints.making(training, iteration), weights)
    return checkpoints.register(folder, facts(training, iteration, **change))
