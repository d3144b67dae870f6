"""Novel strategy: on prompts that show guidelines, correctness and novelty make one reward (arXiv 2605.10344).

A right answer by a known way earns little, a wrong one by a new way loses less than one by a known way. Stands in the place of
correctness there. Leaves out how novelty is found: by likeness (`guideline_likeness.py`) or by a judge (`agents/novelty.py`).
"""

from typing import Literal

from pydantic import Field

from tmas_assets.records import Record
from tmas_assets.rewards._contract import Novelty, Reward, Sample


class Settings(Record):
    right_novel: float = Field(default=1.0, allow_inf_nan=False)
    right_known: float = Field(default=0.2, allow_inf_nan=False)
    wrong_novel: float = Field(default=-0.5, allow_inf_nan=False)
    wrong_known: float = Field(default=-1.0, allow_inf_nan=False)
    novelty: Literal["similarity", "judge"] = "similarity"
    """Who says whether a sample is novel: a count of words, or the model at `judge`. The paper names no judge."""
    threshold: float = Field(default=0.4, gt=0, le=1)
    """`similarity`: share of a guideline's words, close together in a reply, from which on the reply follows it."""
    reply_chars: int = Field(default=4000, ge=200)
    """`judge`: characters of a reply that it is shown, the beginning and, twice as much, the end of a longer one."""


def value(sample: Sample, settings: Settings) -> float | None:
    """None where correctness or novelty cannot be told."""
    table = {
        ("right", True): settings.right_novel,
        ("right", False): settings.right_known,
        ("wrong", True): settings.wrong_novel,
        ("wrong", False): settings.wrong_known,
    }
    return None if sample.novel is None else table.get((sample.outcome, sample.novel))


def novelty(settings: Settings) -> Novelty:
    return Novelty(by=settings.novelty, threshold=settings.threshold, reply_chars=settings.reply_chars)


REWARD = Reward(
    name="novel_strategy",
    title="Correctness and novelty of the way against the guidelines shown",
    source="TMAS (arXiv 2605.10344), hybrid-reward RL, B_guide",
    Settings=Settings,
    sources=frozenset({"guideline"}),
    value=value,
    replaces=frozenset({"correctness"}),
    novelty=novelty,
)
