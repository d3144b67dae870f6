"""What one iteration of a training run starts from: model, rows, trainer state; what of it is there already; the trainer's plan.

A trainer state belongs to a start (`Start.key`: settings, weights, rows), so that none is gone on from that other settings or other
rows made. Leaves out training.
"""

from dataclasses import dataclass
from pathlib import Path

from partitions.keys import iteration_key
from resources.deployment import Deployment
from resources.parquet_store import Address, MissingFile, StoredFile
from resources.training.checkpoints import CheckpointMissing, Checkpoints, CheckpointTorn, Registered, checkpoint_name
from tmas_assets.assets.data.plan import FILTERED, SFT, Plan
from tmas_assets.assets.data.rl_prompts import PROMPTS
from tmas_assets.engine.building.steps import Steps
from tmas_assets.engine.training.states import look, newest_whole
from tmas_assets.records import ColdStart, Conversation, ManagedServer, RlRow, TeamTraces, TrainerPlan, Training, digest

FIGURES = "figures.jsonl"
_STATES = "states"


class TrainingFault(RuntimeError):
    """A training run that cannot start; the text says what is missing and what to run."""


@dataclass(frozen=True)
class Start:
    """What an iteration is made from."""

    training: Training
    iteration: int
    model: Path
    """Folder of the weights."""
    base: str
    """Name of the model: bundled, a folder's, or `demo_sft@t00`."""
    base_digest: str
    rows: Address
    rows_digest: str
    place: Path
    """Folder of all trainers of this training."""

    @property
    def name(self) -> str:
        return checkpoint_name(self.training.name, self.iteration)

    @property
    def settings_digest(self) -> str:
        return digest(self.training.shaping)

    @property
    def key(self) -> str:
        return digest([self.settings_digest, self.base_digest, self.rows_digest])[:16]

    @property
    def folder(self) -> Path:
        """Of states, figures and logs of trainers that start so."""
        return self.place / f"{iteration_key(self.iteration)}-{self.key}"

    @property
    def states(self) -> Path:
        return self.folder / _STATES

    def state(self) -> Path | None:
        """The newest whole state to go on from: of a trainer that was ended, else the one that the former iteration ended with;
        None for a fresh start. Raises TrainingFault where the former one's is gone."""
        if (own := newest_whole(self.states)) is not None:
            return own.folder
        return None if self.iteration == 0 else self._former_state()

    def _former_state(self) -> Path:
        grpo = self.training.grpo
        assert grpo is not None
        name, step = iteration_key(self.iteration - 1), self.iteration * grpo.steps
        kept = [path for path in self.place.glob(f"{name}-*/{_STATES}/checkpoint-{step}") if made(path.parent.parent, self.base_digest)]
        found = [path for path in kept if look(path).fault is None]
        if not found:
            raise TrainingFault(
                f"{checkpoint_name(self.training.name, self.iteration)}: the trainer state after step {step}, which {self.base} ended "
                f"with, is {'torn' if kept else 'gone'} in {self.place}. Train iteration {self.iteration - 1} again: `tmas train {self.training.name} --again "
                f"--iterations {self.iteration - 1}`."
            )
        return found[0]

    def made_by(self, found: Registered) -> bool:
        """Whether this checkpoint is just what would be trained now."""
        there = found.checkpoint
        return (there.settings_digest, there.base_digest, there.rows_digest) == (
            self.settings_digest, self.base_digest, self.rows_digest,
        )  # fmt: skip

    def plan(self, output: Path) -> TrainerPlan:
        """Raises TrainingFault as `state`."""
        state = self.state()
        return TrainerPlan(
            training=self.training,
            iteration=self.iteration,
            model=str(self.model),
            state=str(state) if state else None,
            rows=self.rows.asset,
            rows_partition=self.rows.partition,
            rows_digest=self.rows_digest,
            states=str(self.states),
            output=str(output),
            figures=str(self.folder / FIGURES),
        )


MADE = "made.txt"
"""In the folder of a start: digest of the checkpoint that came of it."""


def made(folder: Path, checkpoint: str) -> bool:
    try:
        return (folder / MADE).read_text() == checkpoint
    except FileNotFoundError:
        return False


