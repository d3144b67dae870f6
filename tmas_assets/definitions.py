"""The Dagster code location `tmas`: every benchmark with its checks, every experiment under `defs/`, the resources.

The only place where resources meet assets.
"""

import dagster as dg

from resources.deployment import Deployment
from tmas_assets.assets.audit import audit_asset
from tmas_assets.assets.data.files import ColdStartFile, TeamTracesFile, measured_by
from tmas_assets.assets.leaderboard import leaderboard_asset
from tmas_assets.assets.loading import Loaded
from tmas_assets.assets.location import graded, loaded, releases_of
from tmas_assets.assets.problems import problems_asset
from tmas_assets.assets.refresh.operations import operated
from tmas_assets.assets.site import site_asset
from tmas_assets.assets.training.comparison import training_comparison_asset
from tmas_assets.checks.checkpoints import checkpoint_checks
from tmas_assets.checks.decisions import strategy_checks
from tmas_assets.checks.leaderboard import leaderboard_checks
from tmas_assets.checks.problems import problems_checks
from tmas_assets.checks.summaries import summary_checks
from tmas_assets.checks.training_rows import prompts_checks, row_checks, trace_checks
from tmas_assets.engine.audit.chain import Stated


def training_checks(found: Loaded) -> list[dg.AssetChecksDefinition]:
    """Those of every data set, and of the prompts and checkpoints of every training run."""
    measured = measured_by(found.experiments)
    sets = {file.data.name: file.data for file in found.data_sets if isinstance(file, ColdStartFile)}
    traces = [file.data for file in found.data_sets if isinstance(file, TeamTracesFile)]
    trainings = [file.training for file in found.trainings]
    return [
        *(checkpoint_checks(training) for training in trainings),
        *(check for data in sets.values() for check in row_checks(data, measured)),
        *(prompts_checks(one, sets[one.prompted.set], measured) for one in trainings if one.kind == "grpo"),
        *(trace_checks(data, measured) for data in traces),
    ]


@dg.definitions
def defs() -> dg.Definitions:
    found = loaded()
    files = found.experiments
    experiments = [file.experiment for file in files]
    releases = releases_of(files)
    ours = dg.Definitions(
        assets=[
            *(problems_asset(choice) for choice in releases),
            leaderboard_asset(graded(found)),
            audit_asset(experiments, Stated(experiments, [file.data for file in found.data_sets])),
            site_asset(experiments),
            training_comparison_asset(graded(found), [file.training for file in found.trainings]),
        ],
        asset_checks=[
            *(problems_checks(choice) for choice in releases),
            *(summary_checks(experiment) for experiment in experiments),
            leaderboard_checks(graded(found)),
            *(check for experiment in experiments for check in strategy_checks(experiment)),
            *training_checks(found),
        ],
        resources={"deployment": Deployment.for_definitions()},
        # a step in a process of its own costs seconds and outlives a killed run
        executor=dg.in_process_executor,
    )
    return operated(dg.Definitions.merge(found.tree.build_defs(), ours), found)
