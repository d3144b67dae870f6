"""What any member of the team is told besides task and solution: its part, the lead's direction, the advice, who said what.

All of it was written by models: it stands between fences, and together it stays within `checks_chars`, in equal shares. Speakers
are named. Leaves out the tasks.
"""

from pydantic import Field

from tmas_assets.agents.asking import Ask, Limits
from tmas_assets.agents.material import fenced, message
from tmas_assets.agents.prompt import load
from tmas_assets.records import Record, Sampling

ROLE = "team"
PROMPT = load("mas_tts/briefing.txt", marks={
    "part": "fence text", "direction": "fence text", "advice": "fence text", "said": "fence speaker text",
    "said_before": "fence speaker text", "no_reason": "",
})  # fmt: skip
PART_CHARS = 200
"""Characters of the text that describes an expert."""


class Said(Record):
    """What one member said."""

    speaker: str = Field(min_length=1)
    """Our name for it (`Critic 2`), never a model's words."""
    text: str


class Briefing(Record):
    """What the team knows beside the solution."""

    direction: str = ""
    """The lead's, for this round."""
    advice: str = ""
    """The evaluator's, on the round before."""
    said: tuple[Said, ...] = ()
    """In order of speaking."""
    said_before: bool = False
    """Whether it was said before the version that is shown was written."""


def schemas(sampling: Sampling) -> tuple[str, ...]:
    return ()


def briefing_blocks(briefing: Briefing, limits: Limits) -> str:
    """What was said, then advice, then direction; empty for an empty briefing."""
    pieces = len(briefing.said) + bool(briefing.advice.strip()) + bool(briefing.direction.strip())
    share = limits.checks_chars // max(1, pieces)
    blocks = [
        PROMPT.render("said_before" if briefing.said_before else "said", speaker=one.speaker, fence=fence, text=text)
        for one in briefing.said
        for fence, text in [fenced(one.text.strip() or PROMPT.render("no_reason"), share)]
    ]
    for section, said in (("advice", briefing.advice), ("direction", briefing.direction)):
        if said.strip():
            fence, text = fenced(said, share)
            blocks.append(PROMPT.render(section, fence=fence, text=text))
    return message(*blocks)


def part_block(part: str) -> str:
    """The member's own part; empty for none."""
    if not part.strip():
        return ""
    fence, text = fenced(part, PART_CHARS)
    return PROMPT.render("part", fence=fence, text=text)


def within(ask: Ask, max_tokens: int | None) -> Ask:
    """The same request with the token limit granted for it; None leaves the role's own."""
    if max_tokens is None:
        return ask
    return ask.model_copy(update={"sampling": ask.sampling.model_copy(update={"max_tokens": max_tokens})})
