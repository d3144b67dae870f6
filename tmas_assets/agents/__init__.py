"""Agents: one module and one prompt file a role; `ask` builds a request, `read` makes a record of the reply."""

from collections.abc import Mapping
from types import MappingProxyType

from tmas_assets.agents import experience, guideline, solution, summary, verification
from tmas_assets.agents.asking import Ask, Limits
from tmas_assets.agents.material import SHARED
from tmas_assets.records import Sampling, digest

__all__ = ["Ask", "Limits", "experience", "guideline", "prompt_digests", "solution", "summary", "verification"]


def prompt_digests() -> Mapping[str, str]:
    """For each role the digest of every text and schema that shapes its requests: part of a strategy's digest."""
    sizes = (Sampling(max_tokens=256), Sampling(max_tokens=4096))
    schemas: dict[str, list[str]] = {
        verification.ROLE: [verification.schema(size) for size in sizes],
        experience.ROLE: [experience.schema(size, ()) for size in sizes],
        guideline.ROLE: [guideline.schema(size, ()) for size in sizes],
    }
    roles = (solution, verification, summary, experience, guideline)
    return MappingProxyType(
        {role.ROLE: digest([SHARED.digest, role.PROMPT.digest, schemas.get(role.ROLE, [])]) for role in roles}
    )
