"""Reads the body of a chat completion into the fields of a call.

Pure. The thinking is cut off here, stop strings are applied to the answer alone, finish reasons become the closed
set, and a status says whether there is an answer at all. Leaves out errors with a status of their own
(`transport.py`) and retries (`chat_client.py`).
"""

from dataclasses import dataclass
from typing import Any, Literal

from tmas_assets.grading.repetition import is_repetitive
from tmas_assets.grading.thinking import split_thinking
from tmas_assets.records import CompletionStatus, Failure, FinishReason, Usage

STORED_CHARACTERS = 65536
"""A repetitive text is stored up to this length: its head, and its end in case an answer stands there."""
_TAIL = STORED_CHARACTERS // 8
_FINISH: dict[str, FinishReason] = {
    "stop": "stop",
    "length": "length",
    "content_filter": "content_filter",
    "tool_calls": "tool_calls",
    "function_call": "tool_calls",
}


class UnreadableReply(ValueError):
    """A reply of status 200 that is no finished chat completion; another attempt may bring one."""

    def __init__(self, reason: Literal["bad_body", "aborted"], detail: str) -> None:
        super().__init__(detail)
        self.reason = reason


@dataclass(frozen=True, slots=True)
class Reading:
    """A reply as the call records it; the fields mean what they mean in `Call`."""

    status: CompletionStatus
    finish_reason: FinishReason
    answer: str
    thinking: str | None
    thinking_split: Literal["none", "server", "client"]
    repetitive: bool
    usage: Usage
    failure: Failure | None


def read_reply(body: object, stop: tuple[str, ...] = ()) -> Reading:
    """The first choice of a chat completion. Raises `UnreadableReply` for anything else."""
    choice, message = _choice(body)
    usage = read_usage(body)
    raw = choice.get("finish_reason")
    if raw in ("abort", "error"):
        # vLLM ends a request so when it is shut down or fails inside: what came is a fragment.
        raise UnreadableReply("aborted", f"the server ended the request with finish reason {raw!r}")
    finish: FinishReason = _FINISH.get(raw, "unknown") if isinstance(raw, str) else "unknown"
    content = _text(message.get("content"))
    said = _text(message.get("reasoning")) or _text(message.get("reasoning_content"))
    own, rest = split_thinking(content or "")
    answer = rest or ""
    thinking = said or own
    split: Literal["none", "server", "client"] = "none" if thinking is None else "server" if said else "client"
    repetitive = raw == "repetition" or is_repetitive(content or "") or (said is not None and is_repetitive(said))
    if stop and (cut := _stopped(answer, stop)) is not None:
        answer = cut
        finish = "stop" if finish == "length" else finish
    if repetitive:
        answer = _shortened(answer)
        thinking = None if thinking is None else _shortened(thinking)
    failure = _failure(finish, answer, message)
    return Reading(
        status=_status(finish, answer, failure, cut_short=raw == "repetition"),
        finish_reason=finish,
        answer=answer,
        thinking=thinking,
        thinking_split=split,
        repetitive=repetitive,
        usage=usage,
        failure=failure,
    )


def read_usage(body: object) -> Usage:
    """Token counts of a completion body; what is missing or no count is None, not 0."""
    usage = body.get("usage") if isinstance(body, dict) else None
    if not isinstance(usage, dict):
        return Usage()
    details = usage.get("prompt_tokens_details")
    cached = details.get("cached_tokens") if isinstance(details, dict) else None
    return Usage(
        prompt_tokens=_count(usage.get("prompt_tokens")),
        completion_tokens=_count(usage.get("completion_tokens")),
        cached_tokens=_count(usage.get("prompt_cache_hit_tokens") if cached is None else cached),
    )


def _choice(body: object) -> tuple[dict[str, Any], dict[str, Any]]:
    if isinstance(body, dict):
        choices = body.get("choices")
        if isinstance(choices, list) and choices and isinstance(choices[0], dict):
            message = choices[0].get("message")
            if isinstance(message, dict):
                return choices[0], message
    raise UnreadableReply("bad_body", f"status 200 without choices[0].message: {str(body)[:500]!r}")


def _text(content: object) -> str | None:
    """Content as text: a string, or the text parts of a list. None for nothing. Lone surrogates, which no file
    can hold, become the replacement character."""
    if isinstance(content, list):
        texts = [part.get("text") for part in content if isinstance(part, dict)]
        content = "".join(text for text in texts if isinstance(text, str))
    if not isinstance(content, str) or not content:
        return None
    try:
        content.encode()
    except UnicodeEncodeError:
        return content.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return content


def _count(value: object) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None


def _stopped(answer: str, stop: tuple[str, ...]) -> str | None:
    """The answer up to the first stop string in it, or None where none occurs. Leading blanks do not count."""
    body = answer.lstrip()
    found = [place for text in stop if text and (place := body.find(text)) >= 0]
    return body[: min(found)] if found else None


def _shortened(text: str) -> str:
    if len(text) <= STORED_CHARACTERS:
        return text
    note = f"\n[{len(text) - STORED_CHARACTERS} characters of repetition left out]\n"
    return f"{text[: STORED_CHARACTERS - _TAIL - len(note)]}{note}{text[-_TAIL:]}"


def _failure(finish: FinishReason, answer: str, message: dict[str, Any]) -> Failure | None:
    if finish == "content_filter":
        return Failure(boundary="model", kind="content_filter", detail="the server's content filter cut the reply")
    if answer.strip():
        return None
    refusal = _text(message.get("refusal"))
    if refusal is not None:
        return Failure(boundary="model", kind="refusal", detail=refusal[:2000])
    calls = message.get("tool_calls") or message.get("function_call")
    if calls or finish == "tool_calls":
        return Failure(boundary="model", kind="tool_calls", detail=f"no content, only tool calls: {str(calls)[:500]}")
    return None


def _status(finish: FinishReason, answer: str, failure: Failure | None, cut_short: bool) -> CompletionStatus:
    if failure is not None:
        return "failed"
    if finish == "length" or cut_short:
        return "truncated"
    return "complete" if answer.strip() else "empty"
