"""What Dagster knows of summaries: which seal its events name, and summaries that no run of Dagster makes, with their event."""

import dagster as dg

from resources.deployment import Deployment
from tmas_assets.assets.events import Input, event, last_event
from tmas_assets.assets.keys import experiment_key
from tmas_assets.assets.summary import MadeSummary, grades_digest, summarise, summary_metadata
from tmas_assets.records import Experiment

_EVENTS = 50
"""Summaries that are asked for at once."""


def sealed_in_event(instance: dg.DagsterInstance, experiment: str, settings: str) -> str | None:
    """Digest of the seal as Dagster's last event of a summary under these settings says it; None where there is none."""
    cursor: str | None = None
    while True:
        found = instance.fetch_materializations(dg.AssetKey([experiment, "summary"]), limit=_EVENTS, cursor=cursor)
        for record in found.records:
            said = record.asset_materialization.metadata if record.asset_materialization else {}
            if "sealed" in said and said["settings"].value == settings:
                return str(said["sealed"].value)
        if not found.has_more:
            return None
        cursor = found.cursor


def summarise_told(instance: dg.DagsterInstance, deployment: Deployment, experiment: Experiment) -> MadeSummary:
    """Sum up outside of any run, and tell Dagster: a seal that no event names looks like one that somebody else wrote. Raises as `summarise`."""
    made = summarise(deployment, experiment)
    _tell(instance, experiment, made)
    return made


def _tell(instance: dg.DagsterInstance, experiment: Experiment, made: MadeSummary) -> None:
    """Unless the last event of these settings says the same."""
    if sealed_in_event(instance, experiment.name, made.settings) == made.seal.digest:
        return
    key = experiment_key(experiment, "benchmark_scores")
    grades = Input(key, grades_digest(made.report.scores), last_event(instance, key))
    said = event(experiment_key(experiment, "summary"), None, made.seal, summary_metadata(made), None, [grades])
    instance.report_runless_asset_event(said)
