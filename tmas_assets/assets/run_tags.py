"""Tags and names of the runs of campaigns, trainings and data sets, in one place. Leaves out what a run is tagged with while it runs:
`pinning.py`."""

from dagster._core.storage.tags import RETRY_ON_ASSET_OR_OP_FAILURE_TAG

CAMPAIGN = "tmas/campaign"
"""The experiment or study that the run is of."""
TRAINING = "tmas/training"
DATA_SET = "tmas/data_set"
DAY = "tmas/refresh"
"""Of the runs that a schedule launched: the local day."""
CHECKPOINT = "tmas/checkpoint"
"""Of the runs that a new checkpoint launched: training and start of the checkpoint's digest."""
PIN = "tmas.pin/"
"""Before the name of a training: which of its checkpoints `latest` is in this run. Apart, so that no training is called like a tag above."""
NO_RETRY = {RETRY_ON_ASSET_OR_OP_FAILURE_TAG: "false"}
"""A run that failed in a step is not launched again by the instance's own retries, whatever they are set to: what another try cures, the step
tries again itself. One that crashed is launched again."""


def campaign_name(name: str) -> str:
    """Of the job of an experiment or study."""
    return f"{name}_campaign"
