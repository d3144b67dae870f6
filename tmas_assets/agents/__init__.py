"""Agents: one module and one prompt file a role; `ask` builds a request, `read` makes a record of the reply."""

from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Protocol

from tmas_assets.agents import experience, guideline, solution, summary, verification
from tmas_assets.agents.asking import Ask, Limits
from tmas_assets.agents.material import SHARED
from tmas_assets.agents.prompt import Prompt
from tmas_assets.records import Sampling, digest

__all__ = ["Ask", "Limits", "experience", "guideline", "prompt_digests", "solution", "summary", "verification"]

_SIZES = (Sampling(max_tokens=256), Sampling(max_tokens=4096))


class Agent(Protocol):
    """What a module of this package has at the least. Several may speak for one role, each in its own prompt."""

    ROLE: str
    PROMPT: Prompt

    def schemas(self, sampling: Sampling, /) -> tuple[str, ...]:
        """Every schema that its requests carry under this sampling; none for free text."""


def prompt_digests(agents: Iterable[Agent]) -> Mapping[str, str]:
    """By prompt file, the digest of every text and schema that shapes its requests: part of a strategy's digest."""
    return MappingProxyType({
        agent.PROMPT.name: digest([SHARED.digest, agent.PROMPT.digest, [agent.schemas(size) for size in _SIZES]])
        for agent in agents
    })  # fmt: skip
