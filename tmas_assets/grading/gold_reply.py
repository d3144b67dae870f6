"""What a faultless solver would reply, so that a gold can be held to its own grader. Leaves out grading it."""

from tmas_assets.records import Problem


def gold_reply(problem: Problem) -> str:
    """The gold in the form its grader reads: in a box, in a code block, or as it is."""
    gold = problem.answer or ""
    if problem.grader == "code":
        return f"```python\n{gold}\n```"
    if problem.grader in ("concepts", "reasoning_gym"):
        return gold
    return f"The answer is \\boxed{{{gold}}}."
