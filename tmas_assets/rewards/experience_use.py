"""Use of experience: a right answer with the experience bank in its prompt earns beta * (1 - p_base) (arXiv 2605.10344).

A value of its own beside correctness, so that both are seen. It is the larger the rarer the problem is solved without a bank.
Divided by the deviation of its own group (`scale_rewards: group`) it changes no advantage: see `advantages.py`.
"""

from pydantic import Field

from tmas_assets.records import Record
from tmas_assets.rewards._contract import Reward, Sample


class Settings(Record):
    beta: float = Field(default=0.5, ge=0, allow_inf_nan=False)
    """The bonus for a problem that is never solved without a bank. The paper does not state its value; this one is ours."""


def value(sample: Sample, settings: Settings) -> float | None:
    """`p_base` is the row's measured pass rate of the plain prompt."""
    return {"right": settings.beta * (1 - sample.row.extra_info.p_base), "wrong": 0.0}.get(sample.outcome)


REWARD = Reward(
    name="experience_use",
    title="Bonus for a right answer with the experience bank, larger on problems that are hard without it",
    source="TMAS (arXiv 2605.10344), hybrid-reward RL, B_bank",
    Settings=Settings,
    sources=frozenset({"experience"}),
    value=value,
)
