"""The job that makes every step of a data set, in order, in one process."""

from collections.abc import Sequence

import dagster as dg
from dagster._core.definitions.unresolved_asset_job_definition import UnresolvedAssetJobDefinition

from tmas_assets.assets.data.rl_prompts import prompts_key
from tmas_assets.assets.run_tags import DATA_SET
from tmas_assets.engine.building.derived import DataSet


def build_job(data: DataSet, trainings: Sequence[str]) -> UnresolvedAssetJobDefinition:
    """`trainings`: names of those whose prompts come from the set."""
    own = dg.AssetSelection.groups(data.name)
    prompts = dg.AssetSelection.assets(*(prompts_key(name) for name in trainings))
    return dg.define_asset_job(
        f"{data.name}_build",
        selection=own | prompts if trainings else own,
        description=f"Every step of {data.name}, from source problems to its data card. {data.description}".strip(),
        executor_def=dg.in_process_executor,
        tags={DATA_SET: data.name},
    )
