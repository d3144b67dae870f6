"""One next step of a solution, or the rest of it: the independent samples of tree of thoughts.

Speaks for the solution role. Leaves out which state goes on, and what its new text is then.
"""

from tmas_assets.agents import solution
from tmas_assets.agents.asking import Ask, Limits
from tmas_assets.agents.material import fenced, message, problem_block, request
from tmas_assets.agents.prompt import load
from tmas_assets.records import ChatRequest, Problem, Sampling

ROLE = solution.ROLE
PROMPT = load("thought_sample.txt")
_ENDINGS = {"choice": "choice", "code": "whole", "concepts": "whole"}
"""How a step may end the solution, by grader. Code and texts are handed in whole, by the finish alone."""


def schemas(sampling: Sampling) -> tuple[str, ...]:
    return ()


def whole(problem: Problem) -> bool:
    """Whether the finish alone is handed in, since the grader reads code or a text and no box."""
    return _ENDINGS.get(problem.grader) == "whole"


def ending(problem: Problem) -> str:
    """What to do with a step that gives the answer."""
    section = PROMPT.render(_ENDINGS.get(problem.grader, "answer"))
    return f" {section.strip()}" if section else ""


def so_far(text: str, chars: int) -> str:
    """The block with a state's text; empty for the root."""
    if not text:
        return ""
    fence, text = fenced(text, chars)
    return PROMPT.render("so_far", fence=fence, text=text)


def ask(problem: Problem, ask: Ask, *, text: str, finish: bool, limits: Limits) -> ChatRequest:
    """The request for one next step of the state `text`, or for all that is missing of its solution."""
    statement = problem_block(problem)
    if finish:
        task = PROMPT.render("finish", problem=statement, goal=solution.goal(problem, proof=False))
    else:
        task = PROMPT.render("step", ending=ending(problem))
    user = message(statement, so_far(text, limits.rollout_chars), task)
    return request(ROLE, problem, ask, user, proof=False, limits=limits)
