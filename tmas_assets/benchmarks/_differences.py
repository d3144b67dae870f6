"""What changed between two lists of problems: two releases, or two loads of one.

Problems meet by id and are compared field by field. Leaves out whether a change matters: a check says that.
"""

from collections.abc import Sequence
from typing import Literal

from tmas_assets.records import Problem, Record

Field = Literal["statement", "gold", "grader", "judge"]


class ProblemChange(Record):
    """One problem that is not what it was."""

    id: str
    kind: Literal["added", "removed", "changed"]
    fields: tuple[Field, ...]
    """Which fields differ; none for an added or removed problem. `grader` includes what the grader needs besides."""
    before: str | None
    """Digest of the problem before, None where there was none; `after` likewise."""
    after: str | None
    gold_before: str | None
    gold_after: str | None


def difference(before: Sequence[Problem], after: Sequence[Problem]) -> tuple[ProblemChange, ...]:
    """Changed and added problems in the order of `after`, then the removed ones in the order of `before`."""
    old = {problem.id: problem for problem in before}
    new = {problem.id for problem in after}
    changes = []
    for problem in after:
        was = old.get(problem.id)
        fields = _fields(was, problem) if was is not None else ()
        if was is None or fields:
            changes.append(_change(was, problem, fields))
    changes.extend(_change(problem, None, ()) for problem in before if problem.id not in new)
    return tuple(changes)


def _change(was: Problem | None, now: Problem | None, fields: tuple[Field, ...]) -> ProblemChange:
    there = now or was
    assert there is not None
    return ProblemChange(
        id=there.id,
        kind="added" if was is None else "removed" if now is None else "changed",
        fields=fields,
        before=was.digest if was is not None else None,
        after=now.digest if now is not None else None,
        gold_before=was.answer if was is not None else None,
        gold_after=now.answer if now is not None else None,
    )


def _fields(was: Problem, now: Problem) -> tuple[Field, ...]:
    differ: dict[Field, bool] = {
        "statement": was.statement != now.statement,
        "gold": was.answer != now.answer,
        "grader": (was.grader, was.grading_data) != (now.grader, now.grading_data),
        "judge": was.judge != now.judge,
    }
    return tuple(field for field, changed in differ.items() if changed)
