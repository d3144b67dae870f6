"""Correctness: +1 for a right answer, -1 for a wrong one, nothing where the rules cannot tell (arXiv 2605.10344)."""

from pydantic import Field

from tmas_assets.records import ROW_SOURCES, Record
from tmas_assets.rewards._contract import Reward, Sample


class Settings(Record):
    right: float = Field(default=1.0, allow_inf_nan=False)
    wrong: float = Field(default=-1.0, allow_inf_nan=False)


def value(sample: Sample, settings: Settings) -> float | None:
    return {"right": settings.right, "wrong": settings.wrong}.get(sample.outcome)


REWARD = Reward(
    name="correctness",
    title="Correctness of the final answer",
    source="TMAS (arXiv 2605.10344), hybrid-reward RL, B_base",
    Settings=Settings,
    sources=frozenset(ROW_SOURCES),
    value=value,
)
