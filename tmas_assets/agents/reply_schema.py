"""JSON schemas for structured replies, sized so that the object closes within the token budget.

A grammar-guided server ends a string only when the model does, and a small model often does not: the reply is cut
off and lost. So short budgets bound every string. Long ones do not, since xgrammar (0.2.8) builds a bounded string
without any escape, which shuts out the backslash and with it LaTeX.
"""

import json
from typing import Any

from tmas_assets.records import Sampling

UNBOUNDED_FROM = 1024
"""From so many tokens on, strings are not bounded."""
KEYS_AND_PUNCTUATION = 40
"""Tokens of a budget set aside for all that is not text."""
CHARS_A_TOKEN = 2
"""Between digits and formulas (one character a token) and words (four)."""


def text(sampling: Sampling, *, texts: int) -> dict[str, Any]:
    """Schema of one of at most `texts` strings of a reply."""
    schema: dict[str, Any] = {"type": "string", "minLength": 1}
    if sampling.max_tokens < UNBOUNDED_FROM:
        room = CHARS_A_TOKEN * max(0, sampling.max_tokens - KEYS_AND_PUNCTUATION)
        return schema | {"maxLength": max(20, room // texts)}
    return {"type": "string"}


def one_of(*values: str | float) -> dict[str, Any]:
    return {"enum": list(values)}


def at_most(count: int, item: dict[str, Any]) -> dict[str, Any]:
    return {"type": "array", "maxItems": count, "items": item}


def record(**fields: dict[str, Any]) -> dict[str, Any]:
    """A closed object whose fields come in this order, all of them required."""
    return {"type": "object", "properties": fields, "required": list(fields), "additionalProperties": False}


def spell(schema: dict[str, Any]) -> str:
    """The schema as text. Order is kept: the server makes the model write the fields in it."""
    return json.dumps(schema, separators=(",", ":"))
