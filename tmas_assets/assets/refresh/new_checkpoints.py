"""The sensor `new_checkpoints`: a checkpoint that a training has made launches what measures its `latest`, once a checkpoint.

Only experiments and studies with `refresh` in their file: without it "it runs when somebody launches it", and a training would otherwise
start paid work that nobody asked for. Switched off until a person switches it on. What lay there when it first looks for an experiment's
training is not new. While something is missing it waits and asks again; a checkpoint that comes meanwhile takes the place of the one that waits.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import dagster as dg
from dagster._core.definitions.unresolved_asset_job_definition import UnresolvedAssetJobDefinition

from resources.deployment import Deployment
from tmas_assets.assets.checkpoint_deps import named_models
from tmas_assets.assets.events import last_materialization, version_of
from tmas_assets.assets.keys import checkpoint_key
from tmas_assets.assets.refresh.readiness import missing
from tmas_assets.assets.run_tags import CHECKPOINT, campaign_name
from tmas_assets.records import LATEST, Experiment, Training

_INTERVAL = 60
_DIGITS = 12
Job = dg.JobDefinition | UnresolvedAssetJobDefinition


@dataclass(frozen=True)
class Refreshed:
    """What is launched as one campaign: an experiment, or a study with its members."""

    name: str
    experiments: tuple[Experiment, ...]

    def latest_of(self, trainings: Mapping[str, Training]) -> list[Training]:
        """Those whose newest checkpoint one of its models is."""
        named = {
            managed.model
            for one in self.experiments
            for _, managed in named_models(one.endpoints)
            if managed.iteration == LATEST and managed.model in trainings
        }
        return [trainings[name] for name in sorted(named)]


def new_checkpoints_sensor(marked: Sequence[Refreshed], trainings: Sequence[Training], jobs: Iterable[Job]) -> dg.SensorDefinition | None:
    """`marked`: with `refresh` in their file; `trainings`, `jobs`: of the location. None where none of them names a training."""
    known = {one.name: one for one in trainings}
    watched = [(one, found) for one in marked if (found := one.latest_of(known))]
    if not watched:
        return None

    @dg.sensor(
        name="new_checkpoints",
        jobs=[job for job in jobs if job.name in {campaign_name(one.name) for one, _ in watched}],
        minimum_interval_seconds=_INTERVAL,
        default_status=dg.DefaultSensorStatus.STOPPED,
        description="Launches the campaigns of " + ", ".join(one.name for one, _ in watched) + " when their training has made a checkpoint.",
    )
    def new_checkpoints(context: dg.SensorEvaluationContext, deployment: Deployment) -> dg.SensorResult:
        seen: dict[str, str] = json.loads(context.cursor) if context.cursor else {}
        requests, waits = [], []
        for one, measured in watched:
            for training in measured:
                place, made = f"{one.name} {training.name}", _made(context.instance, training)
                if place not in seen:
                    seen[place] = made or ""
                elif made is None or seen[place] == made:
                    continue
                elif faults := missing(deployment, one.experiments):
                    waits.append(f"{one.name} waits to measure {training.name} {made[:_DIGITS]}: {' | '.join(faults)}")
                else:
                    seen[place] = made
                    requests.append(dg.RunRequest(
                        run_key=f"{one.name}:{training.name}:{made}", job_name=campaign_name(one.name),
                        tags={CHECKPOINT: f"{training.name}.{made[:_DIGITS]}"[-63:]},
                    ))  # fmt: skip
        said = None if requests else dg.SkipReason(" || ".join(waits) or "no new checkpoint")
        return dg.SensorResult(run_requests=requests, skip_reason=said, cursor=json.dumps(seen, sort_keys=True))

    return new_checkpoints


def _made(instance: dg.DagsterInstance, training: Training) -> str | None:
    """Digest of the checkpoint that was materialized last; None where none was."""
    return version_of(last_materialization(instance, checkpoint_key(training.name, training.kind)))
