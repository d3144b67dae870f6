"""One iteration of a training run from its start to its registered checkpoint, with figures and the table of prompts stored beside it.

A run that was killed goes on from the last whole trainer state. Leaves out what Dagster is told: `checkpoint_assets.py`.
"""

import contextlib
import fcntl
import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from pydantic import TypeAdapter

from partitions.keys import iteration_key
from resources.deployment import Deployment
from resources.parquet_store import Address, MissingFile, Parent, StoredFile
from resources.serving.model_folder import write_manifest
from resources.training.checkpoints import CheckpointMissing, Checkpoints, CheckpointTorn, Registered
from resources.training.trainer_job import Context
from tmas_assets.assets.training.code import trainer_code
from tmas_assets.assets.training.planning import MADE, Start, TrainingFault, made
from tmas_assets.engine.training.figures_file import ORDER, read_figures
from tmas_assets.records import CheckpointFacts, RlRow, StepFigures, StepPrompts, TrainerOutcome
from tmas_assets.training.order import step_table

_STEP = TypeAdapter(StepPrompts)
OnStep = Callable[[StepFigures], None]


class AskedToEnd(RuntimeError):
    """The trainer got SIGTERM: its state is saved, and the same run again goes on from there."""


@dataclass(frozen=True)
class Trained:
    """A registered iteration and what is known of it."""

    start: Start
    registered: Registered
    figures: tuple[StepFigures, ...]
    stored: StoredFile | None
    """File of the figures; None where the store has none: a folder brought here from elsewhere."""
    found: bool
    """Whether it was there before."""


def figures_address(training: str, iteration: int) -> Address:
    return Address((training, "figures"), (iteration_key(iteration),))


def order_address(training: str, iteration: int) -> Address:
    return Address((training, "order"), (iteration_key(iteration),))


def there(deployment: Deployment, start: Start) -> Trained | None:
    """The iteration as it lies there, where it is just what would be trained now."""
    try:
        found = Checkpoints(Path(deployment.home)).find(start.training.name, start.iteration)
    except (CheckpointMissing, CheckpointTorn):
        return None
    if not start.made_by(found):
        return None
    try:
        figures, stored = deployment.store().read_stored(figures_address(start.training.name, start.iteration), StepFigures)
    except MissingFile:
        return Trained(start, found, (), None, found=True)
    return Trained(start, found, figures, stored, found=True)


def train(deployment: Deployment, start: Start, *, run: str, context: Context, on_step: OnStep, echo: bool = True) -> Trained:
    """Train and register; what is there already is trained again from its first step on. `echo`: as `TrainerJob.run`.

    Raises TrainerFault, CheckpointFault, TrainingFault, AskedToEnd, StoreFault; what was registered before stays until this is whole.
    """
    training, iteration = start.training, start.iteration
    checkpoints = Checkpoints(Path(deployment.home))
    with _disk_told(start.name, training.name), _alone(start.place / "lock", training.name):
        forget_ended(start, checkpoints)
        output = checkpoints.making(training.name, iteration)
        plan, planned = start.plan(output), planned_prompts(deployment, start)
        outcome = deployment.trainer().run(
            plan, start.folder / "runs" / run, environment=deployment.environment(), context=context, on_step=on_step, echo=echo
        )
        if outcome.ended != "finished":
            raise AskedToEnd(_ended(start, outcome))
        figures = tuple(one for one in read_figures(Path(plan.figures)) if one.iteration == iteration)
        order, stored = _store(deployment, start, figures, planned or _conversations(start))
        registered = register(start, checkpoints, output, _facts(start, figures, order, run))
        _tidy(start)
    return Trained(start, registered, figures, stored, found=False)


def register(start: Start, checkpoints: Checkpoints, output: Path, facts: CheckpointFacts) -> Registered:
    """Says first what comes of this start's states: who is killed after registering leaves a checkpoint that the next iteration goes on
    from. Raises CheckpointTorn, CheckpointFault, OSError."""
    (start.folder / MADE).write_text(write_manifest(output))
    return checkpoints.register(output, facts)


