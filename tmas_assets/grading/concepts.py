"""Grades a text that has to use given concepts: which it uses, and whether it is a text at all.

A text that misses a concept is wrong. One that uses all is undecided: whether it makes sense is a judge's to say. A bare
list of the words uses none of them (a public grader gives it full marks, see the MAS-TTS repository). Leaves out the
judge.
"""

import re
from collections.abc import Sequence
from functools import lru_cache

from pydantic import Field, ValidationError

from tmas_assets.grading.boxes import last_box
from tmas_assets.grading.thinking import split_thinking
from tmas_assets.records import Failure, Record, Verdict

_SHOWN = 4_000
"""Characters of the text that a verdict keeps; a judge reads them."""
_READ = 40_000
"""Characters that are read; a text this long is no answer to a task of thirty words."""
_WORD = re.compile(r"[^\W\d_]+")
_JOINING = frozenset(["and", "or", "s"])
"""Words that do not end a list; s is what is left of 's."""
_LIST = 6
"""So many concept words in a row, with nothing but commas, `and` and `or` between them, are a list."""


class ConceptTask(Record):
    """The `grading_data` of such a problem."""

    concepts: tuple[str, ...] = Field(min_length=1)


def grade_at_once(*, text: str, grading_data: str) -> Verdict:
    try:
        task = ConceptTask.model_validate_json(grading_data)
    except ValidationError as error:
        return _failed(f"grading data {grading_data[:200]!r} names no concepts: {error.errors()[0]['msg']}")
    wanted = [_words(concept) for concept in dict.fromkeys(task.concepts)]
    if not all(wanted):
        return _failed(f"a concept of {list(task.concepts)!r:.200} has no letter in it")
    reply = _text(split_thinking(text)[1] or "")
    if not reply:
        return Verdict(outcome="wrong", credit=0.0)
    words = _words(reply[:_READ])
    listed = _listed(words, wanted)
    prose = [word if not inside else "" for word, inside in zip(words, listed, strict=True)]
    used = sum(_stands(concept, prose) for concept in wanted)
    outcome = "undecided" if used == len(wanted) else "wrong"
    return Verdict(outcome=outcome, extracted=reply[:_SHOWN], credit=used / len(wanted))


def _text(answer: str) -> str:
    """The answer, or what its last box holds where that is a text and not a word."""
    box = last_box(answer)
    return box if box is not None and len(_words(box)) >= len(_words(answer)) // 2 else answer


def _words(text: str) -> list[str]:
    return _WORD.findall(text.lower())


@lru_cache(maxsize=65_536)
def _forms(word: str) -> frozenset[str]:
    """The word and what it may be an inflection of: ran, runs and running of run; leaves of leaf and leave."""
    import simplemma

    # simplemma refuses what its normalisation leaves empty, which no word of these letters is
    forms = {word, simplemma.lemmatize(word, lang="en") if word and word.isascii() else word}
    for ending, instead in (("s", ""), ("es", ""), ("ies", "y"), ("ves", "f"), ("ves", "fe")):
        if word.endswith(ending) and len(word) > len(ending) + 1:
            forms.add(word.removesuffix(ending) + instead)
    return frozenset(forms)


def _is(word: str, concept: str) -> bool:
    return concept in _forms(word) or (concept.endswith("s") and concept.removesuffix("s") in _forms(word))


def _stands(concept: Sequence[str], words: Sequence[str]) -> bool:
    """Whether the words of `concept` stand in `words` in a row."""
    return any(
        all(_is(word, part) for word, part in zip(words[start:], concept, strict=False))
        for start in range(len(words) - len(concept) + 1)
    )


def _listed(words: Sequence[str], wanted: Sequence[Sequence[str]]) -> list[bool]:
    """For each word whether it is part of a list of concept words."""
    parts = {part for concept in wanted for part in concept}
    known = {word: any(_is(word, part) for part in parts) for word in set(words)}
    inside = [False] * len(words)
    run: list[int] = []
    counted = sum(word not in _JOINING for word in words)
    most = min(_LIST, len(parts)) if len(parts) > 2 else counted

    def end() -> None:
        if len(run) >= most or len(run) == counted:
            for at in run:
                inside[at] = True
        run.clear()

    for at, word in enumerate(words):
        if known[word]:
            run.append(at)
        elif word not in _JOINING:
            end()
    end()
    return inside


def _failed(detail: str) -> Verdict:
    return Verdict(outcome="failed", failure=Failure(boundary="grader", kind="bad_grading_data", detail=detail))
