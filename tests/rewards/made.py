"""Rows of RL prompts for tests of rewards: real ones, from simulated rounds, with what a test says in their place."""

import functools
from typing import Any

from tests.training.stored_rows import made
from tmas_assets.records import RlRow, RowSource, Training


@functools.cache
def _of(source: RowSource) -> RlRow:
    return next(row for row in made()[0] if row.source == source)


def row(source: RowSource = "normal", *, p_base: float | None = None, **reward_model: Any) -> RlRow:
    """`reward_model`: fields in the place of its own."""
    found = _of(source)
    info = {} if p_base is None else {"p_base": p_base}
    return found.model_copy(
        update={
            "reward_model": found.reward_model.model_copy(update=reward_model),
            "extra_info": found.extra_info.model_copy(update=info),
        }
    )


HYBRID = ({"name": "correctness"}, {"name": "experience_use"}, {"name": "novel_strategy"})


def training(*rewards: dict[str, Any], **change: Any) -> Training:
    """The hybrid rewards on all rows unless others are given; `change` replaces top-level fields."""
    body: dict[str, Any] = {
        "name": "run", "prompts": {"set": "cold"}, "optimisation": {"learning_rate": 1e-6},
        "grpo": {"steps": 1, "rewards": list(rewards or HYBRID)},
    }  # fmt: skip
    return Training.model_validate(body | change)