def forget_ended(start: Start, checkpoints: Checkpoints) -> None:
    """Remove the states of a training that ended in the checkpoint there is: gone on from, they would only be saved once more. Those of a
    broken one stay, and so do those whose checkpoint is torn. Raises OSError."""
    try:
        found = checkpoints.find(start.training.name, start.iteration)
    except (CheckpointMissing, CheckpointTorn):
        return
    if start.made_by(found) and made(start.folder, found.checkpoint.digest):
        shutil.rmtree(start.states, ignore_errors=True)
        (start.folder / MADE).unlink()


def _store(
    deployment: Deployment, start: Start, figures: tuple[StepFigures, ...], order: tuple[StepPrompts, ...]
) -> tuple[StoredFile, StoredFile]:
    store, name = deployment.store(), start.training.name
    made_from = [Parent("settings", start.settings_digest), Parent(start.base, start.base_digest), Parent(str(start.rows), start.rows_digest)]
    table = store.write(order_address(name, start.iteration), StepPrompts, order, made_from)
    return table, store.write(figures_address(name, start.iteration), StepFigures, figures, made_from)


def planned_prompts(deployment: Deployment, start: Start) -> tuple[StepPrompts, ...]:
    """Of each step, before the trainer takes the rows: a set may be built anew while it trains. Empty for SFT, whose trainer tells.

    Raises TrainingFault for rows made again since the start was planned, and for a mix that they do not have."""
    training = start.training
    if training.grpo is None:
        return ()
    rows, stored = deployment.store().read_stored(start.rows, RlRow)
    if stored.digest != start.rows_digest:
        raise TrainingFault(f"{start.name}: {start.rows} was made again meanwhile; run again, and it is trained on the rows there are then.")
    try:
        return step_table(rows, training.prompted, training.grpo, start.iteration)
    except ValueError as error:
        raise TrainingFault(f"{start.name}: {error}") from error


def _conversations(start: Start) -> tuple[StepPrompts, ...]:
    return tuple(_STEP.validate_json(line) for line in (start.folder / ORDER).read_text(encoding="utf-8").splitlines())


def _facts(start: Start, figures: tuple[StepFigures, ...], order: StoredFile, run: str) -> CheckpointFacts:
    rewards = [one.reward for one in figures if one.reward is not None]
    return CheckpointFacts(
        training=start.training.name,
        kind=start.training.kind,
        iteration=start.iteration,
        base=start.base,
        base_digest=start.base_digest,
        rows=str(start.rows),
        rows_digest=start.rows_digest,
        order_digest=order.digest,
        settings_digest=start.settings_digest,
        code_version=trainer_code(),
        run=run,
        reward=sum(rewards) / len(rewards) if rewards else None,
        loss=figures[-1].loss if figures else None,
    )


def _tidy(start: Start) -> None:
    """Trainer states are several times the model's size. What the next iteration goes on from stays, and what this one went on from,
    so that it can be made again; SFT has no next one."""
    if start.training.grpo is None:
        shutil.rmtree(start.states, ignore_errors=True)
        return
    kept = {iteration_key(one) for one in (start.iteration, start.iteration - 1) if one >= 0}
    for folder in start.place.glob("t*-*"):
        name = folder.name.partition("-")[0]
        if name not in kept or (name == iteration_key(start.iteration) and folder != start.folder):
            shutil.rmtree(folder / "states", ignore_errors=True)


@contextlib.contextmanager
def _disk_told(what: str, training: str) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise TrainingFault(
            f"{what} is not trained: {error}. Free space or mend the disk under TMAS_HOME, then `tmas train {training}` goes on from the last whole "
            "state."
        ) from error


@contextlib.contextmanager
def _alone(path: Path, name: str) -> Iterator[None]:
    """One trainer of a training at a time on this machine; the lock goes with the process."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a") as held:
        try:
            fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as fault:
            raise TrainingFault(f"{name} is being trained by another run on this machine; wait for it, or end it.") from fault
        yield


def _ended(start: Start, outcome: TrainerOutcome) -> str:
    return (
        f"{start.training.name}, iteration {start.iteration}: the trainer was asked to end (SIGTERM) and did after step {outcome.step}; its state "
        f"is saved. Run again to go on from there."
    )
