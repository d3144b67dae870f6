"""What one problem came to in one iteration: right answers, calls, tokens. All that comparing experiments needs to know.

A row a cell, so that experiments of any size are compared without reading their cells again. Leaves out what is
made of the rows: `comparison.py` pairs them.
"""

from collections.abc import Iterable, Mapping
from typing import ClassVar

from tmas_assets.records import Record


class ProblemTally(Record):
    """Answers that count are the same number of each problem, as in the score of the iteration."""

    SCHEMA_VERSION: ClassVar[int] = 1
    problem: str
    problem_digest: str
    source: str
    """Equal for problems that share a source: they are one observation."""
    iteration: int
    answers: int
    """Graded answers that count; 0 where none is graded."""
    right: int
    truncated: int
    failed: int
    undecided: int
    unsandboxed: int
    calls: int
    """Of this iteration and all repeats, from scratch: every call that a record was made of."""
    tokens: int
    """Prompt and completion of the calls whose usage is known."""
    usage_unknown: int
    """Calls in no sum of tokens."""


class Spent(Record):
    """Mean over problems and repeats of what one run of the strategy takes, up to and with an iteration."""

    iteration: int
    calls: float
    tokens: float
    usage_unknown: int
    """Calls in no sum of tokens, over all problems and repeats: with any, `tokens` is a lower bound."""


def spent_by_iteration(tallies: Iterable[ProblemTally], repeats: int) -> tuple[Spent, ...]:
    """In order of iteration, over the problems that have a cell there; their earlier iterations count in."""
    by_iteration: dict[int, dict[str, ProblemTally]] = {}
    for one in tallies:
        by_iteration.setdefault(one.iteration, {})[one.problem_digest] = one
    made = []
    for t, own in sorted(by_iteration.items()):
        rows = [by_iteration[i][digest] for i in by_iteration if i <= t for digest in own if digest in by_iteration[i]]
        share = len(own) * repeats
        made.append(
            Spent(
                iteration=t,
                calls=sum(row.calls for row in rows) / share,
                tokens=sum(row.tokens for row in rows) / share,
                usage_unknown=sum(row.usage_unknown for row in rows),
            )
        )
    return tuple(made)


def right_rates(tallies: Mapping[str, ProblemTally]) -> dict[str, float]:
    """By problem digest, the share of its answers that are right; without the problems that have none."""
    return {digest: one.right / one.answers for digest, one in tallies.items() if one.answers}
