"""The code location as it ships loads as Dagster loads it: every job and every asset of every file at once."""

import dagster as dg

from tmas_assets.definitions import defs


def test_the_shipped_location_has_every_job_and_no_two_definitions_that_conflict():
    repository = defs().get_repository_def()
    names = {job.name for job in repository.get_all_jobs()}
    assert {"demo_campaign", "demo_strategies_campaign", "demo_strategies_mas_tts_campaign", "launch_decision_campaign"} <= names
    assert dg.AssetKey(["demo_strategies", "comparison"]) in repository.assets_defs_by_key
