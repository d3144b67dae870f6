"""A simulated solver for the scripted server: how often it is right depends on what its prompt shows.

Assumptions, all of them crude on purpose:

1. A problem says how it is: `(right P)` is solved with probability P and has one tempting wrong answer; `(traps D
   shared)` and `(traps D own)` have D traps, and a solution is right where it escapes all of them; `(easy)` has none.
2. A solver escapes a trap with probability 0.7, and with 0.97 where its prompt warns of that very trap.
3. A solver that sees one earlier solution mends it: where that one escaped it does so again with probability 0.97, where
   that one slipped it slips again, unless its prompt warns of the trap.
4. Every solution follows one of 1,000 approaches. It keeps the approach of the one solution that its prompt shows, and
   draws one otherwise. In a `shared` problem the traps are the same whatever the approach; in an `own` one each
   approach has traps of its own, so that a warning helps only who follows the same approach.
5. A wrong solution shows its slips. Whoever checks or distils it (verifier, critic, evaluator, distiller) finds each slip
   with probability 0.2 (in a team 0.6) and warns of it; who finds none passes the solution. Summaries and the agent of the experience
   bank pass on the warnings that they see and find none of their own.
6. A solver fills the room it is given: it writes half of the tokens that it may. With fewer than 2,000 to write in, it
   escapes the traps of a problem with half the probability. Everybody else writes 200.
7. The lead of a team knows easy from hard nine times in ten. It asks for one expert and the fewest tokens on what it
   takes for easy, for all experts and the most tokens on the rest, and stops once the evaluator accepts.

The role is told by the model name that the experiment's endpoints give each role.
"""

import json
import random
import re

from tests.scripted.replies import Asked, Reply, instance

ESCAPES, WARNED, KEEPS, FOUND, FOUND_IN_TEAM, KNOWS = 0.7, 0.97, 0.97, 0.2, 0.6, 0.9
FILLS, NEEDED, TOKENS_ELSE = 0.5, 2000, 200
APPROACHES = 1_000
_SUM = re.compile(r"What is (\d+) \+ \1\?")
_KIND = re.compile(r"\((?:right (?P<p>[\d.]+)|traps (?P<traps>\d+) (?P<whose>shared|own)|(?P<easy>easy))\)")
_SLIP = re.compile(r"slip ([a-z]+)")
_WARNING = re.compile(r"[Bb]eware ([a-z]+)")
_OFFER = re.compile(r"experts[^(]*\(1 to (?P<most>\d+)\)[^(]*\((?P<tokens>[\d, ]+)\)")
_APPROACH = re.compile(r"approach (\d+)")


def script(asked: Asked) -> Reply:
    role, draw = str(asked.body["model"]), asked.random()
    easy = "(easy)" in asked.prompt
    if role == "solution":
        may = int(asked.body["max_tokens"])
        return Reply(_solution(asked.prompt, draw, hurried=may < NEEDED), completion_tokens=int(FILLS * may))
    finds = None if role in ("summary", "experience") else FOUND_IN_TEAM if role in ("critic", "evaluator") else FOUND
    found = [f"Beware {trap}" for trap in _read(asked.prompt, draw, finds)]
    if role == "summary":
        return Reply(" and ".join(found) or "It is right.", completion_tokens=TOKENS_ELSE)
    said = instance(asked.body["response_format"]["json_schema"]["schema"], draw)
    for field, value in said.items():
        if field == "pitfalls":
            said[field] = [f"{note} at all times." for note in found]
        elif isinstance(value, list) and field != "experts":
            said[field] = []
    words = " and ".join(found) or "It is right."
    if role == "verification":
        said = {"critique": words, "score": 0 if found else 1}
    elif role == "critic":
        said = {"report": words, "verdict": "disagree" if found else "agree"}
    elif role == "evaluator":
        said |= {"advice": words, "verdict": "reject" if found else "accept"}
    elif role == "ceo":
        said = _order(asked.prompt, easy, draw)
    return Reply(json.dumps(said), completion_tokens=TOKENS_ELSE)


def _order(prompt: str, easy: bool, draw: random.Random) -> dict[str, object]:
    """What the lead decides, within what its prompt offers."""
    offer = _OFFER.search(prompt)
    if offer is None:
        raise ValueError(f"nothing offered to the lead in {prompt[-300:]!r}")
    tokens = [int(choice) for choice in re.findall(r"\d+", offer["tokens"])]
    few = easy if draw.random() < KNOWS else not easy
    settled = "evaluator accepts the solution" in prompt or "They agree on the solution" in prompt
    return {
        "reason": "As planned.", "action": "stop" if settled else "continue", "direction": "Solve it.",
        "experts": 1 if few else int(offer["most"]), "max_tokens": min(tokens) if few else max(tokens),
    }  # fmt: skip


def _read(prompt: str, draw: random.Random, finds: float | None) -> list[str]:
    """Traps that a reader of the prompt warns of: slips it finds; None finds nothing and passes on what others warn of."""
    if finds is None:
        return list(dict.fromkeys(_WARNING.findall(prompt)))
    return [trap for trap in dict.fromkeys(_SLIP.findall(prompt)) if draw.random() < finds]


def _solution(prompt: str, draw: random.Random, *, hurried: bool) -> str:
    number = int(_sum(prompt))
    kind = _KIND.search(prompt)
    if kind is None:
        raise ValueError(f"no kind of problem in {prompt[:200]!r}")
    if kind["p"]:
        return _answer(number, draw.random() < float(kind["p"]))
    shown = _APPROACH.findall(prompt)
    approach = shown[0] if len(shown) == 1 else str(draw.randrange(APPROACHES))
    warned, slipped = set(_WARNING.findall(prompt)), set(_SLIP.findall(prompt))
    slips = []
    for trap in range(int(kind["traps"] or 0)):
        name = _word(100 * (int(approach) if kind["whose"] == "own" else 0) + trap)
        before = {True: 0.0, False: KEEPS}[name in slipped] if len(shown) == 1 else ESCAPES
        escapes = (WARNED if name in warned else before) * (0.5 if hurried else 1.0)
        if draw.random() >= escapes:
            slips.append(name)
    said = "".join(f" It has slip {name}." for name in slips)
    return f"This follows approach {approach}.{said} {_answer(number, not slips)}"


def _word(number: int) -> str:
    """A word for a trap: in a word of its own no part is like another trap's."""
    letters = ""
    while number >= 0:
        letters, number = chr(97 + number % 26) + letters, number // 26 - 1
    return f"x{letters}"


def _sum(prompt: str) -> str:
    found = _SUM.search(prompt)
    if found is None:
        raise ValueError(f"no problem in {prompt[:200]!r}")
    return found[1]


def _answer(number: int, right: bool) -> str:
    return rf"So it is \boxed{{{2 * number + (not right)}}}"
