"""Chat backends, one file each, found by a scan of this package: the interfaces that servers of models are asked through.

A module that defines `BACKEND` is one. Limits, retries, the call log, thinking and stop strings are the same for all of them and are
not theirs.
"""

import importlib
import pkgutil
from collections.abc import Mapping
from functools import cache

from resources.chat.backends._contract import Asked, Backend
from tmas_assets.records import Endpoint
from tmas_assets.records.wrong_fields import nearest

__all__ = ["Asked", "Backend", "BackendFault", "backend", "backends", "unfit"]


class BackendFault(ValueError):
    """A backend that there is not; the text names those that there are."""


@cache
def backends() -> Mapping[str, Backend]:
    """Every backend of this package by name."""
    found = {}
    for module in pkgutil.iter_modules(__path__):
        made = getattr(importlib.import_module(f"{__name__}.{module.name}"), "BACKEND", None)
        if made is not None:
            found[made.name] = made
    return dict(sorted(found.items()))


def backend(name: str) -> Backend:
    """Raises BackendFault with the known names."""
    if name not in backends():
        raise BackendFault(f"no backend {name!r}; {nearest(name, list(backends()))}")
    return backends()[name]


def unfit(endpoint: Endpoint) -> str | None:
    """What the endpoint states that its backend cannot carry, beginning with the field; None where it can be asked so."""
    try:
        spoken = backend(endpoint.backend)
    except BackendFault as fault:
        return f"backend: {fault}"
    stated = {field for field, value in endpoint.sampling.model_dump().items() if value is not None}
    if endpoint.structured_output:
        stated.add("response_schema")
    lost = sorted(stated & spoken.leaves_out)
    if not lost:
        return None
    field = "structured_output" if lost[0] == "response_schema" else f"sampling.{lost[0]}"
    return f"{field}: {spoken.name} cannot carry it; take it away, or ask through another backend"
