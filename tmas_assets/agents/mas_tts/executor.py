"""The executor: writes tests for a code problem from its statement, or an input for a program. It sees no solution and no gold.

Its reply is one block of Python that asserts something, or one block of text. Leaves out running it (`trial.py` makes the
program).
"""

import ast

from tmas_assets.agents.asking import Ask, Limits
from tmas_assets.agents.failure import cut_off, no_reply
from tmas_assets.agents.material import fenced, message, problem_block, request
from tmas_assets.agents.prompt import load
from tmas_assets.grading.code.blocks import blocks
from tmas_assets.grading.code.names import parse
from tmas_assets.records import Call, ChatRequest, ParseStatus, Problem, Record, Sampling

ROLE = "executor"
PROMPT = load("mas_tts/executor.txt", marks={"broken": "fence text reason", "tests": "", "input": ""})
LONGEST = 20_000
"""Characters of tests or of an input that are run."""


class Written(Record):
    text: str | None
    """Tests that are Python and assert something, or the input; None unless parsed."""
    parse: ParseStatus
    parse_error: str | None


def schemas(sampling: Sampling) -> tuple[str, ...]:
    return ()


def ask(
    problem: Problem, ask: Ask, *, program: bool, broken: tuple[str, str] | None, limits: Limits
) -> ChatRequest:
    """`program`: whether the solution is a program of standard input and output; `broken`: earlier tests and why they failed."""
    shown = ""
    if broken is not None:
        fence, text = fenced(broken[0], limits.checks_chars)
        inner, reason = fenced(broken[1], limits.summary_chars)
        longest = max(fence, inner, key=len)
        shown = PROMPT.render("broken", fence=longest, text=text, reason=reason)
    user = message(problem_block(problem), shown, PROMPT.render("input" if program else "tests"))
    return request(ROLE, problem, ask, user, proof=False, limits=limits)


def read(call: Call, *, program: bool) -> Written:
    """The last block that can be used. Tests that assert nothing, or are no Python, are a parse error."""
    if (missing := no_reply(call)) is not None:
        return Written(text=None, parse="failed", parse_error=missing)
    found = blocks(call.answer)
    if program:
        usable = [block.raw for block in found if block.raw.strip()]
    else:
        usable = [block.code.strip("\n") for block in found if block.code is not None and _asserts(block.code)]
    if not usable or len(usable[-1]) > LONGEST or call.status == "truncated":
        wanted = "block with an input" if program else "block of Python with an assertion"
        error = f"no whole {wanted} of at most {LONGEST} characters in the reply"
        return Written(text=None, parse="parse_error", parse_error=cut_off(call, error))
    return Written(text=usable[-1], parse="parsed", parse_error=None)


def _asserts(code: str) -> bool:
    tree = parse(code)
    return tree is not None and any(isinstance(node, ast.Assert) for node in ast.walk(tree))
