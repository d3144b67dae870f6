"""What the scripted model answers: a pure function of the request's digest.

A script is a callable `Asked -> Reply`, named `module:function` on the command line. `default` gives every
role of a strategy something it can parse. Leaves out faults (`faults.py`) and HTTP (`server.py`).
"""

import hashlib
import json
import math
import random
import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from importlib import import_module
from typing import Any, Literal

from tests.scripted.deciding import decided

WORDS = (
    "parity", "residue", "factor", "bound", "induction", "symmetry", "invariant", "remainder", "product",
    "sum", "triangle", "circle", "prime", "square", "root", "limit", "sequence", "graph", "vertex", "colour",
    "digit", "carry", "modulus", "inverse", "pigeonhole", "extremal", "substitution", "telescoping",
    "bijection", "recursion",
)  # fmt: skip


@dataclass(frozen=True)
class Asked:
    """One request as it came in. `attempt` counts earlier requests with the same body, from 0."""

    body: dict[str, Any]
    digest: str
    attempt: int

    @cached_property
    def prompt(self) -> str:
        """All message texts, joined by blank lines."""
        return "\n\n".join(str(message.get("content") or "") for message in self.body.get("messages", ()))

    @property
    def prompt_words(self) -> int:
        return len(self.prompt.split())

    def random(self, purpose: str = "reply") -> random.Random:
        """A stream of draws fixed by the digest and the purpose, the same at every attempt."""
        return random.Random(f"{self.digest}/{purpose}")


@dataclass(frozen=True)
class Reply:
    """What goes into the one choice. Token counts are words unless given; `usage=False` leaves them out."""

    content: str | None
    reasoning: str | None = None
    reasoning_field: Literal["reasoning", "reasoning_content"] = "reasoning_content"
    finish_reason: str | None = "stop"
    tool_calls: tuple[dict[str, Any], ...] = ()
    usage: bool = True
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    cached_tokens: int | None = None
    seconds: float | None = None
    """Latency of this reply instead of the server's."""


Script = Callable[[Asked], Reply]


def load_script(name: str) -> Script:
    """The script called `module:function`."""
    module, _, function = name.partition(":")
    script = getattr(import_module(module), function)
    if not callable(script):
        raise TypeError(f"script {name!r} is {type(script).__name__}, not a function")
    return script  # type: ignore[no-any-return]


def default(asked: Asked) -> Reply:
    """JSON for a schema, a critique with `Score:` or `Verdict:` where the prompt asks for it, else a boxed solution."""
    draw = asked.random()
    form = asked.body.get("response_format") or {}
    if form.get("type") == "json_schema":
        return Reply(json.dumps(instance(form["json_schema"]["schema"], draw)))
    if form.get("type") == "json_object":
        return Reply(json.dumps({"note": phrase(draw)}))
    if (found := found_in_a_search(asked.prompt.rpartition("Task: ")[2], draw)) is not None:
        return Reply(found)
    if (decision := decided(asked.prompt, draw, phrase)) is not None:
        return Reply(decision)
    if (lines := labelled(asked.prompt, draw)) is not None:
        return Reply(lines)
    if re.search(r"\bscore\s*:", asked.prompt, re.IGNORECASE):
        return Reply(f"The {phrase(draw)} step was checked.\nScore: {draw.choice(['0', '0.5', '1'])}")
    if verdict := re.search(r"\bVerdict: v\nwhere v is (\w+) or (\w+)\.", asked.prompt):
        return Reply(f"The {phrase(draw)} step was checked.\nVerdict: {draw.choice(verdict.groups())}")
    return Reply(f"By {phrase(draw)} the value follows.\n\n\\boxed{{{draw.randrange(0, 10)}}}")


def found_in_a_search(task: str, draw: random.Random) -> str | None:
    """Where the task asks for next steps, for a vote among solutions or for a distillation: that. None for any other."""
    if (steps := re.search(r"Propose (\d+) different next steps", task)) is not None:
        return "\n".join(f"Step {number}: By {phrase(draw)}." for number in range(1, int(steps[1]) + 1))
    if (states := re.search(r"Compare the (\d+) solutions", task)) is not None:
        return f"One rests on {phrase(draw)}.\nVerdict: {draw.randint(1, int(states[1]))}"
    if '"propositions"' in task:
        return json.dumps({"propositions": [phrase(draw)], "pitfalls": [phrase(draw)]})
    return None


