"""What a chat backend is: how a request is put to a server that speaks it, and how its reply is read."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from pydantic import JsonValue

from tmas_assets.records import ChatRequest


@dataclass(frozen=True)
class Asked:
    """A request as it is to be sent."""

    request: ChatRequest
    model: str
    """Name that the server knows the model by."""
    max_tokens: int
    """Of this attempt: less than the sampling's where the context would not hold it."""
    seed: int | None
    """None: not to be sent."""


@dataclass(frozen=True)
class Backend:
    name: str
    title: str
    source: str
    """Where the interface is described."""
    path: str
    """Of the request, after the endpoint's URL, e.g. `/chat/completions`."""
    key_headers: Callable[[str], Mapping[str, str]]
    """(key) -> headers that carry it. An endpoint whose URL has a user and a password sends those in their place."""
    body: Callable[[Asked], Mapping[str, JsonValue]]
    completion: Callable[[object], object]
    """(the reply's JSON) -> the same as a chat completion of OpenAI's, which all else reads: `choices[0].message` with `content` and
    `reasoning`, `finish_reason`, `usage`. What is no reply of this kind is given back as it came, and told as unreadable."""
    headers: tuple[tuple[str, str], ...] = ()
    """Others that it wants."""
    leaves_out: frozenset[str] = frozenset()
    """Fields of `Sampling` that it cannot carry, and `response_schema` where it holds no reply to a schema. An experiment that
    states one is refused."""
    models: str | None = "/models"
    """Path of the list of models, None where there is none: the model is then not verified before it is asked."""
