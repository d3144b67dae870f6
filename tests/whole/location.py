"""A code location with one experiment, given as JSON in the environment: what a Dagster daemon or a run can load."""

import json
import os
from pathlib import Path

import dagster as dg

from tests.whole.experiments import deployment
from tmas_assets.assets.campaign import campaign_job
from tmas_assets.assets.cells import cell_assets
from tmas_assets.assets.problems import problems_asset
from tmas_assets.assets.summary import summary_asset
from tmas_assets.records import Experiment


def definitions(experiment: Experiment, folder: Path) -> dg.Definitions:
    return dg.Definitions(
        assets=[problems_asset(experiment.benchmark), *cell_assets(experiment), summary_asset(experiment)],
        jobs=[campaign_job(experiment)],
        resources={"deployment": deployment(folder)},
        executor=dg.in_process_executor,
    )


@dg.definitions
def defs() -> dg.Definitions:
    """Read anew at each load: a test process loads it under several environments."""
    return definitions(
        Experiment.model_validate(json.loads(os.environ["TMAS_TEST_EXPERIMENT"])), Path(os.environ["TMAS_TEST_FOLDER"])
    )
