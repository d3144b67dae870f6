"""What both sides of the overhead bench train: a tiny model, rows in one order, settings said once and put in each side's words."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from resources.deployment import Deployment
from resources.parquet_store import Address
from resources.training.deepspeed_config import deepspeed_config
from tests.reports.data_rows import conversation, rl_row
from tests.training import tiny_model
from tmas_assets.records import Conversation, RlRow, TrainerPlan, Training
from tmas_assets.training.order import order
from tmas_assets.training.sft_layout import lay_out

_WORDS = ["the", "sum", "of", "these", "numbers", "is", "odd", "so", "it", "has", "to", "end", "in", "one", "three", "five", "seven", "or", "nine"]
_OPTIMISATION: dict[str, Any] = {"learning_rate": 1e-4, "micro_batch": 4, "seed": 3}
_ARGUMENTS: dict[str, Any] = {
    "per_device_train_batch_size": 4, "gradient_accumulation_steps": 2, "learning_rate": 1e-4, "lr_scheduler_type": "constant",
    "weight_decay": 0.0, "max_grad_norm": 1.0, "bf16": True, "gradient_checkpointing": False, "seed": 3, "pad_to_multiple_of": 64,
}  # fmt: skip
"""The same for TRL; two micro-batches of four in a step."""


@dataclass(frozen=True)
class Sides:
    """Files that the two processes are called with."""

    plan: Path
    plain: Path


def model_folder(folder: Path) -> Path:
    from transformers.utils import logging

    logging.disable_progress_bar()
    tiny_model.model().save_pretrained(folder)
    tiny_model.tokenizer().save_pretrained(folder)
    return folder


def grpo(folder: Path, model: Path, deployment: Deployment, steps: int) -> Sides:
    """Two prompts of four samples a step, rewarded for correctness."""
    rows = tuple(
        rl_row(3 * n, text=f"{' '.join(_WORDS[: 4 + n % 12])}: what is {n} + 1?", prompt_digest=f"{n:064x}") for n in range(20)
    )
    training = Training.model_validate({
        "name": "overhead_grpo", "prompts": {"set": "bench", "sources": ["normal"]}, "optimisation": _OPTIMISATION,
        "grpo": {
            "steps": steps, "prompts": 2, "samples": 4, "most_truncated": 1.0, "rollouts": {"max_tokens": 64},
            "rewards": [{"name": "correctness", "settings": {"wrong": 0.0}}],
        },
    })  # fmt: skip
    laid = [rows[at] for step in order(rows, steps=steps, prompts=2, mix={}, seed=0) for at in step]
    plain = [{"prompt": [one.model_dump(include={"role", "content"}) for one in row.prompt], "solution": row.reward_model.ground_truth} for row in laid]
    own = {
        "num_generations": 4, "max_completion_length": 64, "temperature": 1.0, "top_p": 1.0, "beta": 0.0, "epsilon": 0.2,
        "loss_type": "grpo", "scale_rewards": "batch",
    }  # fmt: skip
    return _sides(folder, model, deployment, training, RlRow, rows, plain, own, steps)


def sft(folder: Path, model: Path, deployment: Deployment, steps: int) -> Sides:
    """Eight conversations a step, no fillers."""
    talks = tuple(
        conversation(n, text=" ".join(_WORDS[(n + i) % len(_WORDS)] for i in range(20 + n % 40))) for n in range(8 * steps)
    )
    training = Training.model_validate({
        "name": "overhead_sft", "conversations": {"set": "bench"}, "optimisation": _OPTIMISATION,
        "sft": {"batch": 8, "whole_groups": False},
    })  # fmt: skip
    layout = lay_out(training, talks, tiny_model.tokenizer(), tiny_model.tokenizer().pad_token_id)
    turns = [layout.turns[who] for who in layout.places if who is not None]
    plain = [{"input_ids": list(one.input_ids), "labels": list(one.labels)} for one in turns]
    return _sides(folder, model, deployment, training, Conversation, talks, plain, {}, steps)


def _sides(
    folder: Path, model: Path, deployment: Deployment, training: Training, record: Any, rows: Any, plain: list[dict[str, Any]],
    own: dict[str, Any], steps: int,
) -> Sides:  # fmt: skip
    folder.mkdir(parents=True)
    address = Address(("bench", training.kind), ("rows",))
    stored = deployment.store().write(address, record, rows)
    plan = TrainerPlan(
        training=training, iteration=0, model=str(model), state=None, rows=address.asset, rows_partition=address.partition,
        rows_digest=stored.digest, states=str(folder / "states"), output=str(folder / "output"), figures=str(folder / "figures.jsonl"),
    )  # fmt: skip
    (folder / "rows.jsonl").write_text("".join(json.dumps(one) + "\n" for one in plain))
    arguments = _ARGUMENTS | own | {"output_dir": str(folder / "plain"), "max_steps": steps, "deepspeed": deepspeed_config(training)}
    said = {"kind": training.kind, "model": str(model), "rows": str(folder / "rows.jsonl"), "arguments": arguments}
    sides = Sides(plan=folder / "plan.json", plain=folder / "plain.json")
    sides.plan.write_text(plan.model_dump_json())
    sides.plain.write_text(json.dumps(said))
    return sides
