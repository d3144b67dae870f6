"""A code location with the data set, trainings and experiments that a folder states: what a web server, a daemon or a run can load.

`TMAS_TEST_FOLDER` names the folder; `write` states what is in it.
"""

import json
import os
from collections.abc import Sequence
from pathlib import Path

import dagster as dg

from tests.whole import training_runs
from tests.whole.training_runs import Stated
from tmas_assets.assets.experiment import experiment_definitions
from tmas_assets.assets.problems import problems_asset
from tmas_assets.assets.training.comparison import training_comparison_asset
from tmas_assets.checks.checkpoints import checkpoint_checks
from tmas_assets.records import ColdStart, Experiment, TeamTraces, Training

_FILE = "location.json"


def write(folder: Path, stated: Stated, experiments: Sequence[Experiment] = ()) -> None:
    told = {
        "cold": stated.cold.model_dump(mode="json"), "traces": stated.traces.model_dump(mode="json"),
        "trainings": [one.model_dump(mode="json") for one in stated.trainings],
        "experiments": [one.model_dump(mode="json") for one in experiments],
    }  # fmt: skip
    (folder / _FILE).write_text(json.dumps(told))


@dg.definitions
def defs() -> dg.Definitions:
    """Read anew at each load."""
    folder = Path(os.environ["TMAS_TEST_FOLDER"])
    told = json.loads((folder / _FILE).read_text())
    trainings = tuple(map(Training.model_validate, told["trainings"]))
    stated = Stated(ColdStart.model_validate(told["cold"]), TeamTraces.model_validate(told["traces"]), trainings)
    experiments = [Experiment.model_validate(one) for one in told["experiments"]]
    own = dg.Definitions(
        assets=[
            *(problems_asset(one) for one in {one.benchmark.release: one.benchmark for one in experiments}.values()),
            training_comparison_asset(experiments, trainings),
        ],
        asset_checks=[checkpoint_checks(one) for one in trainings],
    )
    return dg.Definitions.merge(
        training_runs.definitions(folder, stated), own, *(experiment_definitions(one, trainings=trainings) for one in experiments)
    )
