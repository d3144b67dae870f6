"""The location of one experiment that is refreshed, given in the environment: what Dagster's daemon loads."""

import json
import os
from pathlib import Path

import dagster as dg

from tests.whole import refreshing
from tmas_assets.records import Experiment


@dg.definitions
def defs() -> dg.Definitions:
    return refreshing.definitions(
        Experiment.model_validate(json.loads(os.environ["TMAS_TEST_EXPERIMENT"])), Path(os.environ["TMAS_TEST_FOLDER"])
    )
