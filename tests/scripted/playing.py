r"""What each role says, in the form that its prompt asks for: labelled lines, a verdict, JSON by schema or in words.

Checkers are mostly honest: they compare the answer in the box with the true one. A role is told by its task, the last part of the
prompt. Leaves out how often a problem is solved.
"""

import json
import random
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from tests.scripted import phrases
from tests.scripted.replies import instance
from tests.scripted.solving import Posed, Strength, boxed, solutions_in

HONEST = 0.9
"""How often a checker says what is true of the answer."""
FOOLED = 0.8
"""How often a checker takes the tempting answer of a problem that has one for the right one."""
HALF = 0.1
"""How often a verifier gives half a score."""
STRIKES = 0.15
"""How often a bank agent strikes out a line of the bank."""
_OFF = 0.2
"""How often a reviewer finds a question harder or easier by one."""
_TELLING = {
    "physics": ("joule", "newton", "volt", "watt", "metres per second", "pendulum"),
    "chemistry": ("mole", "gram", "solution of", "acid", "reagent"),
    "biology": ("cell", "seed", "bacteria", "heart", "dose"),
    "astronomy": ("orbit", "telescope", "comet", "light"),
    "geography": ("map", "river", "harbour", "summit", "altitude"),
    "computer science": ("byte", "packet", "server", "pixel", "cipher"),
    "mathematics": ("remainder", "divisor", "committee", "probability", "triangle", "average", "percent"),
}
"""Words of a statement that tell a discipline."""
_LINE_IN_BANK = re.compile(r"^([eg]\d{3,}) \(\w+\) ", re.MULTILINE)
_COUNT = re.compile(r"\bName (\d+) experts")
_OFFER = re.compile(r"experts[^(]*\(1 to (\d+)\)[^(]*\(([\d, ]+)\)")
_LISTED = re.compile(r"out of this list: ([^.]+)\.")
_JUDGED = re.compile(r"Reference answer: (.*?)\n\nCandidate's final answer:\n(~~~+)\n(.*?)\n\2", re.DOTALL)


@dataclass(frozen=True)
class Said:
    text: str
    free: bool = False
    """Whether any words would do."""


@dataclass(frozen=True)
class Scene:
    """A request, as a role sees it."""

    message: str
    task: str
    posed: Posed
    strength: Strength
    draw: random.Random
    schema: dict[str, Any] | None

    def checked(self) -> tuple[str | None, bool]:
        """The boxed answer of the last solution in the prompt, and whether this checker finds it right: it guesses where nobody
        can tell, and mostly falls for the tempting answer."""
        found = solutions_in(self.message)
        box, truth = boxed(found[-1]) if found else None, self.posed.truth
        if truth is None:
            chance = 0.5
        elif box == truth:
            chance = HONEST
        else:
            chance = FOOLED if box is not None and box == self.posed.tempting else 1 - HONEST
        return box, self.draw.random() < chance

    def formed(self, fields: dict[str, Any], free: str) -> Said:
        """The fields as the schema asks for them, or the free form."""
        if self.schema is None:
            return Said(free)
        wanted = self.schema.get("properties", {})
        return Said(json.dumps({
            name: fields[name] if name in fields else instance(part, self.draw, self.schema) for name, part in wanted.items()
        }))  # fmt: skip


def said(
    message: str, posed: Posed, strength: Strength, draw: random.Random, schema: dict[str, Any] | None
) -> Said | None:
    """None for a role that is not known here."""
    task = message.rpartition("Task: ")[2]
    for begins, role in _ROLES:
        if task.startswith(begins):
            return role(Scene(message, task, posed, strength, draw, schema))
    return None


def _solution(scene: Scene) -> Said:
    answer = scene.posed.answer(scene.strength, scene.draw)
    return Said(phrases.solution(scene.posed, scene.draw, answer))


def _verification(scene: Scene) -> Said:
    box, fine = scene.checked()
    score: float = 0.5 if scene.draw.random() < HALF else int(fine)
    critique = phrases.judgement(score, scene.posed, scene.draw, box)
    return scene.formed({"critique": critique, "score": score}, f"{critique}\nScore: \\boxed{{{score:g}}}")


def _summary(scene: Scene) -> Said:
    box, fine = scene.checked()
    opening = "The solution is right" if fine else "The solution is wrong and has to be changed"
    return Said(f"{opening}: {phrases.judgement(float(fine), scene.posed, scene.draw, box)}", free=True)


def _bank(scene: Scene, *kinds: str) -> Said:
    fields: dict[str, Any] = {kind: phrases.several(kind, scene.draw.randrange(1, 3), scene.posed, scene.draw) for kind in kinds}
    known = _LINE_IN_BANK.findall(scene.message)
    strikes = bool(known) and scene.draw.random() < STRIKES
    reason = "A check has shown the opposite."
    fields["refuted"] = [{"id": scene.draw.choice(known), "reason": reason}] if strikes else []
    return scene.formed(fields, json.dumps(fields if known else {kind: fields[kind] for kind in kinds}))


