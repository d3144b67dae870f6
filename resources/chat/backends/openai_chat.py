"""Chat completions as OpenAI, vLLM, SGLang, llama.cpp and most gateways take them; the default.

Pure. Fields that are None are not sent. Stop strings never are: a server applies them inside the thinking, so
`replies.py` cuts the answer instead.
"""

import json
import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from pydantic import JsonValue

from resources.chat.backends._contract import Asked, Backend

_OPTIONAL = ("top_p", "top_k", "min_p", "presence_penalty", "frequency_penalty", "repetition_penalty")


def body(asked: Asked) -> Mapping[str, JsonValue]:
    """JSON for `POST /chat/completions`; top_k, min_p and repetition_penalty as vLLM takes them."""
    request, sampling = asked.request, asked.request.sampling
    sent: dict[str, JsonValue] = {
        "model": asked.model,
        "messages": [{"role": message.role, "content": message.content} for message in request.messages],
        "max_tokens": asked.max_tokens,
        "temperature": sampling.temperature,
    }
    for name in _OPTIONAL:
        value = getattr(sampling, name)
        if value is not None:
            sent[name] = value
    if asked.seed is not None:
        sent["seed"] = asked.seed
    if request.response_schema is not None:
        name = re.sub(r"[^a-zA-Z0-9_-]", "_", request.role)[:64] or "reply"
        schema = {"name": name, "schema": _schema(request.response_schema), "strict": True}
        sent["response_format"] = {"type": "json_schema", "json_schema": schema}
    return sent


@lru_cache(maxsize=64)
def _schema(text: str) -> Any:
    return json.loads(text)


BACKEND = Backend(
    name="openai_chat", title="Chat completions", source="OpenAI API reference, Chat; vLLM, OpenAI-compatible server",
    path="/chat/completions", key_headers=lambda key: {"Authorization": f"Bearer {key}"}, body=body, completion=lambda reply: reply,
)
