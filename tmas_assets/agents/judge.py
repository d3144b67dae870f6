r"""The judge: decides what the rules of grading leave undecided. Three-valued, since an unreadable reply is no verdict.

Reads both forms of reply, whichever was asked for: a JSON object, or text that ends with `Verdict: \boxed{...}`. As
the IMO-AnswerBench autograder, it sees problem, reference and final answer only. Leaves out when a judge is asked.
"""

from tmas_assets.agents import reply_schema
from tmas_assets.agents.asking import Ask
from tmas_assets.agents.failure import cut_off, no_reply
from tmas_assets.agents.material import fenced, message
from tmas_assets.agents.prompt import load
from tmas_assets.grading.verdict_text import read_verdict
from tmas_assets.records import JUDGE, Call, ChatRequest, Message, ParseStatus, Problem, Record, Sampling

ROLE = JUDGE
PROMPT = load("judge.txt")
VERSION = "1"
"""Goes up whenever the same reply could be read as another verdict."""
ANSWER_CHARS = 4000
"""An answer is shown up to so many characters; of a longer one the gap is said."""
_RUBRICS = ("answer", "plausible")


class Judged(Record):
    correct: bool | None
    """None unless parsed."""
    parse: ParseStatus
    parse_error: str | None


def schema(sampling: Sampling) -> str:
    reason = reply_schema.text(sampling, texts=1)
    return reply_schema.spell(reply_schema.record(reason=reason, verdict=reply_schema.one_of("correct", "incorrect")))


def ask(problem: Problem, rubric: str, answer: str, ask: Ask) -> ChatRequest:
    """Raises ValueError for an unknown rubric, or where there is no gold to compare with."""
    if rubric not in _RUBRICS or (rubric == "answer" and problem.answer is None):
        raise ValueError(
            f"{problem.benchmark} {problem.id}: nothing to judge by: rubric {rubric!r} (known: "
            f"{', '.join(_RUBRICS)}), gold {problem.answer!r}"
        )
    fence, shown = fenced(answer, ANSWER_CHARS)
    gold = {"gold": problem.answer} if rubric == "answer" and problem.answer is not None else {}
    task = PROMPT.render(rubric, problem=problem.statement.strip(), fence=fence, answer=shown, **gold)
    return ChatRequest(
        role=ROLE,
        messages=(
            Message(role="system", content=PROMPT.render("system")),
            Message(role="user", content=message(task, PROMPT.render("json" if ask.structured else "marked"))),
        ),
        sampling=ask.sampling,
        seed=ask.seed,
        sample=ask.sample,
        response_schema=schema(ask.sampling) if ask.structured else None,
        affinity=ask.affinity,
        priority=ask.priority,
    )


def read(call: Call) -> Judged:
    """A reply without a readable verdict, or one that was cut off before it could give one, is a parse error."""
    if (missing := no_reply(call)) is not None:
        return Judged(correct=None, parse="failed", parse_error=missing)
    correct = read_verdict(call.answer) if call.status == "complete" else None
    if correct is None:
        error = cut_off(call, "no readable verdict in the judge's reply")
        return Judged(correct=None, parse="parse_error", parse_error=error)
    return Judged(correct=correct, parse="parsed", parse_error=None)
