"""The checkpoints that models of endpoints are, as Dagster sees them: dependencies of what asks them, inputs of what they answered.

A numbered checkpoint is a dependency on its partition; `latest` on the last one of the training, after which cells made from an
earlier one are shown as outdated. Leaves out which names are right: `model_names.py`.
"""

from collections.abc import Iterator, Mapping, Sequence

import dagster as dg

from partitions.keys import iteration_key
from resources.deployment import Deployment
from resources.serving.default_model import NAME as BUNDLED
from resources.training.checkpoints import is_name
from tmas_assets.assets.events import Input, last_event
from tmas_assets.assets.faults import PERMANENT, permanent
from tmas_assets.assets.keys import checkpoint_key
from tmas_assets.records import LATEST, Endpoint, Experiment, ManagedServer, Training


def named_models(endpoints: Mapping[str, Endpoint]) -> Iterator[tuple[str, ManagedServer]]:
    """Endpoints whose model is named, and not the bundled one: what they name is a training run, or nothing."""
    for name, endpoint in sorted(endpoints.items()):
        if endpoint.managed is not None and endpoint.managed.model != BUNDLED and is_name(endpoint.managed.model):
            yield name, endpoint.managed


def checkpoint_deps(endpoints: Mapping[str, Endpoint], trainings: Sequence[Training]) -> list[dg.AssetDep]:
    """One a training that an endpoint names. `trainings`: of the location."""
    known = {training.name: training for training in trainings}
    wanted: dict[str, set[int | str]] = {}
    for _, managed in named_models(endpoints):
        wanted.setdefault(managed.model, set()).add(managed.iteration)
    return [
        dg.AssetDep(checkpoint_key(name, known[name].kind), partition_mapping=_mapping(known[name], iterations))
        for name, iterations in sorted(wanted.items())
        if name in known
    ]


def _mapping(training: Training, iterations: set[int | str]) -> dg.PartitionMapping | None:
    if training.kind == "sft":
        return None  # it has no partitions
    if iterations == {LATEST}:
        return dg.LastPartitionMapping()
    numbers = {one if isinstance(one, int) else training.iterations - 1 for one in iterations}
    return dg.SpecificPartitionsPartitionMapping([iteration_key(number) for number in sorted(numbers)])


def checkpoint_inputs(instance: dg.DagsterInstance, deployment: Deployment, experiment: Experiment) -> list[Input]:
    """What cells made from now on are made from, to be asked before the first is made. `experiment`: with checkpoints by number.

    Raises a `Failure` for one that is missing or torn.
    """
    found = {}
    for _, managed in named_models(experiment.solving_endpoints):
        try:
            registered = deployment.vllm().checkpoint(managed)
        except PERMANENT as fault:
            raise permanent(fault) from fault
        if registered is not None:
            key = checkpoint_key(managed.model, registered.checkpoint.kind)
            found[key] = Input(key, registered.checkpoint.digest, last_event(instance, key))
    return list(found.values())
