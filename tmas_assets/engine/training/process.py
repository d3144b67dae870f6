"""The trainer as a process: `python -m tmas_assets.engine.training.process PLAN.json`, once per rank, under a launcher.

Reads the plan, trains by its kind, tells each step's figures through Dagster Pipes where Dagster started it. Ends with 0 when the
outcome is written (the iteration is finished, or the state saved since SIGTERM came), 2 when the plan is refused or training was stopped in
words for the user, 1 for anything else. Leaves out launching.
"""

import contextlib
import faulthandler
import os
import sys
import traceback
import warnings
from collections.abc import Iterator
from pathlib import Path

import dagster_pipes

from resources.serving.process_guard import end_with_parent
from tmas_assets.engine.training.faults import ModelNotAsTrained, StateNotWritten, TrainerRefusal, TrainingStopped
from tmas_assets.records import StepFigures, TrainerOutcome, TrainerPlan

REFUSED = 2
_IN_WORDS = (TrainerRefusal, TrainingStopped, StateNotWritten, ModelNotAsTrained)


def main(arguments: list[str]) -> int:
    # what `accelerate launch` says of DeepSpeed, accelerate then refuses beside a configuration like ours; on machines without a GPU it
    # leaves DeepSpeed out in silence
    for name in [name for name in os.environ if name.startswith("ACCELERATE_")]:
        del os.environ[name]
    plan = TrainerPlan.model_validate_json(Path(arguments[0]).read_bytes())
    first = os.environ.get("RANK", "0") == "0"
    try:
        with _pipes(first) as pipes:
            outcome = carry_out(plan, pipes)
    except _IN_WORDS as fault:
        print(f"{type(fault).__name__}: {fault}", file=sys.stderr, flush=True)
        return REFUSED
    if first:
        print(f"{plan.training.name}: {outcome.ended} after step {outcome.step}", flush=True)
    return 0


def carry_out(plan: TrainerPlan, pipes: "dagster_pipes.PipesContext | None") -> TrainerOutcome:
    """Train by the plan's kind."""

    def report(figures: StepFigures) -> None:
        if pipes is not None:
            pipes.report_custom_message({"step": figures.model_dump(mode="json")})

    # each takes seconds to import what it needs, and only one is needed
    if plan.training.kind == "sft":
        from tmas_assets.engine.training.sft import train as train_sft

        return train_sft(plan, report)
    from tmas_assets.engine.training.grpo import train as train_grpo

    return train_grpo(plan, report)


@contextlib.contextmanager
def _pipes(first: bool) -> Iterator["dagster_pipes.PipesContext | None"]:
    """To Dagster, from the first process alone; None where nobody listens."""
    if first and dagster_pipes.DAGSTER_PIPES_CONTEXT_ENV_VAR in os.environ:
        with dagster_pipes.open_dagster_pipes() as pipes:
            yield pipes
    else:
        yield None


if __name__ == "__main__":
    faulthandler.enable()
    end_with_parent()  # whoever kills the launcher, and its guard with it, leaves no rank
    # one a collective call and rank, about names that DeepSpeed uses: nothing that a user can act on
    warnings.filterwarnings("ignore", category=FutureWarning, module="torch.distributed")
    try:
        code = main(sys.argv[1:])
    except Exception:  # noqa: BLE001 - the last frame of the process: said in full, then ended below
        traceback.print_exc()
        code = 1
    sys.stdout.flush()
    sys.stderr.flush()
    # threads of a hung collective or of a library must not keep a process that is done
    os._exit(code)
