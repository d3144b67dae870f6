"""Whether what a trainer left in a folder may become a checkpoint: ended well, whole, equal to the trained weights, servable.

Leaves out where checkpoints lie (`checkpoints.py`).
"""

import json
import os
from pathlib import Path

from pydantic import ValidationError

from partitions.keys import iteration_key
from resources.serving.model_folder import ModelFolderMissing, ModelFolderTorn, require_whole
from tmas_assets.records import MOST_DIFFERENT, OUTCOME, CheckpointFacts, TrainerOutcome


class CheckpointFault(RuntimeError):
    """A checkpoint that cannot be had; the text says what there is and what to do."""


class CheckpointMissing(CheckpointFault):
    """There is none."""


class CheckpointTorn(CheckpointFault):
    """It is there, and not as it was registered, or not fit to be registered."""


def checkpoint_name(training: str, iteration: int) -> str:
    """`demo_grpo@t01`: the model in one word."""
    return f"{training}@{iteration_key(iteration)}"


def require_trained(folder: Path, facts: CheckpointFacts) -> TrainerOutcome:
    """How the trainer ended. Raises CheckpointTorn unless `folder` is a whole model equal to the trained one."""
    outcome = _outcome(folder, facts)
    _require_model(folder, facts)
    return outcome


def _outcome(folder: Path, facts: CheckpointFacts) -> TrainerOutcome:
    try:
        outcome = TrainerOutcome.model_validate_json((folder / OUTCOME).read_bytes())
    except FileNotFoundError as fault:
        raise _unfit(facts, f"{folder} has no {OUTCOME}: the trainer never ended its saving") from fault
    except ValidationError as fault:
        raise _unfit(facts, f"{folder / OUTCOME} cannot be read ({' '.join(str(fault).split())[:300]})") from fault
    if outcome.ended != "finished":
        raise _unfit(facts, f"the trainer was asked to end after step {outcome.step} and the iteration is not finished")
    if outcome.max_difference is None or not outcome.max_difference <= MOST_DIFFERENT:
        raise _unfit(
            facts, f"its saved weights differ from the trained ones by {outcome.max_difference}, more than {MOST_DIFFERENT:g}"
        )
    return outcome


def _require_model(folder: Path, facts: CheckpointFacts) -> None:
    try:
        require_whole(folder)
    except (ModelFolderMissing, ModelFolderTorn) as fault:
        raise _unfit(facts, str(fault)) from fault
    if (folder / "chat_template.jinja").is_file():
        return
    settings = folder / "tokenizer_config.json"
    if not (settings.is_file() and json.loads(settings.read_bytes()).get("chat_template")):
        raise _unfit(facts, f"{folder} has no chat template (chat_template.jinja, or in tokenizer_config.json)")


def _unfit(facts: CheckpointFacts, why: str) -> CheckpointTorn:
    name = checkpoint_name(facts.training, facts.iteration)
    return CheckpointTorn(f"{name} is not registered, and what was there before stays: {why}. `tmas train {facts.training}` goes on.")


def flush(folder: Path) -> None:
    """Onto the disk, before the folder gets its name."""
    for path in [*(path for path in folder.rglob("*") if path.is_file()), folder]:
        opened = os.open(path, os.O_RDONLY)
        try:
            os.fsync(opened)
        finally:
            os.close(opened)
