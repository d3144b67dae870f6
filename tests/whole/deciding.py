"""A team decision on the scripted server: two hypotheses with evidence, a script whose calculations can be computed, a project."""

import json
from pathlib import Path
from typing import Any

import dagster as dg

from tests.scripted.replies import Asked, Reply, default
from tests.whole.campaign import QUIET
from tests.whole.conftest import Project
from tests.whole.experiments import deployment, endpoint
from tmas_assets.assets.campaign import campaign_job
from tmas_assets.assets.cells import cell_assets
from tmas_assets.assets.of_strategy import own_assets
from tmas_assets.assets.problems import problems_asset
from tmas_assets.assets.summary import summary_asset
from tmas_assets.checks.decisions import strategy_checks
from tmas_assets.checks.problems import problems_checks
from tmas_assets.records import Experiment

SEATS = ("market", "finance", "technology", "risk", "red_team")
PLAN, FINDINGS, DEBATE, DECISION = 1, len(SEATS), 1 + len(SEATS), 1
"""Calls of the rounds t00 to t03 of one repeat, where one round is debated and nobody is recruited."""
CALLS = PLAN + FINDINGS + DEBATE + DECISION
FILE = """
- id: bottle
  statement: We should sell the bottle from spring on.
  goal: Earn money with it
  owner: head of product, Ms Quetzal
  evidence:
    - {id: survey, title: Survey of 120, text: 40 of 120 would buy it at 24 EUR.}
    - {id: costs, title: Costs, file: evidence/costs.csv}
- id: lamp
  statement: We should buy the cheaper lamp.
"""
CALCULATION = {
    "name": "margin", "formula": "price - cost", "claimed": 15,
    "inputs": [{"name": "price", "value": 24, "source": "costs"}, {"name": "cost", "value": 9, "source": "costs"}],
}  # fmt: skip


def script(asked: Asked) -> Reply:
    """What fits the schema; orders go on, and every finding computes one margin."""
    reply = default(asked)
    try:
        said = json.loads(reply.content or "")
    except ValueError:
        return reply
    if "action" in said:
        said |= {"action": "continue"}
    if "calculations" in said:
        said |= {"calculations": [CALCULATION]}
    return Reply(json.dumps(said))


def hypotheses(folder: Path, text: str = FILE) -> None:
    (folder / "evidence").mkdir(parents=True, exist_ok=True)
    (folder / "evidence" / "costs.csv").write_text("item,eur\nunit cost,9\nprice,24\n")
    (folder / "hypotheses.yaml").write_text(text, encoding="utf-8")


def asked(url: str, folder: Path, *, settings: dict[str, Any] | None = None, **change: Any) -> Experiment:
    strategy = {"max_extra_experts": 0, "debate_rounds": 1, "max_claims": 3, **(settings or {})}
    body = {
        "name": "decided",
        "benchmark": {"name": "hypotheses", "release": "tests", "settings": {"file": "hypotheses.yaml"}, "base": str(folder)},
        "strategy": {"name": "team_decision", "settings": strategy},
        "iterations": 4,
        "endpoints": {"default": endpoint(url, sampling={"max_tokens": 4096})},
    }
    return Experiment.model_validate(body | change)


class Deciding(Project):
    """The project of a team decision; files in `folder`."""

    def __init__(self, experiment: Experiment, folder: Path, instance: dg.DagsterInstance, **change: Any) -> None:
        self.experiment, self.folder, self.instance = experiment, folder, instance
        own = own_assets(experiment)
        assert own is not None
        self.deployment = deployment(folder, **change)
        self.defs = dg.Definitions(
            assets=[problems_asset(experiment.benchmark), *cell_assets(experiment), summary_asset(experiment), *own.assets(experiment)],
            asset_checks=[problems_checks(experiment.benchmark), *strategy_checks(experiment)],
            jobs=[campaign_job(experiment), *own.jobs(experiment)],
            resources={"deployment": self.deployment},
            executor=dg.in_process_executor,
        )  # fmt: skip

    def key(self, part: str) -> dg.AssetKey:
        return dg.AssetKey([self.experiment.name, *part.split("/")])

    def make(self, *names: str, partition: str = "bottle") -> dg.ExecuteInProcessResult:
        """Materialize parts of one hypothesis by their keys, as the UI does."""
        return self.materialize(*(self.key(name) for name in names), partition=partition)

    def review(self, **config: str) -> dg.ExecuteInProcessResult:
        name = self.experiment.name
        return self.defs.resolve_job_def(f"{name}_review").execute_in_process(
            instance=self.instance,
            run_config={"ops": {f"{name}_word": {"config": {"hypothesis": "bottle", "who": "Ann", **config}}}, **QUIET},
            raise_on_error=False,
        )
