"""A team whose every reply holds one word of its own, so that a prompt tells which earlier replies it shows, in order."""

import hashlib
import json
import re
from collections.abc import Callable, Mapping

from tests.strategies.team import LocalTeam
from tmas_assets.records import ChatRequest

SCORES = (1, 0.5, 0, 0.5, 1, 0.5, 0.5, 0.5)
"""Of the checks of a solution, by number."""
_WORD = re.compile(r"q[a-p]{15}q[a-z]*")
_CHECK = re.compile(r"v(\d+)$")


def place(request: ChatRequest) -> str:
    """`t01c3v0/verification`: iteration, place and role, without the repeat."""
    return request.sample.removeprefix("r0")


def word(of: str) -> str:
    """The word of a reply: letters alone, so that no two are alike."""
    digits = hashlib.sha256(of.encode()).hexdigest()[:15]
    return "q" + "".join("abcdefghijklmnop"[int(digit, 16)] for digit in digits) + "q"


def body(request: ChatRequest) -> dict[str, object] | str:
    """What the role says, with its word wherever a later prompt may show it. Nobody is ever content."""
    said, role = word(place(request)), request.role
    number = _CHECK.search(place(request).split("/")[0])
    if place(request).endswith("/plan/ceo"):
        return {"reason": "so", "claims": [{"text": said, "experts": []}]}
    if "/decision" in place(request):
        return {"reason": said, "decision": "need_data"}
    if role in ("expert", "red_team"):
        return {"reason": said, "verdict": "oppose" if role == "red_team" else "support", "score": 5, "confidence": 0.5, "claims": ["c1"]}
    return {
        "solution": said if "only the next step" in request.messages[-1].content else f"{said} \\boxed{{7}}",
        "verification": {"critique": said, "score": SCORES[int(number[1])] if number else 0.5, "report": said, "verdict": "incorrect"},
        "meta_verification": {"critique": said, "score": 1},
        "feedback": {"report": said, "verdict": "wrong"},
        "summary": said,
        "experience": {"conclusions": [f"{said}pos"], "pitfalls": [f"{said}neg"], "refuted": []},
        "guideline": {"strategies": [said], "refuted": []},
        "distillation": {"propositions": [f"{said}pos"], "pitfalls": [f"{said}neg"]},
        "proposal": {"steps": [f"{said}a", f"{said}b"]},
        "value": {"report": said, "verdict": "likely"},
        "vote": {"reason": said, "verdict": 1},
        "ceo": {"reason": "so", "action": "continue", "experts": 3, "direction": f"{said}dir", "gap": f"{said}gap", "max_tokens": 2048},
        "recruiter": {"experts": [f"{said}{letter}" for letter in "xyz"]},
        "critic": {"report": said, "verdict": "disagree"},
        "executor": "```python\nassert True\n```",
        "evaluator": {"advice": f"{said}adv", "experts": f"{said}exp", "verdict": "reject"},
    }[role]


def saying(**instead: Callable[[ChatRequest], Mapping[str, object]]) -> LocalTeam:
    """`instead`: by role, fields of its reply that are others."""

    async def answer(request: ChatRequest) -> str:
        found = body(request)
        if request.role in instead and isinstance(found, dict):
            found = {**found, **instead[request.role](request)}
        return found if isinstance(found, str) else json.dumps(found)

    return LocalTeam(answer)


def shown(request: ChatRequest) -> list[str]:
    """Words of earlier replies in a prompt, each once, in order."""
    text = "\n".join(message.content for message in request.messages)
    return list(dict.fromkeys(_WORD.findall(text)))
