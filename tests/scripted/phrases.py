"""What the scripted solver says: sentences of varying words about the quantities of a problem.

Every sentence begins with a capital word and a small one and keeps to letters, digits and plain signs, so that it fits the
bounded texts of structured replies too. Leaves out who says it.
"""

import random

from tests.scripted.solving import Posed

_OPENINGS = (
    "First the statement is put into symbols, so that nothing of it gets lost",
    "We collect what is given and name what is wanted",
    "The question asks for one number, and every quantity it needs is stated",
    "Reading the text twice shows which numbers belong together",
    "Let us write the situation as one expression before any number is worked out",
    "It helps to separate what is known about the {word} from what is asked",
    "We begin at the end and ask what the final quantity consists of",
    "The part about the {word} comes first, since the rest depends on it",
    "A rough estimate comes first, to have something to compare with",
    "There are several ways to do this, and the direct one is short",
)
_MIDDLES = (
    "Here {fact}, which is the quantity that the {word} stands for",
    "From this {fact} follows at once",
    "Working from the inside out we get {fact}",
    "The next step gives {fact}",
    "With these values {fact}, and nothing is rounded",
    "The units agree, so {fact} can be used as it stands",
    "Since the order of the operations matters, {fact} comes before the rest",
    "Putting the numbers in, {fact}",
)
_CHECKS = (
    "The estimate from the beginning is of the same size",
    "A check with the inverse operation confirms the last step",
    "The parity of the result is as it should be",
    "Going through the {word} once more changes nothing",
    "The last digit agrees with that of the parts",
    "Both ways of grouping lead to the same number",
)
_ENDINGS = ("So the answer is", "This gives", "Hence the value asked for is", "Therefore we hand in", "The result is")
_CONCLUSIONS = (
    "The step {fact} holds by direct computation and can be used again",
    "It is safe to start from {fact} and to keep the {word} exact",
    "Every solution that agrees with the checks contains {fact}",
    "The part about the {word} reduces to {fact} without rounding",
    "Two independent attempts found {fact} and no check objected",
    "Nothing but {fact} is needed once the {word} is separated from the {other}",
)
_PITFALLS = (
    "Do not mix up the {word} with the {other} before {fact} is settled",
    "A slip by {slip} in the final step is easy to make after {fact}",
    "The answer {wrong} comes from counting the {word} twice",
    "Leaving out the {other} leads to {wrong} and passes a rough estimate",
    "Whoever rounds before {fact} ends near {wrong} and never notices",
    "Reading the {word} as part of the {other} spoils every later step",
)
_STRATEGIES = (
    "Direct evaluation of the whole expression from the left, with the {word} as the unit",
    "Splitting the total into a part for the {word} and one for the {other}",
    "Working backwards from the {word} and undoing each operation in turn",
    "Estimating the size of the {other} first and correcting it by exact remainders",
    "Naming an unknown for the {word} and solving the equation that the {other} gives",
    "Tabulating a few small cases of the {word} and reading off the pattern",
    "Regrouping the factors around {fact} so that the products stay small",
    "Computing modulo small numbers to pin down the last digits of the {word}",
    "Comparing the {word} with the {other} by ratios instead of differences",
    "Drawing the {word} on a line and adding up the lengths of the {other}",
    "Bounding the result on both sides of {fact} until one value is left",
    "Treating the {other} as an average and multiplying by how often the {word} occurs",
)
_EXPERTS = (
    "An expert in setting up equations about the {word}",
    "A careful checker of arithmetic such as {fact}",
    "A sceptic who looks for misread conditions on the {other}",
    "A practitioner who knows how the {word} and the {other} hang together",
    "A teacher who compares every result about the {word} with an estimate",
    "An analyst of units and orders of magnitude of the {other}",
    "A number theorist who tests the {word} modulo small numbers",
    "A writer who states each step about the {word} in full",
)
_FAULTS = (
    "The final answer {box} does not follow from {fact}",
    "The step about the {word} is wrong, which spoils {box} at the end",
    "Redoing the last operation does not give {box}, the {other} was misread",
    "One of the quantities is used twice, hence {box} is off",
)
_MERITS = (
    "The steps follow from the statement, {fact} holds, and {box} is what they give",
    "Each operation was redone and the final answer {box} stands",
    "The treatment of the {word} is complete and {box} agrees with an independent computation",
    "Nothing is missing about the {other}, and {box} is confirmed",
)
_DOUBTS = (
    "The answer {box} may be right, but the step about the {word} is only asserted",
    "It is not said why {fact} is allowed before {box} is read off",
)
_GENERAL = (
    "Settle the {word} first and use {fact} before turning to the {other}",
    "Keep the numbers exact and compare the {word} with an estimate",
    "Mind the {other}, and write {fact} out in full",
    "Divide the work so that the {word} and the {other} are computed apart",
)


def _filled(form: str, posed: Posed, draw: random.Random, box: str = "") -> str:
    """The form with its marks replaced by quantities of the problem."""
    words, facts = posed.words, posed.facts
    at = draw.randrange(len(words))
    return form.format_map({
        "word": words[at],
        "other": words[at - 1 - draw.randrange(3)] if len(words) > 3 else "rest",
        "fact": facts[draw.randrange(len(facts))] if facts else f"the relation of {words[at]} and {words[0]}",
        "wrong": posed.slips[draw.randrange(len(posed.slips))],
        "slip": draw.randrange(1, 11),
        "box": box,
    })  # fmt: skip


def _one(forms: tuple[str, ...], posed: Posed, draw: random.Random, box: str = "") -> str:
    return _filled(forms[draw.randrange(len(forms))], posed, draw, box) + "."


def solution(posed: Posed, draw: random.Random, answer: str) -> str:
    """Some sentences, and the answer in a box."""
    said = [_one(_OPENINGS, posed, draw)]
    for form in draw.sample(_MIDDLES, draw.randrange(1, 4)):
        said.append(_filled(form, posed, draw) + ".")
    if draw.random() < 0.6:
        said.append(_one(_CHECKS, posed, draw))
    return f"{' '.join(said)}\n\n{draw.choice(_ENDINGS)} \\boxed{{{answer}}}."


def thoughts(posed: Posed, draw: random.Random) -> str:
    """What goes on before a reply."""
    forms = (*draw.sample(_OPENINGS, 2), *draw.sample(_MIDDLES, 3), draw.choice(_CHECKS))
    return ". ".join(_filled(form, posed, draw) for form in forms) + "."


def judgement(score: float, posed: Posed, draw: random.Random, box: str | None) -> str:
    """Why a solution gets this score: 0, 0.5 or 1."""
    forms = _MERITS if score == 1 else _FAULTS if score == 0 else _DOUBTS
    return _one(forms, posed, draw, box or "without a box")


def several(kind: str, count: int, posed: Posed, draw: random.Random) -> list[str]:
    """`count` different sentences of a kind: conclusions, pitfalls, strategies, experts."""
    forms = {"conclusions": _CONCLUSIONS, "pitfalls": _PITFALLS, "strategies": _STRATEGIES, "experts": _EXPERTS}[kind]
    chosen = draw.sample(forms, min(count, len(forms)))
    return [_filled(form, posed, draw) + "." for form in chosen]


def advice(posed: Posed, draw: random.Random) -> str:
    return _one(_GENERAL, posed, draw)
