"""What Dagster knows of summaries: which seal its events name, and the event of a summary that no run of Dagster made."""

import dagster as dg

from tmas_assets.assets.events import Input, event, last_event
from tmas_assets.assets.keys import experiment_key
from tmas_assets.assets.summary import MadeSummary, summary_metadata
from tmas_assets.records import Experiment, digest

_EVENTS = 50
"""Summaries that are looked through for the one of given settings."""


def sealed_in_event(instance: dg.DagsterInstance, experiment: str, settings: str) -> str | None:
    """Digest of the seal as Dagster's last event of a summary under these settings says it; None where there is none."""
    for record in instance.fetch_materializations(dg.AssetKey([experiment, "summary"]), limit=_EVENTS).records:
        said = record.asset_materialization.metadata if record.asset_materialization else {}
        if "sealed" in said and said["settings"].value == settings:
            return str(said["sealed"].value)
    return None


def tell(instance: dg.DagsterInstance, experiment: Experiment, made: MadeSummary) -> None:
    """Dagster's event of a summary that no run of Dagster made, unless the last one says the same."""
    if sealed_in_event(instance, experiment.name, made.settings) == made.seal.digest:
        return
    key = experiment_key(experiment, "benchmark_scores")
    grades = Input(key, digest([score.grades_digest for score in made.report.scores]), last_event(instance, key))
    said = event(experiment_key(experiment, "summary"), None, made.seal, summary_metadata(made), None, [grades])
    instance.report_runless_asset_event(said)
