"""The critic: votes on the team's solution, or speaks before there is one.

A vote is `agree` or `disagree`, in a JSON object or on the last line of the reply (`Verdict: agree`); anything else is no
vote at all. Leaves out when critics are agreed (`strategies/mas_tts`).
"""

from tmas_assets.agents import verdict_reply
from tmas_assets.agents.asking import Ask, Limits
from tmas_assets.agents.failure import no_reply
from tmas_assets.agents.mas_tts.briefing import Briefing, briefing_blocks, part_block
from tmas_assets.agents.material import message, problem_block, request, solution_block
from tmas_assets.agents.prompt import load
from tmas_assets.agents.verification import Checked
from tmas_assets.records import Call, ChatRequest, ParseStatus, Problem, Record, Rollout, Sampling

ROLE = "critic"
PROMPT = load("mas_tts/critic.txt", marks={"vote": "", "speak_first": "", "speak": "", "json": "", "marked": ""})
WORDS = ("agree", "disagree")


class Speech(Record):
    """What a critic said in its turn: kept as the turn `Speech`."""

    speaker: str
    text: str


class Heard(Record):
    text: str
    """Empty unless parsed."""
    parse: ParseStatus
    parse_error: str | None


def schemas(sampling: Sampling) -> tuple[str, ...]:
    return (verdict_reply.schema(sampling, WORDS),)


def ask(
    problem: Problem, ask: Ask, *, part: str, solution: Rollout, briefing: Briefing, limits: Limits
) -> ChatRequest:
    """The request for a vote on `solution`; `briefing`: direction, advice, and what led to this version of it."""
    user = message(
        problem_block(problem),
        solution_block(solution, limits.rollout_chars),
        briefing_blocks(briefing, limits),
        part_block(part),
        PROMPT.render("vote"),
        PROMPT.render("json" if ask.structured else "marked"),
    )
    schema = verdict_reply.schema(ask.sampling, WORDS)
    return request(ROLE, problem, ask, user, proof=False, limits=limits, schema=schema)


def read(call: Call) -> Checked:
    """Score 1 for a critic that agrees, 0 for one that objects, None for one that has not voted."""
    return verdict_reply.read(call, WORDS)


def speak(
    problem: Problem, ask: Ask, *, part: str, solution: Rollout | None, briefing: Briefing, limits: Limits
) -> ChatRequest:
    """The request for a contribution in words, which the others hear; `briefing.said`: who spoke before."""
    user = message(
        problem_block(problem),
        solution_block(solution, limits.rollout_chars) if solution else "",
        briefing_blocks(briefing, limits),
        part_block(part),
        PROMPT.render("speak" if solution else "speak_first"),
    )
    return request(ROLE, problem, ask, user, proof=False, limits=limits)


def read_speech(call: Call) -> Heard:
    """Any words are a contribution. A reply without one letter or digit is a parse error."""
    if (missing := no_reply(call)) is not None:
        return Heard(text="", parse="failed", parse_error=missing)
    text = call.answer.strip()
    if not any(sign.isalnum() for sign in text):
        return Heard(text="", parse="parse_error", parse_error=f"no words in the reply: {text[:40]!r}")
    return Heard(text=text, parse="parsed", parse_error=None)
