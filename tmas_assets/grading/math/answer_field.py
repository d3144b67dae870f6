r"""Finds an answer that the reply sets apart by name: `<answer>8</answer>`, `{"answer": "8", "confidence": 0.9}`.

Leaves out boxes (`boxes.py`) and words that announce an answer (`find_answer.py`).
"""

import json
import re
from dataclasses import dataclass

_TAG = re.compile(
    r"<(?P<name>(?:final[_ -]?)?answer|final|solution_?answer)>(?P<content>.*?)(?:</(?P=name)\s*>|(?=<(?P=name)>)|\Z)", re.IGNORECASE | re.DOTALL)
_FIELD = re.compile(
    r"""(?<=[{,\s])(?P<quote>["'])(?:final[_ -]?)?(?:answer|result|solution)(?P=quote)\s*:\s*"""
    r"""(?:"(?P<double>(?:[^"\\]|\\.)*)"|'(?P<single>(?:[^'\\]|\\.)*)'|\[(?P<list>[^\[\]{}]*)\]|(?P<bare>[^\s,\[{}"'][^,}\n]*))(?=\s*[,}\n]|\s*\Z)""",
    re.IGNORECASE | re.DOTALL)


@dataclass(frozen=True)
class Field:
    content: str
    start: int
    end: int


def answer_field(text: str) -> Field | None:
    """The last of them."""
    tags = [Field(found["content"].strip(), found.start(), found.end()) for found in _TAG.finditer(text)] if "<" in text else []
    fields = [Field(_value(found), found.start(), found.end()) for found in _FIELD.finditer(text)] if "{" in text else []
    told = [field for field in tags + fields if field.content]
    return max(told, key=lambda field: field.end) if told else None


def _value(found: re.Match[str]) -> str:
    if found["list"] is not None:
        return re.sub(r"""["']""", "", found["list"]).strip()
    if found["bare"] is not None:
        return found["bare"].strip()
    quoted = found["double"] if found["double"] is not None else found["single"]
    if re.search(r"(?<!\\)(?:\\\\)*\\(?![\\\"/])", quoted):  # LaTeX that was not escaped
        return str(quoted).strip()
    try:
        return str(json.loads(f'"{quoted}"')).strip()
    except json.JSONDecodeError:
        return str(quoted).strip()
