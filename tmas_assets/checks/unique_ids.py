"""Ids name one problem each, as they are and as partition keys."""

from collections.abc import Sequence

from partitions.keys import problem_key
from tmas_assets.records import Problem
from tmas_assets.records.finding import Finding, Offence

PROMISE = "ids_unique"


def check_unique_ids(problems: Sequence[Problem]) -> Finding:
    first: dict[str, Problem] = {}
    offences = []
    for problem in problems:
        other = first.setdefault(problem_key(problem.id), problem)
        if other is not problem:
            same = "the id" if other.id == problem.id else f"the partition key of {other.id!r}"
            what = f"{same} twice: {other.source} ({other.statement[:60]!r}) and {problem.source} ({problem.statement[:60]!r})"
            offences.append(Offence(id=problem.id, what=what))
    said = f"{len(problems)} problems, {len(first)} different ids"
    return Finding(
        promise=PROMISE, passed=not offences, said=said, looked_at=len(problems), offences=tuple(offences))
