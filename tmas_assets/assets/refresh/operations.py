"""What the files of a location ask for beyond assets and campaigns: schedules, sensors, conditions, freshness, the regression check.

Leaves out what each of them does.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import dagster as dg

from tmas_assets.assets.audit import audit_schedule
from tmas_assets.assets.keys import LEADERBOARD, TRAINING_COMPARISON, comparison_key, experiment_key
from tmas_assets.assets.loading import Loaded
from tmas_assets.assets.refresh.automation import Condition, follows_its_cells, follows_summaries, freshness
from tmas_assets.assets.refresh.failures import failure_sensor
from tmas_assets.assets.refresh.new_checkpoints import Refreshed, new_checkpoints_sensor
from tmas_assets.assets.refresh.regression import is_judged, regression_check
from tmas_assets.assets.refresh.schedule import refresh_schedule
from tmas_assets.assets.site import SITE
from tmas_assets.records import Experiment, Study, Training


def operated(defs: dg.Definitions, found: Loaded) -> dg.Definitions:
    """`defs`, the assets (the audit among them) and jobs of `found`, with what operates them."""
    studies = {file.study.name: (file.study, [member.experiment for member in file.members]) for file in found.studies}
    alone = [file.experiment for file in found.alone]
    own = operated_of(defs, alone, list(studies.values()), [file.training for file in found.trainings])
    return dg.Definitions.merge(own, dg.Definitions(schedules=[audit_schedule()]))


def operated_of(
    defs: dg.Definitions, alone: Sequence[Experiment], studies: Sequence[tuple[Study, Sequence[Experiment]]], trainings: Sequence[Training]
) -> dg.Definitions:  # fmt: skip
    """`defs`: with the jobs; `alone`: experiments with a campaign of their own that no study launches."""
    every = [*alone, *(member for _, members in studies for member in members)]
    marked = [Refreshed(one.name, (one,)) for one in alone if one.refresh is not None]
    marked += [Refreshed(study.name, tuple(members)) for study, members in studies if members[0].refresh is not None]
    checkpoints = new_checkpoints_sensor(marked, trainings, defs.jobs or ())
    own = dg.Definitions(
        schedules=[refresh_schedule(one.name, refresh, one.experiments) for one in marked if (refresh := one.experiments[0].refresh)],
        sensors=[failure_sensor(), *([checkpoints] if checkpoints is not None else [])],
        asset_checks=[regression_check(one) for one in every if is_judged(one)],
    )
    operations = dict(_operations(every, [study for study, _ in studies]))

    def changed(spec: dg.AssetSpec) -> dg.AssetSpec:
        own = operations.get(spec.key)
        if own is None:
            return spec
        return spec.replace_attributes(automation_condition=own.condition, freshness_policy=own.freshness or spec.freshness_policy)

    return dg.Definitions.merge(defs.map_asset_specs(func=changed), own)


@dataclass(frozen=True)
class _Operation:
    condition: Condition
    freshness: dg.FreshnessPolicy | None = None


def _operations(experiments: Sequence[Experiment], studies: Sequence[Study]) -> Iterator[tuple[dg.AssetKey, _Operation]]:
    yield LEADERBOARD, _Operation(follows_summaries())
    yield TRAINING_COMPARISON, _Operation(follows_summaries())
    yield SITE, _Operation(follows_summaries())
    for one in experiments:
        fresh = freshness(one.refresh) if one.refresh is not None else None
        yield experiment_key(one, "summary"), _Operation(follows_its_cells(), fresh)
    for study in studies:
        yield comparison_key(study), _Operation(follows_summaries(study.name))
