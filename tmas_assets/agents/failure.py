"""Says why a call that brought no reply has nothing to parse."""

from tmas_assets.records import Call


def no_reply(call: Call) -> str | None:
    """Why there is nothing to parse; None when there is an answer to read, be it cut off."""
    if call.failure is not None:
        return f"{call.failure.boundary}: {call.failure.kind}: {call.failure.detail}"
    if call.answer.strip():
        return None
    return f"no answer in the reply ({call.status}, finish reason {call.finish_reason})"


def cut_off(call: Call, reason: str) -> str:
    """The parser's reason, with the note that the reply was cut off where it was."""
    if call.status != "truncated":
        return reason
    return f"{reason} (the reply was cut off after {call.usage.completion_tokens or call.max_tokens_sent} tokens)"
