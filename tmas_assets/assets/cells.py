"""The assets of an experiment's cells: rollouts, verifier_scores, memory_bank, benchmark_scores.

`memory_bank` is the one key that runs: Dagster allows a key to depend on its own past only, and rollouts(t) needs
memory(t-1). It runs the whole iteration; `rollouts` and `verifier_scores` are declared on the same grid and their
materializations are logged by the same run. It has no backfill policy: any policy breaks the order on a grid.
"""

from collections.abc import Iterable, Iterator, Sequence

import dagster as dg

from partitions.axes import grid, previous_iteration
from partitions.keys import cell_key
from resources.deployment import Deployment
from resources.parquet_store import StoredFile
from tmas_assets.assets.checkpoint_deps import checkpoint_deps, checkpoint_inputs
from tmas_assets.assets.driving import Event
from tmas_assets.assets.events import Input, Metadata, event, last_event
from tmas_assets.assets.keys import experiment_key, problems_key
from tmas_assets.assets.metadata import cell_metadata, partition_of
from tmas_assets.assets.pinning import pinned_in_run
from tmas_assets.assets.regrading import grade_again
from tmas_assets.assets.run_tags import campaign_name
from tmas_assets.assets.running import run_cells
from tmas_assets.benchmarks import asset_name
from tmas_assets.engine.cells import FinishedCell
from tmas_assets.records import Experiment, Training
from tmas_assets.strategies import strategy_digest

PARTS = ("rollouts", "verifier_scores", "memory_bank", "benchmark_scores")
"""The last part of the keys that a cell is materialized under."""
POOL = "model_server"
"""Dagster concurrency pool of everything that asks a model; its limit is the deployment's."""


def code_version(experiment: Experiment) -> str:
    """Changes with the settings and prompts, so the UI shows cells of older ones as outdated."""
    return f"{experiment.digest()[:8]}-{strategy_digest(experiment.strategy)[:8]}"


def cell_events(
    experiment: Experiment, cell: FinishedCell, parts: Iterable[str], version: str, instance: dg.DagsterInstance,
    models: Sequence[Input],
) -> Iterator[dg.AssetMaterialization]:
    """What a run logs of these parts of a cell; log each before asking for the next. `version`: the code version; `models`:
    checkpoints that it was made by (`checkpoint_inputs`)."""
    described = cell_metadata(cell)
    for part in parts:
        inputs = _inputs(experiment, cell, part, instance, models)
        yield event(experiment_key(experiment, part), partition_of(cell), *described[part], version, inputs)


def _inputs(experiment: Experiment, cell: FinishedCell, part: str, instance: dg.DagsterInstance, models: Sequence[Input]) -> list[Input]:
    """Dagster compares those of keys that run only."""
    key = {part: experiment_key(experiment, part) for part in ("rollouts", "verifier_scores", "memory_bank")}
    files = cell.files
    if part == "memory_bank":
        past = last_event(instance, key["memory_bank"]) if cell.previous_digest else None
        return [
            Input(key["verifier_scores"], files.verifier_scores.digest),
            Input(key["memory_bank"], cell.previous_digest, past),
            *models,
        ]
    if part == "benchmark_scores":
        return [Input(key["rollouts"], files.rollouts.digest), Input(key["memory_bank"], files.memory_bank.digest)]
    return list(models) if part == "rollouts" else []


def cell_assets(
    experiment: Experiment, group: str | None = None, trainings: Sequence[Training] = ()
) -> Sequence[dg.AssetSpec | dg.AssetsDefinition]:
    """`trainings`: whose checkpoints the models may be."""
    cells = grid(asset_name(experiment.benchmark), experiment.iterations)
    key = {
        part: experiment_key(experiment, part)
        for part in ("rollouts", "verifier_scores", "memory_bank", "benchmark_scores")
    }
    group = group or experiment.name
    version = code_version(experiment)
    models = checkpoint_deps(experiment.solving_endpoints, trainings)

    rollouts = dg.AssetSpec(
        key["rollouts"],
        # the one that runs, `memory_bank`, says which partition: Dagster wants one mapping for all that are only declared
        deps=[problems_key(experiment.benchmark), *(dg.AssetDep(one.asset_key) for one in models)],
        partitions_def=cells,
        group_name=group,
        kinds={"vllm", "parquet"},
        code_version=version,
        description="Candidate solutions of each cell. Made by `memory_bank`: materialize that.",
    )
    verifier_scores = dg.AssetSpec(
        key["verifier_scores"],
        deps=[key["rollouts"]],
        partitions_def=cells,
        group_name=group,
        kinds={"vllm", "parquet"},
        code_version=version,
        description="Independent checks of each rollout. Made by `memory_bank`: materialize that.",
    )

    @dg.asset(
        key=key["memory_bank"],
        deps=[key["verifier_scores"], dg.AssetDep(key["memory_bank"], partition_mapping=previous_iteration), *models],
        partitions_def=cells,
        group_name=group,
        kinds={"vllm", "parquet"},
        code_version=version,
        pool=POOL,
        output_required=False,
        description=(
            "Runs one iteration of the strategy on one problem, everything it records, and its grades. "
            f"Problems to choose appear once `problems/{asset_name(experiment.benchmark)}` is materialized. "
            f"For many cells the job `{campaign_name(experiment.name)}` is faster."
        ),
    )
    def memory_bank(context: dg.AssetExecutionContext, deployment: Deployment) -> Iterator[dg.MaterializeResult[None]]:
        wanted = [cell_key(text) for text in context.partition_keys]
        own: list[tuple[StoredFile, Metadata]] = []
        stated = pinned_in_run(context, deployment, experiment)
        made_by = checkpoint_inputs(context.instance, deployment, stated)

        def log(cell: Event) -> None:
            assert isinstance(cell, FinishedCell)  # cells are made again, none is found
            parts = ["rollouts", "verifier_scores", "memory_bank", "benchmark_scores"]
            if len(wanted) == 1:
                parts.remove("memory_bank")
                own.append(cell_metadata(cell)["memory_bank"])
            for said in cell_events(experiment, cell, parts, version, context.instance, made_by):
                context.log_event(said)

        run_cells(deployment, stated, wanted, run=context.run.run_id, log=log)
        # A result has one data version for all partitions of its run. So a run of several says its own, one each.
        for stored, metadata in own:
            yield _result(stored, metadata)

    @dg.asset(
        key=key["benchmark_scores"],
        deps=[key["rollouts"], key["memory_bank"]],
        partitions_def=cells,
        group_name=group,
        kinds={"parquet"},
        code_version=version,
        output_required=False,
        description=(
            "The grade of every rollout. Made with the cell by `memory_bank`; materialize to grade again by the rules "
            "as they are now, without asking a model."
        ),
    )
    def benchmark_scores(
        context: dg.AssetExecutionContext, deployment: Deployment
    ) -> Iterator[dg.MaterializeResult[None]]:
        wanted = [cell_key(text) for text in context.partition_keys]
        for cell in grade_again(deployment, pinned_in_run(context, deployment, experiment), wanted):
            if len(wanted) == 1:
                yield _result(*cell_metadata(cell)["benchmark_scores"])
            else:
                for said in cell_events(experiment, cell, ["benchmark_scores"], version, context.instance, ()):
                    context.log_event(said)

    return [rollouts, verifier_scores, memory_bank, benchmark_scores]


def _result(stored: StoredFile, metadata: Metadata) -> dg.MaterializeResult[None]:
    return dg.MaterializeResult(metadata=dict(metadata), data_version=dg.DataVersion(stored.digest))
