"""Tags of campaign runs, in one place."""

from dagster._core.storage.tags import RETRY_ON_ASSET_OR_OP_FAILURE_TAG

CAMPAIGN = "tmas/campaign"
"""The experiment or study that the run is of."""
DAY = "tmas/refresh"
"""Of the runs that a schedule launched: the local day."""
CHECKPOINT = "tmas/checkpoint"
"""Of the runs that a new checkpoint launched: training and start of the checkpoint's digest."""
NO_RETRY = {RETRY_ON_ASSET_OR_OP_FAILURE_TAG: "false"}
"""A run that failed in a step is not launched again by the instance's own retries, whatever they are set to: what another try cures, the step
tries again itself. One that crashed is launched again."""


def campaign_name(name: str) -> str:
    """Of the job of an experiment or study."""
    return f"{name}_campaign"
