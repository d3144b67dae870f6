"""A code location with the data sets that a folder states (`data_sets.write_sets`): what a web server, a daemon or a run can load."""

import os
from pathlib import Path

import dagster as dg

from tests.whole import data_sets


@dg.definitions
def defs() -> dg.Definitions:
    """Read anew at each load."""
    folder = Path(os.environ["TMAS_TEST_FOLDER"])
    return data_sets.definitions(data_sets.stated_in(folder), folder)
