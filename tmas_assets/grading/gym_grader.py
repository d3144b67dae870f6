"""Grades a reply to a reasoning-gym problem with the package's own scorer: full score is right, anything less wrong.

Finds the answer in the reply; a reply that is the gold itself needs no scorer, since loading the benchmark has
checked that the gold scores 1.0. Leaves out making problems (`benchmarks/reasoning_gym.py`).
"""

import json
from dataclasses import dataclass

from tmas_assets.grading.math.find_answer import Asked, find_answer
from tmas_assets.grading.math.grader import asked_for
from tmas_assets.grading.math.latex import one_spelling
from tmas_assets.grading.math.shape import read
from tmas_assets.grading.thinking import split_thinking
from tmas_assets.records import Failure, Verdict

_SHOWN = 500


@dataclass(frozen=True)
class Question:
    """One answer in the spellings worth scoring, most literal first."""

    answers: tuple[str, ...]
    grading_data: str


def grade_at_once(*, gold: str, text: str, grading_data: str) -> Verdict | Question:
    reply = split_thinking(text)[1] or ""
    wanted = read(gold)
    # A letter or a name is read as a symbol; what is asked for then is words.
    asked: Asked = "number" if asked_for(wanted) == "number" else "words"
    found = find_answer(reply, asked=asked)
    stated = found.text if found is not None else ""
    if not stated:
        return Verdict(outcome="wrong")
    # Grids and sentences come as the whole reply.
    whole = [reply] if asked == "words" and found is not None and found.how == "last" else []
    spellings = tuple(dict.fromkeys([*_spellings(stated), *whole]))
    if gold in spellings:
        return Verdict(outcome="right", extracted=stated[:_SHOWN])
    return Question(spellings, grading_data)


def score(question: Question) -> Verdict:
    """For a worker: imports the package. Raises what its scorer raises; broken grading data gives a failed verdict."""
    from tmas_assets.grading.gym_package import reasoning_gym

    shown = question.answers[0][:_SHOWN]
    try:
        data = json.loads(question.grading_data)
        dataset = reasoning_gym.create_dataset(data["task"], **{**data["config"], "seed": 0, "size": 1})
        entry = data["entry"]
    except (ValueError, TypeError, KeyError, AssertionError) as error:
        return Verdict(outcome="failed", extracted=shown, failure=Failure(
            boundary="grader", kind="bad_grading_data", detail=f"{type(error).__name__}: {error}"))
    best = max(float(dataset.score_answer(answer, entry)) for answer in question.answers)
    return Verdict(outcome="right" if best >= 1.0 else "wrong", extracted=shown)


def _spellings(stated: str) -> list[str]:
    """As printed, in one spelling, and the value of `x = 5` alone."""
    plain = one_spelling(stated)
    spellings = [stated.strip(), plain, plain.replace(",", "")]
    shape = read(stated)
    if shape.kind == "relation" and set(shape.operators) == {"="}:
        spellings.append(shape.items[-1].text)
    return [spelling for spelling in spellings if spelling]
