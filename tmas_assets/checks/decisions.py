"""The checks of a decision as Dagster's asset checks on `<experiment>/decision`, one partition a hypothesis.

Leaves out what each looks at (`engine/decision_checks.py`) and what is said of it (`assets/decision_evaluations.py`), which a
campaign says too.
"""

import warnings
from collections.abc import Sequence

import dagster as dg

from partitions.axes import problem_axis
from resources.deployment import Deployment
from tmas_assets.assets.decision_evaluations import recomputed, result
from tmas_assets.assets.decision_parts import DECISION, key
from tmas_assets.assets.decision_reports import make_report
from tmas_assets.assets.faults import cells_of, table_of
from tmas_assets.benchmarks import asset_name
from tmas_assets.engine.decision_checks import ARITHMETIC, CHECKS
from tmas_assets.records import Experiment


def strategy_checks(experiment: Experiment) -> Sequence[dg.AssetChecksDefinition]:
    """The checks of an experiment that makes decisions; none for others."""
    return [_check(experiment, name) for name in CHECKS] if experiment.strategy.name == "team_decision" else []


def _check(experiment: Experiment, name: str) -> dg.AssetChecksDefinition:
    with warnings.catch_warnings():
        # partitioned checks are a preview in this release; users of the command line cannot do anything about it
        warnings.simplefilter("ignore", dg.PreviewWarning)

        @dg.asset_check(
            asset=key(experiment, DECISION),
            name=name,
            description=CHECKS[name],
            partitions_def=problem_axis(asset_name(experiment.benchmark)),
        )
        def check(context: dg.AssetCheckExecutionContext, deployment: Deployment) -> dg.AssetCheckResult:
            problem = table_of(deployment, experiment).by_key(context.partition_key)
            report = make_report(deployment, cells_of(deployment, experiment), problem)
            found = next(one for one in report.checks if one.name == name)
            return result(recomputed(deployment, experiment, report, found) if name == ARITHMETIC else found)

    return check
