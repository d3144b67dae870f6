"""The scripted model's replies to the free forms of a team decision: each line that is asked for, with a value that fits."""

import random
import re
from collections.abc import Callable

_OURS = re.compile(r"Task: .*(?:You lead the(?:se)? experts|give your (?:own )?finding)", re.IGNORECASE)
_FORM = re.compile(r"^([A-Z][a-z]+): (.+)$", re.MULTILINE)


def decided(prompt: str, draw: random.Random, words: Callable[[random.Random], str]) -> str | None:
    """None for a prompt of any other kind. `words` draws a phrase."""
    form = prompt.rpartition("Reply with these lines")[2] if _OURS.search(prompt) else ""
    asked = [(label, hint) for label, hint in _FORM.findall(form) if label != "Recruit"]
    return "\n".join(f"{label}: {_value(label, hint, prompt, draw, words)}" for label, hint in asked) or None


def _value(label: str, hint: str, prompt: str, draw: random.Random, words: Callable[[random.Random], str]) -> str:
    match label:
        case "Verdict" | "Decision":
            return draw.choice(re.findall(r"\b(?!or\b)[a-z_]+", hint))
        case "Action":
            return draw.choice(["continue", "continue", "stop"])
        case "Score" | "Confidence":
            return str(draw.randrange(11) if label == "Score" else draw.randrange(11) / 10)
        case "Claims":
            return ", ".join(re.findall(r"^(c\d+): ", prompt, re.MULTILINE)[:1])
        case "Claim":
            return f"risk, market | {words(draw)}"
        case "Evidence":
            return f"assumption | {words(draw)}"
        case "Risk":
            return f"{draw.choice(['low', 'medium', 'high'])} | {draw.choice(['low', 'high'])} | {words(draw)}"
        case "Calculation":
            return f"{words(draw)} | a * b | a = {draw.randrange(9)} (assumption); b = 2 | {draw.randrange(9)}"
        case "Next":
            return f"{words(draw)} | {draw.randrange(9)},000 EUR"
        case "Tokens":
            return "128"
    return words(draw)
