"""Measures how far experts agree, what cannot both be right, and which way they lean. Pure.

Only verdicts that were given count. An expert without one is missing: it agrees with nobody. The red team, which says what it
was told to say, is in no figure.
"""

import re
from collections.abc import Mapping, Sequence
from itertools import combinations

from tmas_assets.records import STANCES, Consensus, Contradiction, Finding, Side

_TELLING = re.compile(r"[^\W\d_]{3}")
"""Three letters in a row: shorter names are those of formulas, where each calculation has its own `a` and `x1`."""
APART = 2
"""Steps from which on two verdicts on one claim are a contradiction."""


def step_of(finding: Finding) -> int:
    """Place of its verdict on the way from no to yes."""
    return STANCES.index(finding.verdict)


def consensus(experts: Sequence[str], findings: Mapping[str, Finding]) -> Consensus:
    """`findings` by expert name; those of others than `experts` are not looked at."""
    cast = [findings[name] for name in experts if name in findings]
    steps = [step_of(finding) for finding in cast]
    scores = [finding.score for finding in cast]
    within = max((sum(low <= step <= low + 1 for step in steps) for low in range(len(STANCES) - 1)), default=0)
    return Consensus(
        asked=len(experts),
        cast=len(cast),
        missing=tuple(name for name in experts if name not in findings),
        within_one_step=within,
        share=within / len(experts) if cast else None,
        spread=max(scores) - min(scores) if len(scores) > 1 else None,
    )


def contradictions(findings: Sequence[Finding]) -> tuple[Contradiction, ...]:
    """Verdicts far apart on the same claim, and one input of one source with different values, in order of `findings`.

    Who lacks evidence contradicts nobody. Inputs are the same by a name that says what they are (`price`, never `a` or `x1`) and
    by source; one who reckons with several values of an input, as scenarios do, contradicts nobody who has one of them.
    """
    found: list[Contradiction] = []
    for first, second in combinations([finding for finding in findings if finding.argues is None], 2):
        if "insufficient" not in (first.verdict, second.verdict) and abs(step_of(first) - step_of(second)) >= APART:
            found += [
                Contradiction(about=claim, first=first.expert, second=second.expert,
                              text=f"{claim}: {first.expert} says {first.verdict}, {second.expert} says {second.verdict}")
                for claim in first.claims if claim in second.claims
            ]  # fmt: skip
        theirs = _inputs(second)
        for (name, source), values in _inputs(first).items():
            others = theirs.get((name, source), ())
            if others and not set(values) & set(others):
                text = f"{name}: {first.expert} takes {_values(values)}, {second.expert} takes {_values(others)}"
                found.append(Contradiction(about=name, first=first.expert, second=second.expert, text=text))
    return tuple(found)


def _inputs(finding: Finding) -> Mapping[tuple[str, str], Sequence[float]]:
    """Values by name and source, each once, in the order given."""
    found: dict[tuple[str, str], list[float]] = {}
    for quantity in (quantity for one in finding.calculations for quantity in one.inputs):
        if _TELLING.search(quantity.name):
            values = found.setdefault((quantity.name.casefold(), quantity.source), [])
            values += [quantity.value] * (quantity.value not in values)
    return found


def _values(values: Sequence[float]) -> str:
    return " or ".join(f"{value:g}" for value in values)


def opposite(findings: Sequence[Finding]) -> Side:
    """The side against the one that the experts lean to; against the hypothesis where they lean nowhere."""
    steps = [step_of(finding) for finding in findings if finding.argues is None]
    lean = sum(steps) - len(steps) * (len(STANCES) - 1) / 2
    return "for" if lean < 0 else "against"
