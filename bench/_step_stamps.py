"""A clock in a trainer's process, and turns: of two trainers each does a step while the other waits, so that both see the same machine.

Put among transformers' own default callbacks, so that it needs no place in the code of a side. Trainer-process module.
"""

import json
import os
import sys
import time
from pathlib import Path
from typing import Any

import transformers.trainer
from transformers import TrainerCallback

FIRST, SECOND = "plain", "ours"
"""The sides, by whose turn it is first."""


def turns(folder: Path) -> None:
    """Make what the sides take turns by."""
    for side in (FIRST, SECOND):
        os.mkfifo(folder / f"{side}.turn")


def take_turns(folder: Path, side: str) -> None:
    """From now on. `<side>.stamps` in `folder` gets a JSON line a step: its wall and CPU seconds, and a line for what it logged."""
    # read and write: opening waits for nobody then, and nobody is told off when the other has ended
    own, other = (os.open(folder / f"{name}.turn", os.O_RDWR) for name in (side, SECOND if side == FIRST else FIRST))
    lines = (folder / f"{side}.stamps").open("a", encoding="utf-8", buffering=1)
    if side == FIRST:
        os.write(own, b".")

    class Turns(TrainerCallback):
        began: tuple[float, float] | None = None

        def _ended(self, step: int) -> None:
            if self.began is not None:
                wall, cpu = time.perf_counter() - self.began[0], time.process_time() - self.began[1]
                lines.write(json.dumps({"step": step, "wall": wall, "cpu": cpu}) + "\n")
                os.write(other, b".")

        def on_step_begin(self, args: Any, state: Any, control: Any, **_: Any) -> None:
            self._ended(state.global_step)
            os.read(own, 1)
            self.began = time.perf_counter(), time.process_time()

        def on_train_end(self, args: Any, state: Any, control: Any, **_: Any) -> None:
            self._ended(state.global_step)

        def on_log(self, args: Any, state: Any, control: Any, logs: Any = None, **_: Any) -> None:
            if logs and "loss" in logs:
                lines.write(json.dumps({"step": state.global_step, "loss": logs["loss"], "tokens": logs["num_tokens"]}) + "\n")

    transformers.trainer.DEFAULT_CALLBACKS.append(Turns)


def end(code: int) -> None:
    """Of a side's process, whose threads may not hold it."""
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)
