"""Rows of a later training iteration: from rounds that the former checkpoint plays on the problems of the training's set.

The set is built again from its clean problems on, with that checkpoint in place of every model it asks: pass rates, band, rounds,
rows. It is called `<training>_t01` and lies beside the others; the union of its rows is what the iteration is prompted with.
"""

from collections.abc import Callable

import dagster as dg

from partitions.keys import iteration_key
from resources.deployment import Deployment
from resources.parquet_store import Parent, StoredFile
from resources.training.trainer_job import Context
from tmas_assets.assets.data.cold_start import band_step, rates_step, rounds_step
from tmas_assets.assets.data.cold_start_rows import rows_step
from tmas_assets.assets.data.plan import CLEAN
from tmas_assets.assets.data.rl_prompts import prompts_key
from tmas_assets.assets.data.step import Building
from tmas_assets.assets.metadata import of_file
from tmas_assets.assets.training.planning import TrainingFault, rows_of
from tmas_assets.engine.building.steps import Steps
from tmas_assets.records import ColdStart, Endpoint, ManagedServer, RlRow, SourceProblem, TeamTraces, Training
from tmas_assets.training.rl_choice import union


def make_fresh_rows(
    deployment: Deployment, training: Training, data: ColdStart | TeamTraces, iteration: int, *, run: str, log: Callable[[str], None]
) -> StoredFile:
    """Made once: calls come from the call log when it is asked again. Raises what the steps of a set raise, and TrainingFault where the
    checkpoint's rounds give no row."""
    assert isinstance(data, ColdStart)
    asked, prompts = fresh_set(training, data, iteration), training.prompted
    store = deployment.store()
    problems, clean = Steps(store, data.name).read(CLEAN, SourceProblem)
    building = Building(deployment, Steps(store, asked.name), run, log)
    building.steps.write(CLEAN, SourceProblem, problems, [Parent(f"{data.name}/{CLEAN}", clean.digest)])
    for step in (rates_step, band_step, rounds_step):
        step(asked, building)
    made = {source: rows_step(asked, source, building).made.rows for source in prompts.sources}
    rows = union((building.steps.read(source, RlRow)[0] for source in prompts.sources), prompts.seed)
    if not rows:
        raise TrainingFault(
            f"{training.name}, iteration {iteration}: the rounds of checkpoint {iteration - 1} on {data.name} give no row. Widen its difficulty band "
            "(pass_rates.above, below) or take more problems."
        )
    parents = [Parent(f"{asked.name}/{source}", file.digest) for source, file in made.items()]
    return store.write(rows_of(training, data, iteration), RlRow, rows, parents)


def fresh_set(training: Training, data: ColdStart, iteration: int) -> ColdStart:
    """`data` as checkpoint `iteration` - 1 of the training plays it."""
    endpoints = {name: _of_checkpoint(endpoint, training, iteration - 1) for name, endpoint in data.endpoints.items()}
    return data.model_copy(update={"name": f"{training.name}_{iteration_key(iteration)}", "endpoints": endpoints})


def _of_checkpoint(endpoint: Endpoint, training: Training, iteration: int) -> Endpoint:
    served = endpoint.managed or ManagedServer(device=training.launch.device)
    managed = served.model_copy(update={"model": training.name, "iteration": iteration})
    return endpoint.model_copy(update={"urls": (), "model": None, "revision": None, "managed": managed})


def log_fresh_rows(context: Context, training: Training, iteration: int, made: StoredFile) -> None:
    """Seen on `<training>/rl_prompts`, whose own rows and version stay: the first iteration is trained on those."""
    metadata = {"iteration": dg.MetadataValue.int(iteration), "rows": dg.MetadataValue.int(made.rows), **of_file(made)}
    context.log_event(dg.AssetObservation(prompts_key(training.name), metadata=metadata))
