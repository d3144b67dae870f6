"""The stored files go into TRL as they are: a GRPO step on the rows, an SFT step on the conversations, on a model made here."""

import copy
import math

import pytest

from tests.training import tiny_model
from tests.training.stored_rows import files, made, plain

pytestmark = pytest.mark.xdist_group("trl")  # its import takes seconds: one worker is enough


@pytest.fixture(scope="module")
def loaded(tmp_path_factory):
    import datasets

    folder = tmp_path_factory.mktemp("sets")
    return [
        datasets.load_dataset("parquet", data_files=path, split="train", cache_dir=str(folder / "cache")) for path in files(folder)
    ]


def test_datasets_load_rows_and_conversations_as_they_were_stored(loaded):
    for table, records in zip(loaded, made(), strict=True):
        assert len(table) == len(records) > 5
        for found, record in zip(table, records, strict=True):
            assert found == plain(record)


def arguments(folder):
    return {
        "output_dir": str(folder), "use_cpu": True, "report_to": "none", "max_steps": 1, "logging_steps": 1, "save_strategy": "no",
        "dataloader_pin_memory": False, "bf16": False, "disable_tqdm": True, "gradient_checkpointing": False, "seed": 0,
    }  # fmt: skip


def test_a_grpo_step_renders_the_prompts_and_gives_rewards_every_column_nested_as_stored(loaded, tmp_path):
    from trl import GRPOConfig, GRPOTrainer

    seen = []

    def reward(prompts, completions, **columns):
        seen.append((copy.deepcopy(prompts), {name: copy.deepcopy(column) for name, column in columns.items() if isinstance(column, list)}))
        return [float(len(completion[0]["content"]) % 2) for completion in completions]

    trainer = GRPOTrainer(
        model=tiny_model.model(), processing_class=tiny_model.tokenizer(), reward_funcs=reward, train_dataset=loaded[0],
        args=GRPOConfig(
            **arguments(tmp_path), per_device_train_batch_size=4, num_generations=2, max_completion_length=4, learning_rate=1e-3,
        ),
    )  # fmt: skip
    trainer.train()
    rows = {row.extra_info.prompt_digest: plain(row) for row in made()[0]}
    prompts, columns = seen[0]
    assert len(prompts) == 4
    for at, info in enumerate(columns["extra_info"]):
        row = rows[info["prompt_digest"]]
        assert prompts[at] == row["prompt"]
        assert {name: columns[name][at] for name in ("extra_info", "reward_model", "data_source", "_source")} == {
            name: row[name] for name in ("extra_info", "reward_model", "data_source", "_source")
        }
    assert math.isfinite(trainer.state.log_history[0]["grad_norm"])


def test_an_sft_step_tokenizes_the_conversations_whole(loaded, tmp_path):
    from trl import SFTConfig, SFTTrainer

    trainer = SFTTrainer(
        model=tiny_model.model(), processing_class=tiny_model.tokenizer(), train_dataset=loaded[1],
        args=SFTConfig(**arguments(tmp_path), per_device_train_batch_size=2, max_length=None, eos_token="<|im_end|>"),
    )  # fmt: skip
    texts = [tiny_model.tokenizer().decode(row["input_ids"]) for row in trainer.train_dataset]
    for text, talk in zip(texts, made()[1], strict=True):
        assert text == "".join(f"<|im_start|>{turn.role}\n{turn.content}<|im_end|>\n" for turn in talk.messages)
    assert any("<think>\nIs it so?\n</think>\n\n" in text for text in texts)
    trainer.train()
    assert math.isfinite(trainer.state.log_history[0]["loss"])
