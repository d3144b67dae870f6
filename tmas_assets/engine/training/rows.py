"""Rows of a trainer plan, read from the store, and only the very ones that were planned with, in tokens that the model knows."""

from collections.abc import Iterable
from typing import Any, TypeVar

from resources.deployment import Deployment
from resources.parquet_store import Address
from tmas_assets.engine.training.faults import TrainerRefusal
from tmas_assets.records import TrainerPlan
from tmas_assets.records.base import Record

R = TypeVar("R", bound=Record)


def planned_rows(plan: TrainerPlan, record: type[R]) -> tuple[R, ...]:
    """Raises TrainerRefusal where the file holds other bytes than the plan was made for; StoreFault as the store does."""
    address = Address(plan.rows, plan.rows_partition)
    rows, stored = Deployment.from_environment().store().read_stored(address, record)
    if stored.digest != plan.rows_digest:
        raise TrainerRefusal(
            f"{plan.training.name}: rows {address} have digest {stored.digest[:12]}, the plan was made for {plan.rows_digest[:12]}: they "
            "were made again since. Materialize the checkpoint again; it then plans with the present rows."
        )
    if not rows:
        raise TrainerRefusal(f"{plan.training.name}: rows {address} are empty; there is nothing to train on")
    return rows


def require_known(plan: TrainerPlan, config: Any, tokens: Iterable[int]) -> None:
    """`config`: of the model, `tokens`: numbers that are among the rows' own. Raises TrainerRefusal where the tokenizer is another model's."""
    if (highest := max(tokens)) >= config.vocab_size:
        raise TrainerRefusal(
            f"{plan.training.name}: the tokenizer of {plan.model} writes token {highest}, and the model has {config.vocab_size}: they are not of one "
            "model. Save both from the same base."
        )
