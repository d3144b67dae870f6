"""A refresh that finds nothing new: seconds of the whole campaign, and of its steps, beside the one that said everything first.

    python -m bench.refresh_with_nothing_new [--problems 50] [--iterations 20] [--candidates 8] [--repeats 4] [--home FOLDER]

Cells are written without a model (`_synthetic_cells.py`), then one campaign finds and says them, and a second one is the refresh.
The endpoint leads nowhere, so a single request to a model would end the run. Exits with 1 where the refresh takes 60 s or more. `--home`
keeps the cells for the next time.
"""

import json
import sys
import tempfile
import time
from pathlib import Path

import dagster as dg

from bench._synthetic_cells import experiment, sizes, write_cells
from resources.deployment import Deployment
from tests.whole.experiments import deployment
from tests.whole.location import definitions
from tmas_assets.records import Experiment, Refresh

LIMIT = 60.0
QUIET = {"loggers": {"console": {"config": {"log_level": "CRITICAL"}}}}


def campaign(asked: Experiment, folder: Path, instance: dg.DagsterInstance) -> dict[str, float]:
    """Seconds by step, and `whole`."""
    job = definitions(asked, folder).resolve_job_def(f"{asked.name}_campaign")
    began = time.monotonic()
    done = job.execute_in_process(instance=instance, run_config=QUIET, raise_on_error=False)
    whole = time.monotonic() - began
    failed = [event for event in done.all_events if event.is_step_failure]
    if failed:
        raise SystemExit(f"the campaign failed: {failed[0].step_failure_data}")
    steps = {
        str(event.step_key).removeprefix(f"{asked.name}_"): event.step_success_data.duration_ms / 1000
        for event in done.all_events
        if event.is_step_success
    }
    return {**steps, "whole": whole}


def made(asked: Experiment, place: Deployment, folder: Path) -> float | None:
    """Seconds that writing the cells took, None where they lay there."""
    done = folder / "cells-are-whole"
    if done.exists():
        return None
    began = time.monotonic()
    write_cells(place, asked)
    done.touch()
    return time.monotonic() - began


def main(arguments: list[str]) -> int:
    given = sizes(__doc__).parse_args(arguments)
    with tempfile.TemporaryDirectory() as scratch:
        folder: Path = given.home or Path(scratch)
        dagster_home = folder / "dagster"
        dagster_home.mkdir(parents=True, exist_ok=True)
        (dagster_home / "dagster.yaml").write_text("telemetry: {enabled: false}\n")
        asked = experiment(given.problems, given.iterations, given.candidates, given.repeats).model_copy(update={"refresh": Refresh()})
        place = deployment(folder)
        seconds: dict[str, object] = {"writing the cells": made(asked, place, folder)}
        with dg.DagsterInstance.local_temp(str(dagster_home)) as instance:
            seconds["first"] = campaign(asked, folder, instance)
            again = campaign(asked, folder, instance)
        seconds["refresh"] = again
    print(json.dumps(seconds, indent=1))
    print(f"refresh with nothing new: {again['whole']:.1f} s for {given.problems} problems x {given.iterations} iterations x "
          f"{given.candidates * given.repeats} answers, limit {LIMIT:g} s")  # fmt: skip
    return 0 if again["whole"] < LIMIT else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
