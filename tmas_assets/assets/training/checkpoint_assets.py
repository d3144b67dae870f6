"""The assets `<training>/sft_checkpoint` and `<training>/grpo_checkpoint`, and the job that trains all iterations in one run.

A GRPO checkpoint is a partition of its training iteration and depends on the former one. The job skips what is there already, made
from just the settings, weights and rows there are now; materializing a partition trains it again.
"""

import time
from collections.abc import Sequence
from dataclasses import dataclass

import dagster as dg
from pydantic import Field, JsonValue

from partitions.axes import iteration_axis
from partitions.keys import iteration_key, iteration_of
from resources.deployment import Deployment
from resources.training.checkpoints import CheckpointFault
from resources.training.trainer_faults import TrainerFault
from resources.training.trainer_job import Context
from tmas_assets.assets.campaign import iteration_range
from tmas_assets.assets.data.plan import Plan
from tmas_assets.assets.data.rl_prompts import prompts_key
from tmas_assets.assets.data.step import step_key
from tmas_assets.assets.events import Input, last_event, last_materialization, logged, version_of
from tmas_assets.assets.faults import PERMANENT, permanent
from tmas_assets.assets.keys import checkpoint_key
from tmas_assets.assets.run_tags import TRAINING
from tmas_assets.assets.training.fresh_rows import log_fresh_rows, make_fresh_rows
from tmas_assets.assets.training.iteration import AskedToEnd, Trained, there, train
from tmas_assets.assets.training.planning import TrainingFault, former_of, require_current, start_of
from tmas_assets.assets.training.shown import checkpoint_metadata, running_metadata, step_line
from tmas_assets.engine import progress
from tmas_assets.records import LATEST, ColdStart, Launch, StepFigures, TeamTraces, Training, digest

POOL = "trainer"
"""Dagster concurrency pool of everything that trains; its limit is the deployment's."""
_FAULTS = (*PERMANENT, CheckpointFault, TrainerFault, TrainingFault)
_PICTURE_SECONDS = 60.0
"""How often the figures of a running trainer become an event with a picture."""


@dataclass(frozen=True)
class Sources:
    """What a training's file leads to."""

    training: Training
    data: ColdStart | TeamTraces
    """The set that its rows come from."""
    plan: Plan
    """Of that set."""
    base: Training | None
    """The training run that it starts from, None for a model that no run of ours made."""

    @property
    def key(self) -> dg.AssetKey:
        return checkpoint_key(self.training.name, self.training.kind)

    @property
    def code_version(self) -> str:
        return digest(self.training.shaping)[:12]


def checkpoint_assets(sources: Sources) -> list[dg.AssetsDefinition]:
    training, grpo = sources.training, sources.training.grpo
    axis = iteration_axis(grpo.iterations) if grpo is not None else None
    past = [dg.AssetDep(sources.key, partition_mapping=dg.TimeWindowPartitionMapping(start_offset=-1, end_offset=-1))] if grpo else []

    @dg.asset(
        key=sources.key,
        deps=[_rows_key(sources), *_base_deps(sources), *past],
        partitions_def=axis,
        group_name=training.name,
        kinds={"deepspeed", "pytorch"},
        code_version=sources.code_version,
        pool=POOL,
        op_tags=_pod(training.launch),
        description=(
            f"{training.description} Trained by {'GRPO' if grpo else 'SFT'} from {training.base.model} on {training.data_set}. "
            f"`tmas train {training.name}` trains what is missing."
        ).strip(),
    )
    def checkpoint(context: dg.AssetExecutionContext, deployment: Deployment) -> dg.MaterializeResult[None]:
        iteration = iteration_of(context.partition_key) if grpo is not None else 0
        made = _trained(context, deployment, sources, iteration, again=True)
        return dg.MaterializeResult(
            metadata=dict(checkpoint_metadata(made)), data_version=dg.DataVersion(made.registered.checkpoint.digest)
        )

    return [checkpoint]


class TrainConfig(dg.Config):
    iterations: str = Field(default="", description="first..last, e.g. 0..1; empty for all")
    again: bool = Field(default=False, description="train again what is there too")


def train_job(sources: Sources) -> dg.JobDefinition:
    training = sources.training

    @dg.op(name=f"{training.name}_iterations", pool=POOL, description="Every training iteration in order; none is trained twice.")
    def iterations(context: dg.OpExecutionContext, config: TrainConfig, deployment: Deployment) -> None:
        try:
            wanted = iteration_range(config.iterations, training.name, training.iterations)
        except ValueError as fault:
            raise permanent(fault) from fault
        for iteration in wanted:
            made = _trained(context, deployment, sources, iteration, again=config.again)
            partition = iteration_key(iteration) if training.grpo is not None else None
            if made.found and _said(context.instance, sources.key, partition, made.registered.checkpoint.digest):
                continue
            context.log_event(
                logged(
                    sources.key,
                    partition,
                    made.registered.checkpoint.digest,
                    checkpoint_metadata(made),
                    sources.code_version,
                    _inputs(context, sources, made),
                )
            )

    @dg.job(
        name=f"{training.name}_train",
        description=f"All checkpoints of {training.name}, one after another. {training.description}".strip(),
        executor_def=dg.in_process_executor,
        tags={TRAINING: training.name, **_pod(training.launch)},
    )
    def job() -> None:
        iterations()

    return job


