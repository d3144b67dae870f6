"""One launch of a trainer from its plan to its outcome: states that are whole, going on from one, ending when asked, the model saved.

Shared by SFT and GRPO, which make the trainer. Leaves out what is trained on, and how a model is saved (`saving.py`).
"""

import time
from pathlib import Path
from typing import Any

from accelerate.utils import DistributedType
from safetensors import SafetensorError

from tmas_assets.engine.training import ranks
from tmas_assets.engine.training.ending import AskedToEnd
from tmas_assets.engine.training.faults import StateNotWritten, TrainerRefusal
from tmas_assets.engine.training.saving import device_name, packages, parameters, save_model, write_outcome
from tmas_assets.engine.training.states import mark_whole, newest_whole, prune, remove, require, torn
from tmas_assets.records import TrainerOutcome, TrainerPlan


class PlannedRun:
    """Goes before a trainer of TRL among the base classes: `class Sft(PlannedRun, SFTTrainer)`. After making the trainer, call
    `plan_run`."""

    state: Any
    args: Any

    def plan_run(self, plan: TrainerPlan, *, first: int, scheduled: int) -> None:
        """`first`: steps done before this iteration; `scheduled`: steps that the learning rate's schedule is laid over."""
        self.run_plan, self.first_step, self.scheduled_steps = plan, first, scheduled

    def create_scheduler(self, num_training_steps: int, optimizer: Any = None) -> Any:
        return super().create_scheduler(self.scheduled_steps, optimizer)  # type: ignore[misc]

    def _save_checkpoint(self, model: Any, trial: Any) -> None:
        """Raises StateNotWritten; the former state is then still the newest whole one."""
        folder, step = Path(self.args.output_dir), int(self.state.global_step)
        own = folder / f"checkpoint-{step}"
        try:
            if ranks.rank() == 0 and own.exists():
                remove(own)  # written over, it would bear the mark of other bytes
            ranks.wait()
            super()._save_checkpoint(model, trial)  # type: ignore[misc]
            ranks.wait()
            if ranks.rank() == 0:
                mark_whole(own, step, ranks.processes())
                prune(folder, kept=(self.first_step,))
            ranks.wait()
        except (OSError, RuntimeError, SafetensorError) as error:
            whole = newest_whole(folder)
            stands = f"the newest whole state is that of step {whole.step}" if whole else "there is no whole state yet"
            raise StateNotWritten(
                f"{self.run_plan.training.name}: the trainer state of step {step} could not be written to {own}: {type(error).__name__}: {error}. "
                f"{stands[0].upper()}{stands[1:]}. Free space and run again: training goes on from there."
            ) from error


def carry_out(trainer: Any, plan: TrainerPlan, *, last: int, asked: AskedToEnd) -> TrainerOutcome:
    """Train up to step `last`, then save the model to `plan.output` with `outcome.json` in it, written last. Every process calls it.

    Raises TrainerRefusal for a state that cannot be gone on from, StateNotWritten, ModelNotAsTrained.
    """
    if trainer.accelerator.distributed_type != DistributedType.DEEPSPEED:
        raise RuntimeError(f"{plan.training.name}: accelerate chose {trainer.accelerator.distributed_type} in place of DeepSpeed; look for ACCELERATE_ variables")
    begin = trainer.first_step
    if plan.state is not None:
        step = require(Path(plan.state), ranks.processes()).step
        if not begin <= step <= last:
            raise TrainerRefusal(f"{plan.training.name}: state {plan.state} is of step {step}, iteration {plan.iteration} has steps {begin + 1} to {last}")
    elif begin:
        raise TrainerRefusal(
            f"{plan.training.name}: iteration {plan.iteration} goes on from the trainer state after step {begin}, and the plan names none; make "
            f"iteration {plan.iteration - 1} again"
        )
    if ranks.rank() == 0:
        for state in torn(Path(plan.states)):
            print(f"trainer state {state.folder} is torn ({state.fault}) and is removed", flush=True)
            remove(state.folder)
    ranks.wait()
    trainer.add_callback(asked)
    began = time.monotonic()
    trainer.train(resume_from_checkpoint=plan.state)
    seconds = time.monotonic() - began
    asked.close()
    done = int(trainer.state.global_step)
    finished = done >= last
    if not (finished or asked.agreed):
        raise RuntimeError(f"{plan.training.name}: the trainer ended after step {done} of {last} without being asked to")
    difference = save_model(trainer, Path(plan.output)) if finished else None
    outcome = TrainerOutcome(
        ended="finished" if finished else "asked to end",
        step=done,
        seconds=seconds,
        processes=ranks.processes(),
        max_difference=difference,
        parameters=parameters(trainer),
        device=device_name(trainer),
        packages=packages(),
    )
    if ranks.rank() == 0:
        write_outcome(outcome, Path(plan.output))
    ranks.wait()
    return outcome
