"""Run the campaign job of the experiment in the environment, in a process of its own that a test may kill.

python -m tests.whole.campaign        # TMAS_TEST_EXPERIMENT, TMAS_TEST_FOLDER, DAGSTER_HOME in the environment
"""

import json
import os
import subprocess
import sys
from pathlib import Path

import dagster as dg

from tmas_assets.commands.dagster_home import make_schema
from tmas_assets.records import Experiment

ROOT = Path(__file__).resolve().parents[2]
QUIET_INSTANCE = """telemetry: {enabled: false}
compute_logs: {module: dagster._core.storage.noop_compute_log_manager, class: NoOpComputeLogManager}
"""
"""A dagster.yaml that copies no output of steps, which starts four processes a run: no test reads it."""
QUIET = {"loggers": {"console": {"config": {"log_level": "CRITICAL"}}}}


def environment(experiment: Experiment, folder: Path) -> dict[str, str]:
    home = folder / "dagster"
    home.mkdir(parents=True, exist_ok=True)
    return {
        **os.environ,
        "TMAS_TEST_EXPERIMENT": json.dumps(experiment.model_dump(mode="json")),
        "TMAS_TEST_FOLDER": str(folder),
        "DAGSTER_HOME": str(home),
        "PYTHONWARNINGS": "ignore",
    }


def start(experiment: Experiment, folder: Path) -> "subprocess.Popen[str]":
    """The campaign in its own process group."""
    return subprocess.Popen(
        [sys.executable, "-m", "tests.whole.campaign"],
        cwd=ROOT,
        env=environment(experiment, folder),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
    )


def finish(process: "subprocess.Popen[str]", seconds: float = 240) -> str:
    text, _ = process.communicate(timeout=seconds)
    if process.returncode != 0:
        raise AssertionError(f"campaign ended with {process.returncode}:\n{text[-4000:]}")
    return text


def main() -> None:
    from tests.whole.location import defs

    experiment = Experiment.model_validate(json.loads(os.environ["TMAS_TEST_EXPERIMENT"]))
    make_schema(Path(os.environ["DAGSTER_HOME"]))
    with dg.DagsterInstance.get() as instance:
        result = defs().resolve_job_def(f"{experiment.name}_campaign").execute_in_process(
            instance=instance, run_config=QUIET, raise_on_error=False
        )
        if not result.success:
            for event in result.all_events:
                if event.is_step_failure:
                    print(event.step_failure_data)
            sys.exit(1)


if __name__ == "__main__":
    main()
