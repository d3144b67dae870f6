"""JSON schemas for structured replies, made so that a small model on a short budget still closes the object.

A grammar-guided server ends a string only when the model does. A small model often does not, and what it writes
inside quotes is rarely language: measured on SmolLM2-135M, 10 % of the replies were cut off and four notes in five
were strings such as `1.1.2.5`. So on a short budget every text is one sentence of bounded length. On a longer one
texts are free: a bounded string shuts out the backslash, and with it LaTeX, in xgrammar 0.2.8.
"""

import json
from typing import Any

from tmas_assets.records import Sampling

FREE_FROM = 512
"""Tokens of a budget from which on texts are free."""
KEYS_AND_PUNCTUATION = 40
"""Tokens of a budget set aside for all that is not text."""
LONG_AT_ONCE = 3
"""How many texts of one reply are taken to reach their bound at once."""
SHORTEST, LONGEST = 40, 150
"""Characters of a sentence. xgrammar 0.2.8 cannot compile a repetition of a class over 128."""
_OPENING = 31


def is_short(sampling: Sampling) -> bool:
    """Whether replies under this sampling are bounded."""
    return sampling.max_tokens < FREE_FROM


def text(sampling: Sampling, *, texts: int) -> dict[str, Any]:
    """Schema of one of at most `texts` texts of a reply. A token a character is counted: digits cost that."""
    if not is_short(sampling):
        return {"type": "string"}
    room = (sampling.max_tokens - KEYS_AND_PUNCTUATION) // min(texts, LONG_AT_ONCE)
    rest = min(max(room, SHORTEST), LONGEST) - _OPENING
    return {"type": "string", "pattern": rf"^[A-Z][a-z]{{1,14}} [a-z]{{1,14}} [A-Za-z0-9 ,.'+=*/()-]{{1,{rest}}}\.$"}


def one_of(*values: str | float) -> dict[str, Any]:
    return {"enum": list(values)}


def at_most(count: int, item: dict[str, Any], *, at_least: int = 0) -> dict[str, Any]:
    return {"type": "array", "minItems": at_least, "maxItems": count, "items": item}


def record(**fields: dict[str, Any]) -> dict[str, Any]:
    """A closed object whose fields come in this order, all of them required."""
    return {"type": "object", "properties": fields, "required": list(fields), "additionalProperties": False}


def spell(schema: dict[str, Any]) -> str:
    """The schema as text. Order is kept: the server makes the model write the fields in it."""
    return json.dumps(schema, separators=(",", ":"))
