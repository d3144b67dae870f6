"""The parts of a prompt that several roles share: system message, example, problem, solutions, reviews, bank.

Every role begins with the same system message (and example) and the problem, then the material in the same place and wording,
and its own task last: requests about one problem, and about one solution, share the longest possible prefix in
the server's cache. Earlier model output stands between fences that it cannot close, with no mark of a chat template in it.
Leaves out the roles' tasks.
"""

import re

from tmas_assets.agents.asking import Ask, Limits
from tmas_assets.agents.chat_marks import broken
from tmas_assets.agents.prompt import load
from tmas_assets.memory import Selection, select
from tmas_assets.records import (
    Bank,
    ChatRequest,
    MemoryEntry,
    Message,
    Problem,
    Rollout,
    Summary,
    Verification,
)

SHARED = load("shared.txt")
_TILDES = re.compile(r"~{3,}")
_MATHEMATICAL = ("math", "integer", "reasoning_gym")
_UNBOXED = ("code", "concepts")
"""Graders of whole texts: an example with a boxed answer would mislead."""
LEAST = 60
"""Characters of a text below which showing it helps nobody: where a limit is shared by so many that less were left for
each, fewer are shown."""
_GAP = "\n[... {} characters left out ...]\n"


def request(
    role: str, problem: Problem, ask: Ask, user: str, *, proof: bool, limits: Limits, schema: str | None = None
) -> ChatRequest:
    """The request of `role`; `schema` goes along only where structured output is on."""
    kind = "proof" if proof else "answer"
    subject = SHARED.render("mathematics" if problem.grader in _MATHEMATICAL else "any_subject")
    turns = [Message(role="system", content=SHARED.render("system", subject=subject))]
    if limits.example and problem.grader not in _UNBOXED:
        turns.append(Message(role="user", content=SHARED.render(f"example_{kind}_problem")))
        turns.append(Message(role="assistant", content=SHARED.render(f"example_{kind}_reply")))
    return ChatRequest(
        role=role,
        messages=(*turns, Message(role="user", content=user)),
        sampling=ask.sampling,
        seed=ask.seed,
        sample=ask.sample,
        response_schema=schema if ask.structured else None,
        affinity=ask.affinity,
        priority=ask.priority,
    )


def message(*parts: str) -> str:
    """The user message: parts that are not empty, in order, a blank line between two."""
    return "\n\n".join(part for part in parts if part)


def problem_block(problem: Problem) -> str:
    return SHARED.render("problem", problem=problem.statement.strip())


def solution_block(rollout: Rollout, chars: int) -> str:
    return _fenced("solution", rollout.text, chars)


def check_blocks(checks: tuple[Verification, ...], limits: Limits) -> str:
    """The critiques with their scores, the first ones where not all fit; one that was not parsed says so."""
    most = max(1, limits.checks_chars // LEAST)
    share = limits.checks_chars // max(1, min(most, len(checks)))
    return message(
        *(
            SHARED.render("check", number=str(i), score=_score(c.score), fence=fence, critique=text)
            for i, c in enumerate(checks[:most], 1)
            for fence, text in [fenced(c.critique, share)]
        ),
        SHARED.render("left_out", count=str(len(checks) - most)) if len(checks) > most else "",
    )


def fitting(
    shown: tuple[tuple[Rollout, Summary | None], ...], limits: Limits
) -> tuple[tuple[Rollout, Summary | None], ...]:
    """Those of `shown` that a prompt has room for, in their order: all, or the ones with the best checks."""
    most = max(1, limits.round_chars // (2 * LEAST))
    best = sorted(shown, key=lambda pair: -((pair[1].mean_score if pair[1] else None) or 0.0))[:most]
    return tuple(pair for pair in shown if pair in best)


def rollout_blocks(shown: tuple[tuple[Rollout, Summary | None], ...], limits: Limits) -> str:
    """Solutions, each followed by its review, together within `limits.round_chars`; `fitting` says how many there may be.

    A single one is cut as verification cuts it, so that both share a prefix.
    """
    share = limits.round_chars // max(1, len(shown))
    blocks = []
    for rollout, summary in shown:
        review = clip(summary.text, min(limits.summary_chars, share // 2)) if summary and summary.text else ""
        blocks.append(solution_block(rollout, min(limits.rollout_chars, share - len(review))))
        if review:
            blocks.append(_fenced("review", review, len(review)))
    return message(*blocks)


def bank_block(entries: tuple[MemoryEntry, ...], bank: Bank, limits: Limits) -> str:
    """The lines of a bank that fit, each with its id, and how many do not; empty for an empty bank."""
    if not entries:
        return ""
    chosen = bank_selection(entries, limits)
    lines = [_line(entry) for entry in chosen.shown]
    if chosen.left_out:
        lines.append(SHARED.render("left_out", count=str(chosen.left_out)))
    text = "\n".join(lines)
    return _fenced(bank, text, len(text))


def bank_selection(entries: tuple[MemoryEntry, ...], limits: Limits) -> Selection:
    """Which lines of a bank `bank_block` shows."""
    return select(entries, chars=limits.bank_chars, spelled=lambda entry: f"{_line(entry)}\n")


def _line(entry: MemoryEntry) -> str:
    return f"{entry.id} ({entry.polarity}) {' '.join(entry.text.split())}"


def clip(text: str, chars: int) -> str:
    """`text` within `chars` characters: a third from its beginning, the rest from its end, the gap counted in words.

    The length of the note on the gap is part of `chars`; below its own length only the end of the text is left.
    """
    text = text.strip()
    if len(text) <= chars:
        return text
    room = chars - len(_GAP.format(len(text)))
    if room < 2:
        return text[len(text) - chars :]
    head = room // 3
    tail = room - head
    return text[:head] + _GAP.format(len(text) - room) + text[-tail:]


def _fenced(section: str, text: str, chars: int) -> str:
    fence, text = fenced(text, chars)
    return SHARED.render(section, fence=fence, text=text)


def fenced(text: str, chars: int) -> tuple[str, str]:
    """The text within its limit, and a fence longer than any inside it. Marks of chat templates in what is left
    of it are broken by a blank, which no limit counts."""
    text = broken(clip(text, chars)) or SHARED.render("nothing")
    longest = max((len(run) for run in _TILDES.findall(text)), default=2)
    return "~" * (longest + 1), text


def _score(score: float | None) -> str:
    return "unknown" if score is None else f"{score:g}"
