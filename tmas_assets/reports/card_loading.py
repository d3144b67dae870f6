"""How to load the files of a data set: `datasets`, TRL and verl, with the set's own paths.

verl's settings are those of its documentation (docs/examples/config.rst, docs/preparation/reward_function.rst in
volcengine/verl). Leaves out running a training.
"""

import json
import shlex

from tmas_assets.reports.card_facts import CardFacts, FileFacts
from tmas_assets.reports.card_yaml import paths_by_config
from tmas_assets.reports.markdown_parts import cell, fenced
from tmas_assets.reports.notation import printable


def loading_markdown(facts: CardFacts) -> str:
    files = [one for one in facts.files if one.rows]
    empty = ", ".join(cell(one.config) for one in facts.files if not one.rows)
    said = [f"Without rows, and left out here since `datasets` refuses to load such a file: {empty}."] if empty else []
    if not files:
        return "\n\n".join((*said, "There is no file with rows yet."))
    parts = [*said, fenced(_datasets(files), "python")]
    if prompts := [one for one in files if one.role == "rl_prompts"]:
        parts += [
            "GRPO with TRL: `prompt` is a conversation, every other column reaches the reward functions by its name.",
            fenced(_grpo(prompts), "python"),
            "verl reads the same files. It has no scorer for `math_grm`, so name a reward function of your own "
            "(`data_source, solution_str, ground_truth, extra_info`).",
            fenced(_verl(prompts), "bash"),
        ]
    if conversations := [one for one in files if one.role == "conversations"]:
        parts += [
            "SFT with TRL: `messages` ends with the reply. `group` and `order` keep the conversations of one round together.",
            fenced(_sft(conversations[0]), "python"),
        ]
    return "\n\n".join(parts)


def _datasets(files: list[FileFacts]) -> str:
    by_config = paths_by_config(files)
    named = "\n".join(f"    {_text(config)}: [{', '.join(map(_text, paths))}]," for config, paths in by_config.items())
    return (
        "from datasets import load_dataset\n\n"
        f"files = {{\n{named}\n}}\n"
        'rows = {name: load_dataset("parquet", data_files=paths, split="train") for name, paths in files.items()}'
    )


def _grpo(prompts: list[FileFacts]) -> str:
    return (
        "from datasets import concatenate_datasets\n"
        "from trl import GRPOConfig, GRPOTrainer\n\n"
        f"prompts = concatenate_datasets([rows[name] for name in [{', '.join(map(_text, paths_by_config(prompts)))}]])\n"
        "# def reward(completions, reward_model, extra_info, data_source, _source, **others) -> list[float]: ...\n"
        "# GRPOTrainer(model=..., reward_funcs=reward, args=GRPOConfig(...), train_dataset=prompts).train()"
    )


def _sft(file: FileFacts) -> str:
    return (
        "from trl import SFTConfig, SFTTrainer\n\n"
        f'conversations = rows[{_text(file.config)}].select_columns(["messages"])\n'
        "# SFTTrainer(model=..., args=SFTConfig(...), train_dataset=conversations).train()"
    )


def _verl(prompts: list[FileFacts]) -> str:
    files = json.dumps([printable(one.path) for one in prompts], ensure_ascii=False)
    return (
        "python -m verl.trainer.main_ppo algorithm.adv_estimator=grpo \\\n"
        f"    {shlex.quote(f'data.train_files={files}')} data.val_files=YOUR_VALIDATION.parquet data.prompt_key=prompt \\\n"
        "    custom_reward_function.path=YOUR_REWARD.py custom_reward_function.name=compute_score \\\n"
        "    actor_rollout_ref.model.path=YOUR_MODEL"
    )


def _text(value: str) -> str:
    """A Python literal on one line."""
    return json.dumps(printable(value), ensure_ascii=False)
