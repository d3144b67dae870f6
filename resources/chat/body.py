"""The JSON body of a chat request, as OpenAI-compatible servers take it.

Pure. Fields that are None are not sent. Stop strings never are: a server applies them inside the thinking, so
`replies.py` cuts the answer instead.
"""

import json
import re
from functools import lru_cache
from typing import Any

from tmas_assets.records import ChatRequest

_OPTIONAL = (
    "top_p", "top_k", "min_p", "presence_penalty", "frequency_penalty", "repetition_penalty",
)  # fmt: skip


def chat_body(request: ChatRequest, *, model: str, max_tokens: int, seed: int | None) -> bytes:
    """UTF-8 JSON for `POST /chat/completions`; top_k, min_p and repetition_penalty as vLLM takes them."""
    sampling = request.sampling
    body: dict[str, Any] = {
        "model": model,
        "messages": [{"role": message.role, "content": message.content} for message in request.messages],
        "max_tokens": max_tokens,
        "temperature": sampling.temperature,
    }
    for name in _OPTIONAL:
        value = getattr(sampling, name)
        if value is not None:
            body[name] = value
    if seed is not None:
        body["seed"] = seed
    if request.response_schema is not None:
        name = re.sub(r"[^a-zA-Z0-9_-]", "_", request.role)[:64] or "reply"
        schema = {"name": name, "schema": _schema(request.response_schema), "strict": True}
        body["response_format"] = {"type": "json_schema", "json_schema": schema}
    return json.dumps(body, ensure_ascii=False, separators=(",", ":")).encode()


@lru_cache(maxsize=64)
def _schema(text: str) -> Any:
    return json.loads(text)
