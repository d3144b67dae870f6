"""The promises of an experiment's scores as Dagster's asset checks on `<experiment>/summary`.

All of them run in one step, which reads the cells once. A campaign evaluates them too. Leaves out what each one looks at
(`engine/score_checks/`) and the reading (`assets/summary_evaluations.py`).
"""

from collections.abc import Iterator

import dagster as dg

from resources.deployment import Deployment
from tmas_assets.assets.evaluations import result
from tmas_assets.assets.keys import experiment_key
from tmas_assets.assets.summary_evaluations import findings, promises
from tmas_assets.records import Experiment


def summary_checks(experiment: Experiment) -> dg.AssetChecksDefinition:
    key = experiment_key(experiment, "summary")

    @dg.multi_asset_check(
        name=f"check_{'_'.join(key.path)}",
        specs=[dg.AssetCheckSpec(name, asset=key, description=said) for name, said in promises(experiment).items()],
        description=f"The promises of {key.to_user_string()}.",
        can_subset=True,
    )
    def checks(context: dg.AssetCheckExecutionContext, deployment: Deployment) -> Iterator[dg.AssetCheckResult]:
        for finding in findings(deployment, context.instance, experiment):
            if dg.AssetCheckKey(key, finding.promise) in context.selected_asset_check_keys:
                yield result(finding, key)

    return checks
