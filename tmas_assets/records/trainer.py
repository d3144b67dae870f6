"""What passes between a training run and its trainer's processes: the plan in, figures of each step on the way, the outcome back."""

from typing import Literal

from tmas_assets.records.base import Record
from tmas_assets.records.training import Training

OUTCOME = "outcome.json"
"""File of the `TrainerOutcome` in the folder of the trained model, written last by the trainer."""
MOST_DIFFERENT = 1e-6
"""Largest difference between a weight in memory and the same one read back, up to which a folder holds the trained model."""


class TrainerPlan(Record):
    """One launch of the trainer, as a JSON file that every process reads."""

    training: Training
    iteration: int
    model: str
    """Folder of the weights that the iteration starts from: the base at first, then the former checkpoint."""
    state: str | None
    """Folder of the whole trainer state to go on from (optimizer, schedule, random numbers); None for a fresh start."""
    rows: tuple[str, ...]
    """Asset key in the store of the `RlRow`s or `Conversation`s."""
    rows_partition: tuple[str, ...]
    rows_digest: str
    """Of that file; other bytes are refused."""
    states: str
    """Folder where trainer states go."""
    output: str
    """Folder where the trained model goes; it is whole once `outcome.json` is in it."""
    figures: str
    """File that each step's figures are appended to, JSON lines of `StepFigures`."""


class RewardPart(Record):
    """One reward over the samples that it applies to."""

    name: str
    mean: float
    samples: int


class StepFigures(Record):
    """One optimizer step. None: not of this kind of training, or nothing to measure it on."""

    iteration: int
    step: int
    """Number of the step in the whole run, from 1."""
    loss: float | None
    learning_rate: float | None
    grad_norm: float | None
    reward: float | None
    """Mean over samples that have one."""
    reward_std: float | None
    parts: tuple[RewardPart, ...]
    unrewarded: int | None
    """Samples without a reward: their gold cannot be graded."""
    kl: float | None
    clip_ratio: float | None
    zero_variance: float | None
    """Share of groups whose rewards are all equal, which teach nothing."""
    truncated: float | None
    """Share of samples cut at the token limit."""
    completion_tokens: float | None
    """Mean length of a sample."""
    accuracy: float | None
    """SFT: share of trained tokens that the model ranks first. GRPO: share of graded samples that are right."""
    tokens: int
    """That went through the model in this step, over all processes."""
    seconds: float
    tokens_per_second: float
    memory_mib: float
    """Peak resident memory of the largest process; on CUDA, peak memory of the fullest device."""


class StepPrompts(Record):
    """What one step was made of."""

    iteration: int
    step: int
    rows: tuple[str, ...]
    """Prompt digests (GRPO), each sampled `samples` times, or conversations as `<group>#<order>` (SFT), in order."""


class TrainerOutcome(Record):
    """How the trainer ended when it ended well."""

    ended: Literal["finished", "asked to end"]
    """`asked to end`: SIGTERM came; the state is saved and the iteration is not finished."""
    step: int
    """Last step done."""
    seconds: float
    """In training, without imports and loading."""
    processes: int
    max_difference: float | None
    """Largest absolute difference between a weight in memory and the same one read back from the saved files; None where
    nothing was saved."""
    parameters: int
    device: str
    packages: tuple[tuple[str, str], ...]
    """(name, version) of what shapes the numbers."""
