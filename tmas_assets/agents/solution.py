"""The solution agent: one candidate, plain, refined from earlier ones, or away from strategies already tried.

Leaves out grading: the answer is what stands in the last complete box, right or wrong.
"""

from tmas_assets.agents.asking import Ask, Limits
from tmas_assets.agents.material import bank_block, message, problem_block, request, rollout_blocks
from tmas_assets.agents.prompt import load
from tmas_assets.grading.boxes import last_box
from tmas_assets.records import (
    Bank,
    Branch,
    Call,
    ChatRequest,
    MemoryEntry,
    Problem,
    Record,
    Rollout,
    Sampling,
    Summary,
)

ROLE = "solution"
PROMPT = load("solution.txt")
_GOALS = {"choice": "choice", "code": "code", "concepts": "concepts"}
"""Section that says what to hand in, by grader; every other grader reads a boxed answer."""


class Solution(Record):
    text: str
    """The answer part of the reply; empty when there was none."""
    answer: str | None
    """Content of its last complete box; None without one, and in proof mode."""


def schemas(sampling: Sampling) -> tuple[str, ...]:
    return ()


def goal(problem: Problem, *, proof: bool) -> str:
    """What is to be handed in: an answer in a box, a letter, code, a text, a proof."""
    return PROMPT.render("proof" if proof else _GOALS.get(problem.grader, "answer"))


def ask(
    problem: Problem,
    ask: Ask,
    *,
    proof: bool,
    branch: Branch,
    shown: tuple[tuple[Rollout, Summary | None], ...],
    memory: tuple[MemoryEntry, ...],
    limits: Limits,
) -> ChatRequest:
    """The request for one candidate: `plain` shows nothing, `refine` rollouts and experience, `explore` guidelines. Where
    there is nothing to show it is the plain one.

    Raises ValueError when it is given what its branch does not show, since the rollout's record would then lie.
    """
    bank: Bank = "experience" if branch == "refine" else "guideline"
    banks = sorted({entry.bank for entry in memory})
    if (shown and branch != "refine") or (banks and (branch == "plain" or banks != [bank])):
        raise ValueError(
            f"{ask.sample}: branch {branch} was given {len(shown)} rollouts and entries of {banks or 'no bank'}; "
            "plain shows neither, refine shows rollouts and the experience bank, explore the guideline bank only"
        )
    statement = problem_block(problem)
    above = [block for block in (rollout_blocks(shown, limits), bank_block(memory, bank, limits)) if block]
    task: Branch = branch if above else "plain"  # a task that speaks of what is above needs something there
    again = {} if task == "plain" else {"problem": statement}
    user = message(statement, *above, PROMPT.render(task, goal=goal(problem, proof=proof), **again))
    return request(ROLE, problem, ask, user, proof=proof, limits=limits)


def read(call: Call, *, proof: bool) -> Solution:
    return Solution(text=call.answer, answer=None if proof else last_box(call.answer))
