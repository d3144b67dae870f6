"""The problem behind an RL row: as a grader needs it, and as its prompt poses it.

Pure. The row has the whole prompt and no bare statement, so that is cut out where the shared parts of a prompt stand
(`agents/material.py`). Leaves out grading.
"""

from tmas_assets.agents.material import SHARED
from tmas_assets.records import Problem, RlRow

_BEGIN = SHARED.sections["problem"].partition("<<")[0]
_END = "\n\n" + SHARED.sections["guideline"].partition("<<")[0]


def graded_problem(row: RlRow) -> Problem:
    """With gold, grader and grading data of the row's `reward_model`; its statement is the row's whole question."""
    return Problem(
        benchmark=row.extra_info.set,
        release="",
        id=row.extra_info.problem,
        statement=row.prompt[-1].content,
        answer=row.reward_model.ground_truth,
        grader=row.reward_model.grader,
        grading_data=row.reward_model.grading_data,
    )


def posed_problem(row: RlRow) -> Problem:
    """The same with the bare statement, of a row that shows guidelines. Raises ValueError where its prompt has another form."""
    question = row.prompt[-1].content
    statement, found, _ = question.partition(_END)
    if not found or not statement.startswith(_BEGIN):
        raise ValueError(
            f"row {row.extra_info.index} of {row.extra_info.set}: its prompt does not begin with a problem and strategies as "
            f"the solution agent writes them (found {question[:80]!r}); make the rows again"
        )
    return graded_problem(row).model_copy(update={"statement": statement.removeprefix(_BEGIN)})
