"""Figures of each optimizer step, from what the trainer logs, to the file of figures and to whoever listens.

Leaves out what samples are worth (`samples.py` hands it in) and Dagster (`process.py` passes figures on).
"""

import math
import resource
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import torch
from transformers import TrainerCallback, TrainerControl, TrainerState, TrainingArguments

from tmas_assets.engine.training import ranks
from tmas_assets.engine.training.faults import diverged
from tmas_assets.engine.training.figures_file import append, keep_figures
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
                raise diverged(self.plan.training.name, step, f"{name} is {value}")
        told = logs.get("num_tokens")
        tokens = int((told or 0.0) - self._tokens)
        self._tokens = told or self._tokens
        return StepFigures(
            iteration=self.plan.iteration,
            step=step,
            loss=logs.get("loss"),
            learning_rate=logs.get("learning_rate"),
            grad_norm=logs.get("grad_norm"),
            reward=_measured(logs.get("reward")),
            reward_std=_measured(logs.get("reward_std")),
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


def _measured(value: float | None) -> float | None:
    """None for NaN, the trainer's mean over no sample."""
    return None if value is None or math.isnan(value) else value


def _memory_mib(device: torch.device) -> float:
    """Peak of this process, or of its device on CUDA."""
    if device.type == "cuda":
        return torch.cuda.max_memory_allocated(device) / 2**20
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**10
