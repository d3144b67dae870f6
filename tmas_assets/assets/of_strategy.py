"""What a strategy adds to the assets that every experiment has; most add nothing.

One table, asked by the experiment's component, its campaign and the definitions: no other module knows which strategy has
assets of its own.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import dagster as dg

from resources.deployment import Deployment
from tmas_assets.assets.decision_assets import decision_assets, decision_fault
from tmas_assets.assets.decision_reports import report_decisions
from tmas_assets.assets.review_job import review_job
from tmas_assets.records import Experiment


@dataclass(frozen=True)
class OwnAssets:
    assets: Callable[[Experiment], Sequence[dg.AssetsDefinition]]
    jobs: Callable[[Experiment], Sequence[dg.JobDefinition]]
    conclude: Callable[[dg.OpExecutionContext, Deployment, Experiment], None]
    """What a campaign adds at its end."""
    fault: Callable[[Experiment], str | None]
    """Why the experiment's file cannot be used, beginning with the field; None where it can."""


_OWN: Mapping[str, OwnAssets] = {
    "team_decision": OwnAssets(
        assets=decision_assets,
        jobs=lambda experiment: [review_job(experiment)],
        conclude=report_decisions,
        fault=decision_fault,
    ),
}


def own_assets(experiment: Experiment) -> OwnAssets | None:
    return _OWN.get(experiment.strategy.name)