def _pod(launch: Launch) -> dict[str, JsonValue]:
    """What a pod that trains asks Kubernetes for: a GPU a process. Read by Dagster's run launcher (of a job's run) and by its step pods,
    and by nothing else."""
    if launch.device != "cuda":
        return {}
    return {"dagster-k8s/config": {"container_config": {"resources": {"limits": {"nvidia.com/gpu": str(launch.processes)}}}}}


def _trained(context: Context, deployment: Deployment, sources: Sources, iteration: int, *, again: bool) -> Trained:
    """Raises a `Failure` that says whether another try can help."""
    training, grpo = sources.training, sources.training.grpo
    try:
        require_current(deployment, training, sources.data, sources.plan)
        if grpo is not None and grpo.iterate and iteration:
            former_of(deployment, training, sources.data, iteration)  # before its rounds are played
            fresh = make_fresh_rows(deployment, training, sources.data, iteration, run=context.run.run_id, log=context.log.warning)
            log_fresh_rows(context, training, iteration, fresh)
        start = start_of(deployment, training, sources.data, iteration)
        if not again and (found := there(deployment, start)) is not None:
            words = f"{found.registered.name} is there: nothing that it is made from has changed"
            context.log.info(words)
            progress.say(words)
            return found
        last = (iteration + 1) * grpo.steps if grpo is not None else None
        telling = _Telling(context, sources, iteration, last)
        words = f"{start.name}: {start.base} ({start.base_digest[:12]}) on {start.rows}; starting the trainer (half a minute)"
        context.log.info(words)
        progress.say(words)
        return train(deployment, start, run=context.run.run_id, context=context, on_step=telling.tell, echo=not progress.heard())
    except AskedToEnd as ended:
        raise dg.Failure(description=str(ended)) from ended
    except _FAULTS as fault:
        raise permanent(fault) from fault


class _Telling:
    """A line in the run's log for every step, and now and then an event with the curves so far."""

    def __init__(self, context: Context, sources: Sources, iteration: int, last: int | None) -> None:
        self.context, self.sources, self.last = context, sources, last
        self.partition = iteration_key(iteration) if sources.training.grpo is not None else None
        self.figures: list[StepFigures] = []
        self.shown = time.monotonic()

    def tell(self, figures: StepFigures) -> None:
        self.figures.append(figures)
        line = step_line(figures, self.last)
        self.context.log.info(line)
        progress.say(f"{self.sources.training.name} {line}")
        if time.monotonic() - self.shown > _PICTURE_SECONDS:
            self.shown = time.monotonic()
            metadata = running_metadata(self.sources.training.name, self.figures)
            self.context.log_event(dg.AssetObservation(self.sources.key, partition=self.partition, metadata=dict(metadata)))


def _rows_key(sources: Sources) -> dg.AssetKey:
    if sources.training.grpo is not None:
        return prompts_key(sources.training.name)
    return step_key(sources.data.name, "filtered" if isinstance(sources.data, TeamTraces) else "sft")


def _base_deps(sources: Sources) -> list[dg.AssetDep]:
    base, stated = sources.base, sources.training.base.iteration
    if base is None:
        return []
    mapping: dg.PartitionMapping | None = None
    if (partition := _base_partition(sources)) is not None:
        mapping = dg.LastPartitionMapping() if stated == LATEST else dg.SpecificPartitionsPartitionMapping([partition])
    return [dg.AssetDep(checkpoint_key(base.name, base.kind), partition_mapping=mapping)]


def _base_partition(sources: Sources) -> str | None:
    """Of the training run that it starts from; None where that has no partitions."""
    base, stated = sources.base, sources.training.base.iteration
    if base is None or base.grpo is None:
        return None
    return iteration_key(base.iterations - 1 if stated == LATEST else int(stated))


def _inputs(context: Context, sources: Sources, made: Trained) -> Sequence[Input]:
    """Of all that the asset depends on, for every iteration: a later one was only trained after the former one was found to be just
    what would be made of the rows and the base there are now."""
    there, instance, grpo = made.registered.checkpoint, context.instance, sources.training.grpo
    rows = _rows_key(sources)
    fresh = grpo is not None and grpo.iterate and there.iteration > 0  # rows that are no version of the rows' asset
    found = [Input(rows, _version(instance, rows) if fresh else there.rows_digest, last_event(instance, rows))]
    if there.iteration:
        found.append(Input(sources.key, there.base_digest, last_event(instance, sources.key)))
    if sources.base is not None:
        base, partition = checkpoint_key(sources.base.name, sources.base.kind), _base_partition(sources)
        version = _version(instance, base, partition) if there.iteration else there.base_digest
        found.append(Input(base, version, last_event(instance, base)))
    return found


def _said(instance: dg.DagsterInstance, key: dg.AssetKey, partition: str | None, version: str) -> bool:
    """Whether the last materialization of the key says this version."""
    return _version(instance, key, partition) == version


def _version(instance: dg.DagsterInstance, key: dg.AssetKey, partition: str | None = None) -> str | None:
    """Data version of the last materialization, of any partition unless one is named."""
    return version_of(last_materialization(instance, key, partition))