def labelled(prompt: str, draw: random.Random) -> str | None:
    """Where the task asks for tests, a numbered list or labelled lines: just that. None for any other prompt."""
    task = prompt.rpartition("Task: ")[2]
    if "`assert`" in task:
        return f"```python\nassert {draw.randrange(9)} >= 0\n```"
    if (listed := re.search(r"numbered list of (\d+)", task)) is not None:
        return "\n".join(f"{number}. An expert of {phrase(draw)}." for number in range(1, int(listed[1]) + 1))
    asked = re.findall(r"^([A-Z][a-z]+): (.+)$", task, re.MULTILINE)
    if not any(label in ("Verdict", "Action") for label, _ in asked):
        return None
    lines: dict[str, str] = {}
    for label, form in asked:
        words = re.findall(r"^(\w+), or (\w+)$", form) or [[word] for other, word in asked if other == label and " " not in form]
        choices = [word for group in words for word in group]
        lines[label] = draw.choice(choices) if choices else str(draw.randrange(1, 9)) if form == "a number" else phrase(draw)
    return "\n".join(f"{label}: {text}" for label, text in lines.items())


def echo(asked: Asked) -> Reply:
    """The last message as it was sent; for tests of order and of identity."""
    return Reply(str(asked.body["messages"][-1]["content"]))


def phrase(draw: random.Random) -> str:
    return " ".join(draw.sample(WORDS, draw.randint(3, 7)))


def instance(schema: dict[str, Any], draw: random.Random, root: dict[str, Any] | None = None) -> Any:
    """A value that the JSON schema accepts: arrays of at most two items where allowed, words for strings."""
    root = schema if root is None else root
    if "$ref" in schema:
        target: Any = root
        for part in schema["$ref"].removeprefix("#/").split("/"):
            target = target[part]
        return instance(target, draw, root)
    if "const" in schema:
        return schema["const"]
    if "enum" in schema:
        return draw.choice(schema["enum"])
    for several in ("anyOf", "oneOf"):
        if several in schema:
            return instance(draw.choice(schema[several]), draw, root)
    kind = schema.get("type", "object" if "properties" in schema else "string")
    if isinstance(kind, list):
        kind = draw.choice(kind)
    match kind:
        case "object":
            return {name: instance(part, draw, root) for name, part in schema.get("properties", {}).items()}
        case "array":
            low = schema.get("minItems", 0)
            high = min(schema.get("maxItems", low + 2), max(low, 2))
            return [instance(schema.get("items", {}), draw, root) for _ in range(draw.randint(low, high))]
        case "integer":
            low = _edge(schema, "minimum", "exclusiveMinimum", 1, 0)
            high = _edge(schema, "maximum", "exclusiveMaximum", -1, low + 9)
            return draw.randint(math.ceil(low), math.floor(high))
        case "number":
            low = _edge(schema, "minimum", "exclusiveMinimum", 0.01, 0.0)
            return round(draw.uniform(low, _edge(schema, "maximum", "exclusiveMaximum", -0.01, low + 1.0)), 2)
        case "boolean":
            return draw.random() < 0.5
        case "null":
            return None
        case "string":
            text = phrase(draw).ljust(schema.get("minLength", 0), ".")
            return text[: schema.get("maxLength", len(text))]
    raise ValueError(f"no instance known for JSON schema type {kind!r}: {schema}")


def _edge(schema: dict[str, Any], closed: str, opened: str, step: float, default_value: float) -> float:
    if closed in schema:
        return schema[closed]  # type: ignore[no-any-return]
    return schema[opened] + step if opened in schema else default_value


def request_digest(body: dict[str, Any]) -> str:
    """SHA-256 of the body with sorted keys: equal requests, equal digests, whatever the fields' order."""
    text = json.dumps(body, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
