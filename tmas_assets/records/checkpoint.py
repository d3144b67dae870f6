"""A registered checkpoint: what a model folder on disk was made from and how."""

from typing import Literal

from tmas_assets.records.base import Record


class CheckpointFacts(Record):
    """What a training run knows of a checkpoint; the rest is in the trainer's outcome and in the folder."""

    training: str
    kind: Literal["sft", "grpo"]
    iteration: int
    base: str
    """Name of the model that it was trained from, with the iteration where that is a checkpoint: `demo_sft@t00`."""
    base_digest: str
    rows: str
    """Asset of the data."""
    rows_digest: str
    order_digest: str
    """Of the table of prompts by step."""
    settings_digest: str
    """Of `Training.shaping`."""
    code_version: str
    run: str
    """Dagster run that made it."""
    reward: float | None
    """Mean over the iteration's steps; None for SFT."""
    loss: float | None
    """Of the last step."""


class Checkpoint(CheckpointFacts):
    """Stands in the model folder as `checkpoint.json`, written last: a folder without it is torn."""

    digest: str
    """Identity of the model folder: SHA-256 over the manifest of its files."""
    steps: int
    """Optimizer steps in all, former iterations too."""
    seconds: float
    processes: int
    device: str
    parameters: int
    max_difference: float
    packages: tuple[tuple[str, str], ...]
