"""Key letters of multiple-choice problems are near uniform, so that a constant letter scores no better than chance.

Public harnesses were found with every key at D, or every key at B. Leaves out the order of the options itself.
"""

import json
from collections import Counter, defaultdict
from collections.abc import Sequence

from tmas_assets.records import Problem
from tmas_assets.records.finding import Finding, Offence

PROMISE = "key_letters_uniform"
_LEAST = 5
"""Problems per option below which the test says nothing (the usual rule for chi-square)."""
_LEVEL = 0.001
"""A uniform key is called skewed once in a thousand releases."""


def check_key_letters(problems: Sequence[Problem]) -> Finding:
    """Problems are tested apart by how many options they have."""
    groups: dict[int, Counter[str]] = defaultdict(Counter)
    for problem in problems:
        if problem.grader == "choice" and problem.grading_data:
            groups[len(json.loads(problem.grading_data)["options"])][problem.answer or ""] += 1
    offences, said = [], []
    for options, letters in sorted(groups.items()):
        spread = ", ".join(f"{letter} {count}" for letter, count in sorted(letters.items()))
        if letters.total() < _LEAST * options:
            said.append(f"{options} options: {spread} (too few to test)")
            continue
        p = _p_of_uniform([letters[chr(ord("A") + at)] for at in range(options)])
        said.append(f"{options} options: {spread} (p of uniform keys {p:.3g})")
        if p < _LEVEL:
            letter, most = letters.most_common(1)[0]
            what = f"a constant {letter} scores {most / letters.total():.0%} of {letters.total()} problems"
            offences.append(Offence(id=f"{options} options", what=what))
    return Finding(
        promise=PROMISE,
        passed=not offences,
        said="; ".join(said) or "no problems with lettered options",
        looked_at=sum(letters.total() for letters in groups.values()),
        offences=tuple(offences),
    )


def _p_of_uniform(counts: Sequence[int]) -> float:
    from scipy.stats import chisquare

    return float(chisquare(list(counts)).pvalue)
