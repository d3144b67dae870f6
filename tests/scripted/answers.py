"""HTTP answers of the scripted server: completions, errors in the shape vLLM and OpenAI share, and broken ones."""

from typing import Any

from tests.scripted.faults import Fault
from tests.scripted.http import JSON_HEADER, Answer, json_answer
from tests.scripted.replies import Asked, Reply

HTML = "Content-Type: text/html\r\n"


def error(status: int, message: str, kind: str, code: str | int | None = None, headers: str = "") -> Answer:
    """An error in the shape vLLM and OpenAI share."""
    said = {"message": message, "type": kind, "param": None, "code": status if code is None else code}
    return json_answer(status, {"error": said}, headers)


def broken_answer(fault: Fault, asked: Asked, reply: Reply) -> Answer | None:
    """The HTTP answer of a fault that replaces it, or None for faults that bend the reply or its latency."""
    match fault.kind:
        case "status":
            header = f"Retry-After: {fault.retry_after}\r\n" if fault.retry_after is not None else ""
            return error(fault.status, fault.message, "ScriptedError", fault.code, header)
        case "drop":
            return Answer(200, b"", cut=0)
        case "drop_mid_reply":
            whole = json_answer(200, completion(asked, reply))
            return Answer(200, whole.body, cut=len(whole.body) // 2)
        case "html":
            return Answer(200, b"<html><body>gateway</body></html>", HTML)
        case "bad_json":
            return Answer(200, b'{"choices": [{"message": {"content": "cut', JSON_HEADER)
        case "no_choices":
            return json_answer(200, {"id": "x", "choices": []})
        case "raw":
            return Answer(200, (fault.text or "").encode("utf-8", "surrogateescape"), JSON_HEADER)
    return None


def completion(asked: Asked, reply: Reply) -> dict[str, Any]:
    """The chat completion object; nothing in it depends on the time or on the server."""
    message: dict[str, Any] = {"role": "assistant", "content": reply.content}
    if reply.reasoning is not None:
        message[reply.reasoning_field] = reply.reasoning
    if reply.tool_calls:
        message["tool_calls"] = list(reply.tool_calls)
    choice = {"index": 0, "message": message, "finish_reason": reply.finish_reason, "logprobs": None}
    body = {"id": f"chatcmpl-{asked.digest[:24]}", "object": "chat.completion", "created": 0,
            "model": asked.body.get("model", "scripted"), "choices": [choice]}  # fmt: skip
    if reply.usage:
        prompt = asked.prompt_words if reply.prompt_tokens is None else reply.prompt_tokens
        said = len(f"{reply.reasoning or ''} {reply.content or ''}".split())
        answered = said if reply.completion_tokens is None else reply.completion_tokens
        body["usage"] = {
            "prompt_tokens": prompt,
            "completion_tokens": answered,
            "total_tokens": prompt + answered,
            "prompt_tokens_details": {"cached_tokens": reply.cached_tokens},
        }
    return body
