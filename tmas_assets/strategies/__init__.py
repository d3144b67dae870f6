"""Test-time-scaling strategies, one file each, found by a scan of this package.

A strategy is an async function over named agents: it is given a problem and its own earlier rounds, and returns the
next round. It knows nothing of Dagster, files or the network; `Team` is all it sees of the world. A module of
this package that defines `STRATEGY` is a strategy; `step.py` has what their rounds are made of.
"""

import importlib
import pkgutil
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, Protocol

from pydantic import ValidationError

from tmas_assets.records import Call, ChatRequest, Problem, Record, Round, Sampling, StrategyChoice, digest
from tmas_assets.records.wrong_fields import nearest, wrong_fields


class Ran(Record):
    """A program that was run: what it printed, and how it ended."""

    stdout: str
    stderr: str
    ended: str
    """`passed`, or why it did not end well, in words."""
    unsandboxed: bool = False


class Team(Protocol):
    """The agents of an experiment: who answers for a role, how it is sampled, and how to ask."""

    def sampling(self, role: str) -> Sampling: ...

    def structured(self, role: str) -> bool:
        """Whether the role's endpoint offers json_schema output and the experiment wants it."""

    async def ask(self, request: ChatRequest) -> Call:
        """The reply, from the call log or the model. A refused request is a call with status `failed`; an
        endpoint that cannot be reached, or a spent budget, raises and ends the round."""

    async def classes(self, problem: Problem, answers: Sequence[str | None]) -> tuple[int | None, ...] | None:
        """The class of equal answers that each belongs to, None for a silent one: compared with each other by the
        problem's grader, never with the gold. None altogether where answers to it cannot be told equal (programs)."""

    async def run_code(self, program: str, stdin: str = "") -> Ran:
        """Run a Python program in the sandbox, within its limits. A sandbox that cannot be had raises."""

    async def embed(self, model: str, digest: str, texts: Sequence[str]) -> Sequence[Sequence[float]]:
        """Vectors of `texts` by a sentence encoder: its bundled name or folder, whose bytes have this digest. The same
        text has the same vector whatever stands beside it. An encoder that cannot be had, or is another, raises."""

    async def require_approval(self, made: Round) -> None:
        """Return where a person has approved what the turns of `made` say; raises AwaitsApproval where nobody has."""


class AwaitsApproval(RuntimeError):
    """A person has to approve before more is spent on this problem. The rounds made so far are kept."""


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
    roles: Callable[[Any], tuple[str, ...]]
    """Roles that are asked under these settings."""
    Settings: type[Record]
    prompts: Callable[[], Mapping[str, str]]
    """Digest of each role's prompt text."""
    population: Callable[[Any, int], int]
    """(settings, iteration) -> rollouts of that round that are answers of their own; 0 where they are drafts of one."""
    iterate: Callable[[Problem, tuple[Round, ...], Here, Team, Any], Awaitable[Round]]
    """(problem, earlier rounds with the oldest first, where, team, settings) -> next round."""
    chooses: Callable[[Any], bool] = lambda settings: False
    """Whether every round ends with one rollout of branch `chosen`: the strategy's answer so far, which is scored."""
    rounds: Callable[[Any], int | None] = lambda settings: None
    """How many rounds there are under these settings; None for as many as the experiment asks for."""
    looks_back: int | None = 1
    """How many earlier rounds `iterate` is given, None for all."""


class StrategyFault(ValueError):
    """A strategy that is not known, or settings that it does not take: one argument a wrong field, its path first."""

    def __str__(self) -> str:
        return "; ".join(map(str, self.args))


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
        raise StrategyFault(f"strategy.name: no strategy {name!r}; {nearest(name, list(strategies()))}")
    return strategies()[name]


def settings_of(choice: StrategyChoice) -> Record:
    """The validated settings. Raises StrategyFault that names each wrong field."""
    kind = strategy(choice.name).Settings
    try:
        return kind.model_validate(choice.settings)
    except ValidationError as error:
        lines = [f"strategy.settings.{path}: {words}" for path, words in wrong_fields(error, kind)]
        raise StrategyFault(*lines) from error


def strategy_digest(choice: StrategyChoice) -> str:
    """Digest of the strategy's name, its whole settings (defaults too) and the text of its prompts."""
    settings = settings_of(choice).model_dump(mode="json")
    return digest({"name": choice.name, "settings": settings, "prompts": dict(strategy(choice.name).prompts())})


def rounds_fault(choice: StrategyChoice, iterations: int) -> str | None:
    """Why the strategy cannot go through so many iterations; None where it can."""
    most = strategy(choice.name).rounds(settings_of(choice))
    if most is None or iterations <= most:
        return None
    return f"iterations: {choice.name} has {most} under these settings (found {iterations}); say `iterations: {most}`"
