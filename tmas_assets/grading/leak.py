r"""Whether a statement hands out its own gold: in a box, announced as the answer, or as the value it ends with.

Small numbers stand in many statements without being the answer, so a gold that merely occurs is no leak. Leaves out
concepts, whose statement lists the words on purpose.
"""

import re

from tmas_assets.grading.boxes import complete_boxes
from tmas_assets.records import Problem

_DRESS = re.compile(r"\\(?:left|right|displaystyle|[,;!: ])|\\text\{\s*\}|[\s$]|\.$")
_ANNOUNCED = re.compile(
    r"(?:\b(?:the|its|final|correct|right)\s+(?:answer|option|choice|result)\s*(?:is|are|:|=)|\banswer\s*:|####)\s*"
    r"(?P<value>[^\n]{1,200})",
    re.IGNORECASE,
)
_SENTENCE_END = re.compile(r"[.!?](?:\s|$)")
_LONGEST_TAIL = 80
"""Characters that may follow the last value of a statement: a short question, not a new condition."""
_SHORTEST_PROGRAM = 30
"""A reference of one short line may well stand in its own tests."""


def leak(problem: Problem) -> str | None:
    """How the statement gives its gold away, None where it does not."""
    gold = plain(problem.answer or "")
    if not gold or problem.grader == "concepts":
        return None
    if problem.grader == "code":
        body = (problem.answer or "").removeprefix(problem.statement).strip()
        return "holds its reference program" if len(body) >= _SHORTEST_PROGRAM and body in problem.statement else None
    boxes, _ = complete_boxes(problem.statement)
    if any(plain(box.content) == gold for box in boxes):
        return f"has its gold {gold[:60]!r} in a box"
    for announced in _ANNOUNCED.finditer(problem.statement):
        if _begins_with(announced["value"], gold):
            return f"announces its gold {gold[:60]!r} as the answer"
    if problem.grader != "choice":
        for equals in re.finditer("=", problem.statement):
            value, tail = _split(problem.statement[equals.end() :])
            if plain(value) == gold and len(tail) <= _LONGEST_TAIL and not re.search(r"[\d\\=]", tail):
                return f"ends with its gold, = {gold[:60]}"
    return None


def plain(text: str) -> str:
    """The text without spaces, dollar signs and the like, for comparison as it is written."""
    return _DRESS.sub("", text.strip())


def _begins_with(text: str, gold: str) -> bool:
    sentence = plain(_SENTENCE_END.split(text, maxsplit=1)[0])
    return gold in (sentence, sentence.strip("()*:"))


def _split(text: str) -> tuple[str, str]:
    """The value after an equals sign, and what follows it."""
    parts = _SENTENCE_END.split(text, maxsplit=1)
    return (parts[0], parts[1].strip()) if len(parts) == 2 else (text, "")
