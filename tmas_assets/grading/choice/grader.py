r"""Grades an answer to a multiple-choice question: the letter the reply states against the gold's.

Decides at once, for any text. The last explicit statement of the reply counts; two letters are no answer; where the
options are known, the text of exactly one of them stands for its letter. Nothing inside the thinking counts.
"""

import json
import re

from tmas_assets.grading.choice.options import ALPHABET, option_of
from tmas_assets.grading.choice.statements import stated
from tmas_assets.grading.choice.text import plain
from tmas_assets.grading.thinking import split_thinking
from tmas_assets.records import Failure, Verdict

UNNAMED_OPTIONS = 10
"""Letters A to J where a problem does not list its options."""
_GOLD = re.compile(r"[\s(\[{\"'$]*([A-Za-z])[\s)\]}\"'$.:]*")


def grade_at_once(*, gold: str, text: str, grading_data: str = "") -> Verdict:
    r"""Right where the reply's letter is the gold's, else wrong; `extracted` is the letter, `A, C` where it names two.

    `grading_data`: empty, or JSON `{"options": ["first", "second", ...]}` in the order of their letters. Failed where
    the gold is neither one of the letters nor the text of exactly one option, or the options cannot be read.

    >>> grade_at_once(gold="C", text="So it is \\boxed{C}.").outcome
    'right'
    """
    try:
        options = options_of(grading_data)
    except ValueError as error:
        return _failed("bad_options", str(error))
    wanted = letter_of(gold, options)
    if wanted is None:
        return _failed("unparseable_gold", f"gold {gold[:200]!r} is neither a letter of {_range(options)} nor one option's text")
    letters = ALPHABET[: len(options) or max(UNNAMED_OPTIONS, ALPHABET.index(wanted) + 1)]
    answer = split_thinking(text)[1] or ""
    named = stated(plain(answer), letters, lambda part, whole: option_of(part, options, whole))
    return Verdict(outcome="right" if named == (wanted,) else "wrong", extracted=", ".join(named) or None)


def options_of(grading_data: str) -> tuple[str, ...]:
    """Texts of the options, in the order of their letters; none where the problem lists none. Raises ValueError."""
    if not grading_data:
        return ()
    data = json.loads(grading_data)
    options = data.get("options", []) if isinstance(data, dict) else None
    if not isinstance(options, list) or not all(isinstance(option, str) for option in options):
        raise ValueError(f"options are {str(options)[:100]}, expected a list of texts")
    if len(options) == 1 or len(options) > len(ALPHABET):
        raise ValueError(f"{len(options)} options, expected 2 to {len(ALPHABET)}")
    return tuple(options)


def letter_of(gold: str, options: tuple[str, ...] = ()) -> str | None:
    """The gold's letter: `B`, `b`, `(B)`, `B.`, or the very text of one option. None for anything else."""
    found = _GOLD.fullmatch(gold)
    letter = found[1].upper() if found else None
    if letter is None or (options and letter not in ALPHABET[: len(options)]):
        return option_of(gold, options, True)
    return letter


def _range(options: tuple[str, ...]) -> str:
    return f"A to {ALPHABET[(len(options) or len(ALPHABET)) - 1]}"


def _failed(kind: str, detail: str) -> Verdict:
    return Verdict(outcome="failed", failure=Failure(boundary="grader", kind=kind, detail=detail))
