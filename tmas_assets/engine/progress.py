"""How far a campaign is, as figures, and what a trainer has to say; whoever wants to show them listens.

A listener is set for the current context by `listening`, so a terminal can follow a run without the run knowing
of terminals. Leaves out drawing.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass


@dataclass(frozen=True)
class Progress:
    cells: int
    """Cells in scope."""
    done: int
    """Cells made or found whole."""
    found: int
    calls: int
    """Requests answered by a model in this run."""
    cached: int
    """Requests answered from the call log."""
    in_flight: int
    retries: int
    failures: int
    prompt_tokens: int
    completion_tokens: int
    seconds: float
    """Since the campaign began."""
    experiment: str = ""
    """Whose campaign it is."""
    partial: str | None = None
    """Which cap of the budget was reached, None when none was."""

    @property
    def tokens_per_second(self) -> float:
        return self.completion_tokens / self.seconds if self.seconds > 0 else 0.0

    @property
    def seconds_left(self) -> float | None:
        """By the pace of the cells made so far; None until one is made."""
        made = self.done - self.found
        if made <= 0:
            return None
        return self.seconds / made * (self.cells - self.done)


Listener = Callable[[Progress], None]
Hearer = Callable[[str], None]
_listener: ContextVar[Listener | None] = ContextVar("progress listener", default=None)
_hearer: ContextVar[Hearer | None] = ContextVar("hearer of lines", default=None)


@contextmanager
def listening(listener: Listener, hearer: Hearer | None = None) -> Iterator[None]:
    """`hearer`: of lines of text."""
    tokens = _listener.set(listener), _hearer.set(hearer)
    try:
        yield
    finally:
        _listener.reset(tokens[0])
        _hearer.reset(tokens[1])


def heard() -> bool:
    """Whether somebody hears what is said."""
    return _hearer.get() is not None


def say(line: str) -> None:
    hearer = _hearer.get()
    if hearer is not None:
        hearer(line)


def tell(progress: Progress) -> None:
    listener = _listener.get()
    if listener is not None:
        listener(progress)
