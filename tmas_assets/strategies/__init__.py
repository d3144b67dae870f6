"""Test-time-scaling strategies, one file each, found by a scan of this package.

A strategy is an async function over named agents: it is given a problem and its own last round, and returns the
next round. It knows nothing of Dagster, files or the network; `Team` is all it sees of the world. A module of
this package that defines `STRATEGY` is a strategy.
"""

import importlib
import pkgutil
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any, Protocol

from pydantic import ValidationError

from tmas_assets.records import Call, ChatRequest, Problem, Record, Round, Sampling, StrategyChoice, digest


class Team(Protocol):
    """The agents of an experiment: who answers for a role, how it is sampled, and how to ask."""

    def model(self, role: str) -> str:
        """Identity of the model that serves the role."""

    def sampling(self, role: str) -> Sampling: ...

    def structured(self, role: str) -> bool:
        """Whether the role's endpoint offers json_schema output and the experiment wants it."""

    async def ask(self, request: ChatRequest) -> Call:
        """The reply, from the call log or the model. A refused request is a call with status `failed`; an
        endpoint that cannot be reached, or a spent budget, raises and ends the round."""


@dataclass(frozen=True)
class Here:
    """Where a round stands: everything its seeds derive from."""

    seed: int
    repeat: int
    iteration: int
    strategy_digest: str


@dataclass(frozen=True)
class Strategy:
    name: str
    title: str
    source: str
    """Paper or code that the strategy follows."""
    roles: tuple[str, ...]
    Settings: type[Record]
    prompts: Callable[[], Mapping[str, str]]
    """Digest of each role's prompt text."""
    answers: Callable[[Any], int]
    """Rollouts of one round under these settings."""
    iterate: Callable[[Problem, Round | None, Here, Team, Any], Awaitable[Round]]
    """(problem, last round or None at iteration 0, where, team, settings) -> next round."""


class StrategyFault(ValueError):
    """A strategy that is not known, or settings that it does not take."""


@cache
def strategies() -> Mapping[str, Strategy]:
    """Every strategy of this package by name."""
    found = {}
    for module in pkgutil.iter_modules(__path__):
        strategy = getattr(importlib.import_module(f"{__name__}.{module.name}"), "STRATEGY", None)
        if strategy is not None:
            found[strategy.name] = strategy
    return dict(sorted(found.items()))


def strategy(name: str) -> Strategy:
    """Raises StrategyFault with the known names."""
    if name not in strategies():
        raise StrategyFault(f"strategy.name: no strategy {name!r}; known: {', '.join(strategies())}")
    return strategies()[name]


def settings_of(choice: StrategyChoice) -> Record:
    """The validated settings. Raises StrategyFault that names each wrong field."""
    kind = strategy(choice.name).Settings
    try:
        return kind.model_validate(choice.settings)
    except ValidationError as error:
        lines = [
            f"strategy.settings.{'.'.join(map(str, fault['loc']))}: {fault['msg']} (found {fault['input']!r})"
            for fault in error.errors()
        ]
        raise StrategyFault("; ".join(lines) + f"; {choice.name} takes {', '.join(kind.model_fields)}") from error


def strategy_digest(choice: StrategyChoice) -> str:
    """Digest of the strategy's name, its whole settings (defaults too) and the text of its prompts."""
    settings = settings_of(choice).model_dump(mode="json")
    return digest({"name": choice.name, "settings": settings, "prompts": dict(strategy(choice.name).prompts())})
