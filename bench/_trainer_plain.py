"""A script as one writes it with TRL alone: a data set in order, arguments, a trainer. Beside a clock.

Rewards are TRL's own `accuracy_reward`. Nothing of this project's trainer is in it.

    torchrun ... -m bench._trainer_plain SETTINGS.json FOLDER
"""

import json
import sys
from pathlib import Path
from typing import Any

from bench._step_stamps import FIRST, end, take_turns


def main(settings: dict[str, Any]) -> None:
    import datasets
    import deepspeed
    from transformers import AutoTokenizer
    from trl import GRPOConfig, GRPOTrainer, SFTConfig, SFTTrainer
    from trl.rewards import accuracy_reward

    deepspeed.ops.__compatible_ops__["deepspeed_shm_comm"] = False  # a build of a minute that no step uses
    data = datasets.Dataset.from_list([json.loads(line) for line in Path(settings["rows"]).read_text().splitlines()])
    shared = {
        "use_cpu": True, "dataloader_pin_memory": False, "save_strategy": "no", "logging_steps": 1, "report_to": "none",
        "disable_tqdm": True, "remove_unused_columns": False, "model_init_kwargs": {"dtype": "float32"}, "shuffle_dataset": False,
    }  # fmt: skip
    given = settings["arguments"] | shared
    tokenizer = AutoTokenizer.from_pretrained(settings["model"], padding_side="left" if settings["kind"] == "grpo" else "right")
    trainer: Any
    if settings["kind"] == "grpo":
        trainer = GRPOTrainer(
            model=settings["model"], reward_funcs=accuracy_reward, args=GRPOConfig(**given), train_dataset=data,
            processing_class=tokenizer,
        )  # fmt: skip
    else:
        own = {"train_sampling_strategy": "sequential", "packing": False, "max_length": None, "dataset_kwargs": {"skip_prepare_dataset": True}}
        trainer = SFTTrainer(model=settings["model"], args=SFTConfig(**given | own), train_dataset=data, processing_class=tokenizer)
    trainer.train()


if __name__ == "__main__":
    take_turns(Path(sys.argv[2]), FIRST)
    main(json.loads(Path(sys.argv[1]).read_text()))
    end(0)
