"""The same clock in every trainer that a process makes: when each optimizer step began, and what the step logged.

Put among transformers' own default callbacks, so that it needs no place in the code of a side. Trainer-process module.
"""

import json
import time
from pathlib import Path
from typing import Any

import transformers.trainer
from transformers import TrainerCallback


def stamp_steps(file: Path) -> None:
    """From now on; `file` gets one JSON line a step: its beginning in wall and CPU seconds, then what it logged."""
    lines = file.open("a", encoding="utf-8", buffering=1)

    class Stamps(TrainerCallback):
        def on_step_begin(self, args: Any, state: Any, control: Any, **_: Any) -> None:
            lines.write(json.dumps({"step": state.global_step + 1, "wall": time.monotonic(), "cpu": time.process_time()}) + "\n")

        def on_log(self, args: Any, state: Any, control: Any, logs: Any = None, **_: Any) -> None:
            if logs and "loss" in logs:
                lines.write(json.dumps({"step": state.global_step, "loss": logs["loss"], "tokens": logs["num_tokens"]}) + "\n")

    transformers.trainer.DEFAULT_CALLBACKS.append(Stamps)
