"""Figures of each optimizer step, from what the trainer logs: a JSON line in a file, and told to whoever listens.

A step stands once in the file: what a run does again after a kill takes the place of what it did before. Leaves out what samples
are worth (`grpo.py` hands it in) and Dagster (`process.py` passes figures on).
"""

import math
import resource
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import torch
from pydantic import ValidationError
from transformers import TrainerCallback, TrainerControl, TrainerState, TrainingArguments

from resources.whole_file import whole_file
from tmas_assets.engine.training import ranks
from tmas_assets.engine.training.faults import TrainingStopped
from tmas_assets.records import RewardPart, StepFigures, TrainerPlan

Report = Callable[[StepFigures], None]
"""Called with each step's figures by the first process alone."""


class SampleFigures(NamedTuple):
    """What the samples of one step were worth, over all processes."""

    parts: tuple[RewardPart, ...]
    unrewarded: int
    zero_variance: float
    truncated: float
    accuracy: float | None


class StepLog(TrainerCallback):
    """Turns logs into figures. `samples` is asked once a step, in every process; None for training without samples."""

    def __init__(self, plan: TrainerPlan, report: Report, samples: Callable[[], SampleFigures] | None = None) -> None:
        self.plan, self.report, self.samples = plan, report, samples
        self._began, self._seconds, self._memory, self._tokens = 0.0, 0.0, 0.0, 0.0

    def on_train_begin(self, args: TrainingArguments, state: TrainerState, control: TrainerControl, **_: Any) -> None:
        self._tokens = float(state.num_input_tokens_seen)
        if ranks.rank() == 0:
            keep_figures(Path(self.plan.figures), up_to=state.global_step)

    def on_step_begin(self, args: TrainingArguments, state: TrainerState, control: TrainerControl, **_: Any) -> None:
        self._began = time.monotonic()

    def on_step_end(self, args: TrainingArguments, state: TrainerState, control: TrainerControl, **_: Any) -> None:
        self._seconds = time.monotonic() - self._began
        self._memory = ranks.largest(_memory_mib(args.device), args.device)

    def on_log(
        self, args: TrainingArguments, state: TrainerState, control: TrainerControl, logs: Mapping[str, float | None] | None = None, **_: Any
    ) -> None:
        """Raises TrainingStopped where the loss or the gradient is no number."""
        if not logs or "loss" not in logs:
            return  # the summary at the end
        samples = self.samples() if self.samples else None
        figures = self._figures(logs, state.global_step, samples)
        if ranks.rank() == 0:
            append(Path(self.plan.figures), figures)
            self.report(figures)

    def _figures(self, logs: Mapping[str, float | None], step: int, samples: SampleFigures | None) -> StepFigures:
        for name in ("loss", "grad_norm"):
            value = logs.get(name)
            if value is not None and not math.isfinite(value):
                raise TrainingStopped(
                    f"{self.plan.training.name}: training diverged at step {step}: {name} is {value}. Lower optimisation.learning_rate, "
                    "raise warmup or use precision fp32; the states saved before are kept."
                )
        told = logs.get("num_tokens")
        tokens = int((told or 0.0) - self._tokens)
        self._tokens = told or self._tokens
        return StepFigures(
            iteration=self.plan.iteration,
            step=step,
            loss=logs.get("loss"),
            learning_rate=logs.get("learning_rate"),
            grad_norm=logs.get("grad_norm"),
            reward=logs.get("reward"),
            reward_std=logs.get("reward_std"),
            parts=samples.parts if samples else (),
            unrewarded=samples.unrewarded if samples else None,
            kl=logs.get("kl"),
            clip_ratio=logs.get("clip_ratio/region_mean"),
            zero_variance=samples.zero_variance if samples else None,
            truncated=samples.truncated if samples else None,
            completion_tokens=logs.get("completions/mean_length"),
            accuracy=samples.accuracy if samples else logs.get("mean_token_accuracy"),
            tokens=tokens,
            seconds=self._seconds,
            tokens_per_second=tokens / self._seconds if self._seconds else 0.0,
            memory_mib=self._memory,
        )


def append(file: Path, figures: StepFigures) -> None:
    """One line, at once for every reader. Raises OSError."""
    file.parent.mkdir(parents=True, exist_ok=True)
    with file.open("a", encoding="utf-8") as lines:
        lines.write(figures.model_dump_json() + "\n")


def read_figures(file: Path) -> tuple[StepFigures, ...]:
    """Of every step, in the file's order; a last line cut by a kill is left out. Empty where there is no file."""
    if not file.exists():
        return ()
    lines = file.read_text(encoding="utf-8").splitlines()
    found = []
    for number, line in enumerate(lines, 1):
        try:
            found.append(StepFigures.model_validate_json(line))
        except ValidationError as error:
            if number < len(lines):
                raise ValueError(f"{file} line {number} holds no figures of a step: {error}; move the file away") from error
    return tuple(found)


def keep_figures(file: Path, up_to: int) -> None:
    """Leave only steps 1 to `up_to`: those after it are done again. Raises OSError."""
    kept = [figures for figures in read_figures(file) if figures.step <= up_to]
    file.parent.mkdir(parents=True, exist_ok=True)
    with whole_file(file) as lines:
        lines.write("".join(figures.model_dump_json() + "\n" for figures in kept).encode())


def _memory_mib(device: torch.device) -> float:
    """Peak of this process, or of its device on CUDA."""
    if device.type == "cuda":
        return torch.cuda.max_memory_allocated(device) / 2**20
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**10
