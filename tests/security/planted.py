"""Campaigns of several experiments in one process, under an environment full of planted keys; `test_planted_keys.py` starts it and looks
at every byte that it leaves.

python -m tests.security.planted        # PLANTED_RUNS: {name: {"url": ..., "crash": ...}} as JSON; TMAS_* and DAGSTER_HOME as for users
"""

import json
import logging
import os
import sys
from contextlib import suppress

import dagster as dg

from resources.deployment import Deployment
from resources.hub import find_hub_file
from tests.whole.experiments import experiment
from tmas_assets.assets.campaign import campaign_job
from tmas_assets.assets.cells import cell_assets
from tmas_assets.assets.leaderboard import leaderboard_asset
from tmas_assets.assets.problems import problems_asset
from tmas_assets.assets.summary import summary_asset
from tmas_assets.benchmarks import BenchmarkError, HubFile
from tmas_assets.commands.dagster_home import prepare_dagster_home
from tmas_assets.commands.terminal import terminal
from tmas_assets.records import Experiment


def made(name: str, url: str) -> Experiment:
    endpoint = {"urls": [url], "model": "scripted", "revision": name, "api_key_env": "PLANTED_KEY", "base_seconds": 20, "max_attempts": 2}
    return experiment(
        url, name=name, iterations=1, endpoints={"default": endpoint},
        benchmark={"name": "problem_file", "release": "own", "settings": {"file": os.environ["PLANTED_PROBLEMS"], "grader": "integer"}},
        strategy={"name": "tmas", "settings": {"candidates": 1, "verifications": 1}},
    )  # fmt: skip


def definitions() -> dg.Definitions:
    asked = [made(name, run["url"]) for name, run in json.loads(os.environ["PLANTED_RUNS"]).items()]
    return dg.Definitions(
        assets=[
            problems_asset(asked[0].benchmark), leaderboard_asset(asked),
            *(asset for one in asked for asset in (*cell_assets(one), summary_asset(one))),
        ],
        jobs=[*(campaign_job(one) for one in asked), crash],
        resources={"deployment": Deployment.for_definitions()},
        executor=dg.in_process_executor,
    )  # fmt: skip


@dg.op
def crashing(context: dg.OpExecutionContext, deployment: Deployment) -> None:
    """A fault that nobody foresaw, raised where the secrets are at hand."""
    context.log.info(f"deployment {deployment!r} {deployment} and store {deployment.store()!r}")
    log = deployment.call_log()
    context.log.info(f"log {log!r}")
    log.close()
    raise ZeroDivisionError("a fault that nobody foresaw")


@dg.job
def crash() -> None:
    crashing()


def main() -> None:
    logging.basicConfig(level=logging.INFO)
    prepare_dagster_home()
    out = terminal()
    with suppress(BenchmarkError):  # the hub that the environment names is not there
        find_hub_file(HubFile("planted.jsonl", "nobody/nothing", "planted.jsonl", "main"), None, data=None, cache=Deployment.from_environment().downloads)
    defs = definitions()
    with dg.DagsterInstance.get() as instance:
        for job in [*(f"{name}_campaign" for name in json.loads(os.environ["PLANTED_RUNS"])), "crash"]:
            result = defs.resolve_job_def(job).execute_in_process(instance=instance, raise_on_error=False)
            out.print(f"{job}: {result.success}")
            for event in result.all_events:
                if event.is_step_failure:
                    out.print(f"{event.step_failure_data}")
    sys.stdout.flush()


if __name__ == "__main__":
    main()
