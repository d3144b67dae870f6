"""What a reward is: which rows it applies to, what it needs to know of a sample, and its value."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

from tmas_assets.records import Outcome, Record, RlRow, RowSource


@dataclass(frozen=True)
class Sample:
    """A graded sample of a row."""

    row: RlRow
    reply: str
    """Its text, thinking included."""
    outcome: Outcome
    novel: bool | None
    """Whether it takes another way than the strategies in its prompt; None where nobody could tell or needs to."""


@dataclass(frozen=True)
class Scored:
    total: float | None
    """None: no reward can be told, so the sample teaches nothing (its gold cannot be graded, say)."""
    parts: tuple[tuple[str, float], ...]
    outcome: Outcome
    """Of the sample, for figures: the share that is right."""
    novel: bool | None


@dataclass(frozen=True)
class Novelty:
    """How `Sample.novel` is to be found."""

    by: Literal["similarity", "judge"]
    threshold: float
    """`similarity`: share of a guideline's words from which on a reply follows it."""
    reply_chars: int
    """`judge`: characters of a reply that it is shown."""


@dataclass(frozen=True)
class Reward:
    name: str
    title: str
    source: str
    """Paper and section, or code."""
    Settings: type[Record]
    sources: frozenset[RowSource]
    """Rows that it applies to."""
    value: Callable[[Sample, Any], float | None]
    """(sample, settings) -> its value; None where it cannot be told."""
    replaces: frozenset[str] = frozenset()
    """Rewards that it takes the place of on its rows, since they are part of it."""
    novelty: Callable[[Any], Novelty | None] = lambda settings: None
    """(settings) -> how `Sample.novel` is to be found; None where it is not needed."""
