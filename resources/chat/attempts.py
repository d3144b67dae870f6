"""The state of one request between its attempts, and what a refusal by the server means for it.

Leaves out sending and waiting (`chat_client.py`, `retries.py`).
"""

from dataclasses import dataclass, field

from resources.chat.context_errors import context_error
from resources.chat.limits import Ticket
from resources.chat.outcomes import Refused
from tmas_assets.records import Failure, Usage

_KINDS = {
    400: "bad_request",
    401: "unauthorized",
    403: "forbidden",
    404: "not_found",
    413: "too_large",
    422: "unprocessable",
}


class EndpointUnavailable(RuntimeError):
    """Every attempt met an error that is not the request's fault. No answer was recorded; run again later."""

    def __init__(self, url: str, attempts: int, reasons: tuple[str, ...], what: str, last: str) -> None:
        self.url = url
        self.attempts = attempts
        self.reasons = reasons
        super().__init__(
            f"{what}: no reply from {url} after {attempts} requests ({', '.join(reasons)}); last: {last}. "
            f"Check the server and run again: finished calls are read from the call log."
        )


@dataclass
class Attempts:
    """One request on its way: what is sent next, what was sent so far and why that was not enough."""

    ticket: Ticket
    max_tokens: int
    seed: int
    permit: bool = False
    """Whether the gate's permit is held."""
    sent: int = 0
    failed: int = 0
    """Attempts that met a transient error; `max_attempts` bounds these."""
    empty: int = 0
    repaired: bool = False
    retries: list[str] = field(default_factory=list)
    avoid: set[str] = field(default_factory=set)
    usage: Usage | None = None
    """Sum over the replies so far, the empty ones too: they were paid for."""
    seconds: float = 0.0
    """In flight, last attempt."""

    def paid(self, usage: Usage) -> None:
        """Add the usage of one reply; unknown plus anything is unknown."""
        before = self.usage
        self.usage = usage if before is None else Usage(
            prompt_tokens=_add(before.prompt_tokens, usage.prompt_tokens),
            completion_tokens=_add(before.completion_tokens, usage.completion_tokens),
            cached_tokens=_add(before.cached_tokens, usage.cached_tokens),
        )  # fmt: skip


def final_failure(refusal: Refused, attempts: Attempts) -> Failure | None:
    """The failure that a refusal means, or None when the token budget was cut to fit and should be sent once more."""
    detail = f"status {refusal.status}: {refusal.message}"
    misfit = context_error(refusal.message) if refusal.status in (400, 413, 422) and attempts.max_tokens > 0 else None
    if misfit is None:
        kind = _KINDS.get(refusal.status, f"http_{refusal.status}")
        return Failure(boundary="request", kind=kind, detail=detail)
    room = misfit.room()
    if attempts.repaired or room is None or not 1 <= room < attempts.max_tokens:
        return Failure(boundary="context", kind="context_overflow", detail=detail)
    attempts.repaired = True
    attempts.max_tokens = room
    return None


def _add(one: int | None, other: int | None) -> int | None:
    return None if one is None or other is None else one + other
