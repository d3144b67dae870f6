"""A Dagster instance for the command line and the UI, made ready before any process uses it."""

import os
import shutil
from pathlib import Path

import dagster as dg

from resources.deployment import REPOSITORY
from resources.serving.vllm_server import home_from_environment


def prepare_dagster_home() -> Path:
    """DAGSTER_HOME, by default a folder of TMAS_HOME, with our dagster.yaml where it has none."""
    home = Path(os.environ.setdefault("DAGSTER_HOME", str(home_from_environment() / "dagster")))
    home.mkdir(parents=True, exist_ok=True)
    if not (home / "dagster.yaml").exists():
        shutil.copy(REPOSITORY / "dagster.yaml", home / "dagster.yaml")
    # webserver and daemon race for the schema of an empty home: make it in one process first
    with dg.DagsterInstance.get() as instance:
        instance.get_runs(limit=1)
        instance.all_instigator_state()
    return home
