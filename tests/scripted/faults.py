"""What goes wrong at the scripted server: faults queued by a test, and a share drawn from the digests.

A fault replaces the HTTP answer (a status, a dropped connection, a body that is no JSON), delays it, or
bends the reply that the script gave. Leaves out HTTP itself.
"""

import hashlib
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from tests.scripted.replies import Asked, Reply

Kind = Literal[
    "status", "drop", "drop_mid_reply", "slow", "html", "bad_json", "no_choices", "raw",
    "empty", "null", "reasoning", "reasoning_content", "reasoning_only", "closing_tag_only",
    "opening_tag_only", "length", "length_in_reasoning", "repetition", "no_usage", "content_filter",
    "tool_calls", "finish",
]  # fmt: skip
THINKING = "first the units digit then the carry"


@dataclass(frozen=True)
class Fault:
    """One wrong answer. `match` keeps it for the first request whose prompt contains that text."""

    kind: Kind
    status: int = 500
    """For `status`; 429 and 503 may carry `retry_after` (seconds as text, or an HTTP date)."""
    retry_after: str | None = None
    message: str = "scripted fault"
    code: str | int | None = None
    seconds: float = 0.0
    """For `slow`: added to the latency."""
    text: str | None = None
    """For `raw` the JSON body sent with status 200; for `finish` the finish reason."""
    match: str | None = None
    times: int = 1

    @classmethod
    def parse(cls, value: str | dict[str, Any]) -> "Fault":
        """`429`, `503`, `status` numbers and kinds as short words, or the fields as JSON."""
        if isinstance(value, dict):
            return cls(**value)
        if value.isdigit():
            return cls("status", status=int(value))
        return cls(value)  # type: ignore[arg-type]


@dataclass
class Faults:
    """Which fault the next request meets. `rate` of all (digest, attempt) pairs draw one of `kinds`."""

    rate: float = 0.0
    kinds: tuple[Fault, ...] = ()
    queue: list[Fault] = field(default_factory=list)

    def draw(self, asked: Asked) -> Fault | None:
        for position, fault in enumerate(self.queue):
            if fault.match is None or fault.match in asked.prompt:
                if fault.times > 1:
                    self.queue[position] = replace(fault, times=fault.times - 1)
                else:
                    del self.queue[position]
                return fault
        if self.rate and self.kinds:
            drawn = hashlib.sha256(f"{asked.digest}/fault{asked.attempt}".encode()).digest()
            if int.from_bytes(drawn[:8], "big") / 2**64 < self.rate:
                return self.kinds[drawn[8] % len(self.kinds)]
        return None


def bend(reply: Reply, fault: Fault) -> Reply:
    """The reply as the fault leaves it; faults of the HTTP answer leave it as it is."""
    content = reply.content or ""
    match fault.kind:
        case "empty":
            return replace(reply, content="")
        case "null":
            return replace(reply, content=None)
        case "reasoning" | "reasoning_content":
            return replace(reply, reasoning=THINKING, reasoning_field=fault.kind)
        case "reasoning_only":
            return replace(reply, content="", reasoning=THINKING)
        case "closing_tag_only":
            return replace(reply, content=f"{THINKING}</think>\n\n{content}")
        case "opening_tag_only":
            return replace(reply, content=f"<think>{THINKING}", finish_reason="length")
        case "length":
            return replace(reply, content=content[: max(1, len(content) // 2)], finish_reason="length")
        case "length_in_reasoning":
            return replace(reply, content=None, reasoning=THINKING, finish_reason="length")
        case "repetition":
            return replace(reply, content="and so it goes on. " * 8000, finish_reason="length")
        case "no_usage":
            return replace(reply, usage=False)
        case "content_filter":
            return replace(reply, content="", finish_reason="content_filter")
        case "tool_calls":
            call = {"id": "call-0", "type": "function", "function": {"name": "search", "arguments": "{}"}}
            return replace(reply, content=None, finish_reason="tool_calls", tool_calls=(call,))
        case "finish":
            return replace(reply, finish_reason=fault.text)
    return reply
