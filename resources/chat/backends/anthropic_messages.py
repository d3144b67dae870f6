"""The Messages interface of Anthropic, which vLLM serves too (`POST /v1/messages`).

Pure. System messages go into a field of their own; thinking blocks become the thinking. It knows no seed, so samples of one request
differ by the server's own chance alone: the call log keeps them apart by their number.
"""

from collections.abc import Mapping

from pydantic import JsonValue

from resources.chat.backends._contract import Asked, Backend

_VERSION = "2023-06-01"
_FINISH = {"end_turn": "stop", "stop_sequence": "stop", "max_tokens": "length", "tool_use": "tool_calls", "refusal": "content_filter"}


def body(asked: Asked) -> Mapping[str, JsonValue]:
    """JSON for `POST /messages`."""
    sampling = asked.request.sampling
    system = "\n\n".join(message.content for message in asked.request.messages if message.role == "system")
    sent: dict[str, JsonValue] = {
        "model": asked.model,
        "messages": [{"role": message.role, "content": message.content} for message in asked.request.messages if message.role != "system"],
        "max_tokens": asked.max_tokens,
        "temperature": sampling.temperature,
    }
    if system:
        sent["system"] = system
    if sampling.top_p is not None:
        sent["top_p"] = sampling.top_p
    if sampling.top_k is not None:
        sent["top_k"] = sampling.top_k
    return sent


def completion(reply: object) -> object:
    """The content blocks as one message: texts joined, thinking apart."""
    if not isinstance(reply, dict) or not isinstance(reply.get("content"), list):
        return reply
    blocks = [block for block in reply["content"] if isinstance(block, dict)]
    usage = reply.get("usage")
    counts = usage if isinstance(usage, dict) else {}
    stop = reply.get("stop_reason")
    message = {
        "content": _joined(blocks, "text"),
        "reasoning": _joined(blocks, "thinking"),
        "tool_calls": [block for block in blocks if block.get("type") == "tool_use"] or None,
    }
    return {
        "choices": [{"message": message, "finish_reason": _FINISH.get(stop, stop) if isinstance(stop, str) else None}],
        "usage": {
            "prompt_tokens": _prompt_tokens(counts),
            "completion_tokens": counts.get("output_tokens"),
            "prompt_tokens_details": {"cached_tokens": counts.get("cache_read_input_tokens")},
        },
    }


def _prompt_tokens(counts: Mapping[str, object]) -> int | None:
    """`input_tokens` leaves out what was read from a cache or written to it."""
    uncached, *cached = (counts.get(name) for name in ("input_tokens", "cache_read_input_tokens", "cache_creation_input_tokens"))
    return uncached + sum(count for count in cached if isinstance(count, int)) if isinstance(uncached, int) else None


def _joined(blocks: list[dict[str, object]], kind: str) -> str | None:
    texts = [block.get(kind) for block in blocks if block.get("type") == kind]
    return "".join(text for text in texts if isinstance(text, str)) or None


BACKEND = Backend(
    name="anthropic_messages", title="Messages", source="Anthropic API reference, Messages; vLLM, Anthropic-compatible server",
    path="/messages", key_headers=lambda key: {"x-api-key": key}, headers=(("anthropic-version", _VERSION),), body=body, completion=completion,
    leaves_out=frozenset({"min_p", "presence_penalty", "frequency_penalty", "repetition_penalty", "response_schema"}),
)