def _experience(scene: Scene) -> Said:
    return _bank(scene, "conclusions", "pitfalls")


def _guideline(scene: Scene) -> Said:
    return _bank(scene, "strategies")


def _order(scene: Scene) -> Said:
    """The lead: more experts and tokens for hard problems, an end where the team agrees and the evaluator accepts."""
    offer = _OFFER.search(scene.task)
    if offer is None:
        raise ValueError(f"nothing offered to the lead in {scene.task[:300]!r}")
    most, choices = int(offer[1]), [int(choice) for choice in offer[2].split(",")]
    hard = 1 - scene.posed.ease
    settled = "The evaluator accepts the solution." in scene.message
    fields = {
        "reason": phrases.advice(scene.posed, scene.draw),
        "action": "stop" if settled else "continue",
        "experts": min(most, 2 + int(hard * max(0, most - 1))),
        "direction": phrases.advice(scene.posed, scene.draw),
        "max_tokens": choices[min(len(choices) - 1, int(hard * len(choices)))],
    }
    labels = {"max_tokens": "Tokens"}
    return scene.formed(fields, "\n".join(f"{labels.get(name, name.capitalize())}: {value}" for name, value in fields.items()))


def _recruits(scene: Scene) -> Said:
    count = _COUNT.search(scene.task)
    named = phrases.several("experts", int(count[1]) if count else 1, scene.posed, scene.draw)
    return scene.formed({"experts": named}, "\n".join(f"{number}. {part}" for number, part in enumerate(named, 1)))


def _vote(scene: Scene) -> Said:
    box, fine = scene.checked()
    report, verdict = phrases.judgement(float(fine), scene.posed, scene.draw, box), "agree" if fine else "disagree"
    return scene.formed({"report": report, "verdict": verdict}, f"{report}\nVerdict: {verdict}")


def _speech(scene: Scene) -> Said:
    return Said(f"{phrases.advice(scene.posed, scene.draw)} {phrases.advice(scene.posed, scene.draw)}", free=True)


def _evaluation(scene: Scene) -> Said:
    box, fine = scene.checked()
    fields = {
        "advice": phrases.judgement(float(fine), scene.posed, scene.draw, box),
        "experts": phrases.several("experts", 1, scene.posed, scene.draw)[0],
        "verdict": "accept" if fine else "reject",
    }
    return scene.formed(fields, "\n".join(f"{name.capitalize()}: {value}" for name, value in fields.items()))


def _judgement(scene: Scene) -> Said:
    """The judge of answers compares texts."""
    found = _JUDGED.search(scene.message)
    same = found is not None and "".join(found[1].split()) == "".join(found[3].split())
    reason, verdict = phrases.advice(scene.posed, scene.draw), "correct" if same else "incorrect"
    return scene.formed({"reason": reason, "verdict": verdict}, f"{reason}\nVerdict: \\boxed{{{verdict}}}")


def _review(scene: Scene) -> Said:
    """How hard the question is (by its ease, now and then one off) and what it needs (by its words), mostly the same each time."""
    listed = _LISTED.search(scene.task)
    if listed is None:
        raise ValueError(f"no list of disciplines in {scene.task[:300]!r}")
    choices, text, key = [one.strip() for one in listed[1].split(",")], scene.posed.statement.lower(), scene.posed.key
    telling = [one for one, words in _TELLING.items() if one in choices and any(word in text for word in words)]
    others = [one for one in choices if one not in telling]
    spare = others[key % len(others) :] + others[: key % len(others)] if others else []
    needed = (telling + spare)[: 1 + (key >> 8) % 3]
    off = scene.draw.choice((-1, 1)) if scene.draw.random() < _OFF else 0
    difficulty = min(5, max(1, 1 + int(5 * (1 - scene.posed.ease)) + off))
    return scene.formed(
        {"disciplines": needed, "difficulty": difficulty}, f"Disciplines: {', '.join(needed)}\nDifficulty: {difficulty}"
    )


Role = Callable[[Scene], Said]
_ROLES: tuple[tuple[str, Role], ...] = (
    ("Solve the problem. Put the final answer in \\boxed", _solution),
    ("Act your part. Solve the problem. Put the final answer in \\boxed", _solution),
    ("Act your part. Write the whole solution anew. Solve the problem. Put the final answer in \\boxed", _solution),
    ("Check the solution above", _verification),
    ("Say in one sentence whether the solution above is right", _summary),
    ("Write notes that help with the next attempt", _experience),
    ("Name the strategies that the solutions above tried", _guideline),
    ("You lead", _order),
    ("Name ", _recruits),
    ("Act your part and check the solution", _vote),
    ("Act your part. Say in a few sentences", _speech),
    ("Judge the solution above", _evaluation),
    ("Do not solve the problem. Say which disciplines", _review),
    ("Decide whether the candidate's final answer", _judgement),
)
