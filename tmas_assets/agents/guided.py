"""The guided solution: the plain question after a system message with rules, then pitfalls, then propositions (RSE).

Speaks for the solution role and is read as its other replies are. Leaves out what the bank holds.
"""

from tmas_assets.agents import solution
from tmas_assets.agents.asking import Ask, Limits
from tmas_assets.agents.material import fenced, message
from tmas_assets.agents.prompt import load
from tmas_assets.memory import Selection, select
from tmas_assets.records import ChatRequest, MemoryEntry, Message, Polarity, Problem, Sampling

ROLE = solution.ROLE
PROMPT = load("guided.txt")
_LISTS: tuple[tuple[Polarity, str], ...] = (("pitfall", "pitfalls"), ("conclusion", "propositions"))


def _line(entry: MemoryEntry) -> str:
    return f"- {' '.join(entry.text.split())}"


def bank_selection(experience: tuple[MemoryEntry, ...], limits: Limits) -> Selection:
    """Which lines of the bank `ask` shows."""
    return select(experience, chars=limits.bank_chars, spelled=lambda entry: f"{_line(entry)}\n")


def schemas(sampling: Sampling) -> tuple[str, ...]:
    return ()


def ask(problem: Problem, ask: Ask, *, experience: tuple[MemoryEntry, ...], limits: Limits) -> ChatRequest:
    """The request that shows `experience`, the whole bank as far as `limits.bank_chars` allow (best supported first; what
    is left out is counted). Raises ValueError for an empty bank: that is a plain request."""
    if not experience:
        raise ValueError(f"{ask.sample}: guided by an empty bank; ask for a plain solution instead")
    plain = solution.ask(problem, ask, proof=False, branch="plain", shown=(), memory=(), limits=limits)
    chosen = bank_selection(experience, limits)
    parts = [PROMPT.render("rules")]
    for polarity, section in _LISTS:
        text = "\n".join(_line(entry) for entry in chosen.shown if entry.polarity == polarity)
        if text:
            fence, text = fenced(text, len(text))
            parts.append(PROMPT.render(section, fence=fence, text=text))
    if chosen.left_out:
        parts.append(PROMPT.render("left_out", count=str(chosen.left_out)))
    system = Message(role="system", content=message(plain.messages[0].content, *parts))
    return plain.model_copy(update={"messages": (system, *plain.messages[1:])})