def rows_of(training: Training, data: ColdStart | TeamTraces, iteration: int) -> Address:
    """Where the rows of an iteration lie."""
    if training.grpo is not None:
        fresh = training.grpo.iterate and iteration > 0
        return Address((training.name, PROMPTS), (iteration_key(iteration) if fresh else "rows",))
    if isinstance(data, TeamTraces):
        return Address((data.name, FILTERED), ("conversations",))
    return Address((data.name, SFT), ("rows",))


def require_current(deployment: Deployment, training: Training, data: ColdStart | TeamTraces, plan: Plan) -> None:
    """Raises StoreFault (StaleStep) where the set's rows were made under other settings or from other files than there are now, and
    TrainingFault where the prompts are of other rows than the set has. `plan`: of the set (`plan_of`)."""
    store = deployment.store()
    steps = Steps(store, data.name, plan)
    if training.prompts is None:
        steps.read(*((FILTERED, Conversation, "conversations") if isinstance(data, TeamTraces) else (SFT, Conversation)))
        return
    prompts = _look(deployment, training, data, rows_of(training, data, 0))
    for source in training.prompts.sources:
        now = steps.read(source, RlRow)[1].digest
        if prompts.parent(f"{data.name}/{source}") != now:
            raise TrainingFault(
                f"{training.name}/{PROMPTS} was made from other rows than {data.name}/{source} has now ({now[:12]}): materialize it again, or "
                f"`tmas build-data {data.name}`, which asks no model what it was asked before."
            )


def start_of(deployment: Deployment, training: Training, data: ColdStart | TeamTraces, iteration: int) -> Start:
    """Raises TrainingFault for rows or a former iteration that are missing; ServerError, CheckpointFault as their owners do."""
    rows = rows_of(training, data, iteration)
    file = _look(deployment, training, data, rows)
    model, base, base_digest = _base(deployment, training) if iteration == 0 else former_of(deployment, training, data, iteration)
    place = Path(deployment.home) / "trainers" / training.name
    return Start(training, iteration, model, base, base_digest, rows, file.digest, place)


def _look(deployment: Deployment, training: Training, data: ColdStart | TeamTraces, rows: Address) -> StoredFile:
    try:
        return deployment.store().look(rows)
    except MissingFile as fault:
        raise TrainingFault(
            f"{training.name} trains on {'/'.join(rows.asset)}, which is not there yet: `tmas build-data {data.name}` makes it."
        ) from fault


def _base(deployment: Deployment, training: Training) -> tuple[Path, str, str]:
    vllm = deployment.vllm()
    managed = vllm.pinned(ManagedServer(model=training.base.model, iteration=training.base.iteration))
    registered = vllm.checkpoint(managed)
    folder = vllm.model_folder(managed)
    return folder, registered.name if registered else managed.model, vllm.identity(managed)


def former_of(deployment: Deployment, training: Training, data: ColdStart | TeamTraces, iteration: int) -> tuple[Path, str, str]:
    """Folder, name and digest of the checkpoint that iteration > 0 goes on from. It has to be what would be trained now: iterations
    are one run of the optimizer. Raises TrainingFault."""
    wanted = checkpoint_name(training.name, iteration)
    try:
        found = Checkpoints(Path(deployment.home)).find(training.name, iteration - 1)
    except (CheckpointMissing, CheckpointTorn) as fault:
        raise TrainingFault(f"{wanted} goes on from iteration {iteration - 1}, which is not there: {fault}") from fault
    there, now = found.checkpoint, start_of(deployment, training, data, iteration - 1)
    other = {
        "under other settings than the file states now": there.settings_digest != now.settings_digest,
        f"from {there.base} {there.base_digest[:12]}, and {now.base} is {now.base_digest[:12]} now": there.base_digest != now.base_digest,
        f"on other rows than {'/'.join(now.rows.asset)} has now": there.rows_digest != now.rows_digest,
    }
    if found_other := [words for words, differs in other.items() if differs]:
        raise TrainingFault(
            f"{wanted} would go on from {found.name}, which was trained {' and '.join(found_other)}. `tmas train {training.name}` trains "
            "all that has changed, from there on."
        )
    return found.folder, found.name, there.digest
