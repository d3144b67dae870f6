"""A row of RL prompts as trainers read it: the columns of the TMAS release, which are verl's layout, typed and closed."""

from typing import Literal

from pydantic import Field

from tmas_assets.records.base import Record
from tmas_assets.records.call import Message
from tmas_assets.records.data_set import RowSource


class RewardModel(Record):
    """How a sample is rewarded."""

    ground_truth: str
    style: Literal["rule", "model"]
    """`rule`: graded by rules alone. `model`: a model judges novelty beside them."""
    grader: str
    grading_data: str
    """What the grader needs besides the gold, JSON text; empty for none."""


class ShownEntry(Record):
    """A line of a bank as it stands in the prompt."""

    id: str
    polarity: str
    text: str


class ExtraInfo(Record):
    """Where a row comes from. The prompt follows from the problem, the round and the memory named here."""

    index: int
    """Number of the row in its set."""
    set: str
    problem: str
    problem_digest: str
    licence: str
    topic: str
    origin: str
    """Name of the problem's source."""
    p_base: float
    """Pass rate of the same problem without a bank."""
    p_base_samples: int
    experience: tuple[ShownEntry, ...]
    guideline: tuple[ShownEntry, ...]
    branch: Literal["plain", "refine", "explore"]
    repeat: int
    iteration: int
    """Iteration that the prompt opens; 0 for a plain one."""
    candidate: int
    parents: tuple[str, ...]
    """Ids of the earlier rollouts shown."""
    rollouts_digest: str | None
    """Digests of the files of the round before: None where nothing of it is shown."""
    summaries_digest: str | None
    memory_digest: str | None
    right_before: int
    """Answers of the round before that are right, and that are wrong: how the strategies in the banks fared."""
    wrong_before: int
    teacher: str | None
    teacher_model: str | None
    prompt_digest: str
    """Of `prompt`."""


class RlRow(Record):
    prompt: tuple[Message, ...]
    """System and user messages exactly as the solution agent sends them."""
    data_source: Literal["math", "math_grm"]
    """`math_grm`: novelty is judged by a model (guideline rows)."""
    reward_model: RewardModel
    extra_info: ExtraInfo
    source: RowSource = Field(alias="_source")
