"""The judge of novelty: whether a solution goes another way than the strategies that its prompt said were tried.

It is shown problem, strategies and solution, and no gold. Three-valued: a reply without a readable verdict says neither. Reads both
forms of reply, whichever was asked for: a JSON object, or text that ends with `Verdict: word`. Leaves out what novelty earns
(`rewards/novel_strategy.py`).
"""

from collections.abc import Sequence

from tmas_assets.agents import verdict_reply
from tmas_assets.agents.asking import Ask, Limits
from tmas_assets.agents.failure import cut_off, no_reply
from tmas_assets.agents.material import SHARED, fenced, message, problem_block, request
from tmas_assets.agents.prompt import load
from tmas_assets.agents.verdict import VerdictError
from tmas_assets.records import Call, ChatRequest, ParseStatus, Problem, Record, Sampling, ShownEntry

ROLE = "novelty"
PROMPT = load("novelty.txt", marks={"task": "", "cut": "", "marked": "", "json": ""})
WORDS = ("novel", "known")


class Judged(Record):
    novel: bool | None
    """None unless parsed."""
    report: str
    """What carries the solution, in the judge's words; empty unless parsed."""
    parse: ParseStatus
    parse_error: str | None


def schemas(sampling: Sampling) -> tuple[str, ...]:
    return (verdict_reply.schema(sampling, WORDS),)


def ask(
    problem: Problem, ask: Ask, *, strategies: Sequence[ShownEntry], solution: str, cut: bool, chars: int
) -> ChatRequest:
    """The strategies are shown whole, the solution up to `chars` characters; `cut`: whether it broke off at its token limit.

    Raises ValueError where there is no strategy, or no solution, to compare.
    """
    if not strategies or not solution.strip():
        raise ValueError(f"{problem.id}: nothing to compare: {len(strategies)} strategies, {len(solution.strip())} characters of a solution")
    user = message(
        problem_block(problem),
        _block("guideline", "\n".join(f"{one.id} {' '.join(one.text.split())}" for one in strategies)),
        _block("solution", solution, chars),
        PROMPT.render("task"),
        PROMPT.render("cut") if cut else "",
        PROMPT.render("json" if ask.structured else "marked"),
    )
    schema = verdict_reply.schema(ask.sampling, WORDS)
    return request(ROLE, problem, ask, user, proof=False, limits=Limits(), schema=schema)


def read(call: Call) -> Judged:
    """A reply without a readable verdict, or one that was cut off before it could give one, is a parse error."""
    if (missing := no_reply(call)) is not None:
        return Judged(novel=None, report="", parse="failed", parse_error=missing)
    try:
        word, report = verdict_reply.word_in(call, WORDS)
    except VerdictError as error:
        return Judged(novel=None, report="", parse="parse_error", parse_error=cut_off(call, str(error)))
    return Judged(novel=word == WORDS[0], report=report, parse="parsed", parse_error=None)


def _block(section: str, text: str, chars: int | None = None) -> str:
    fence, shown = fenced(text, len(text) if chars is None else chars)
    return SHARED.render(section, fence=fence, text=shown)
