"""What runs inside a grading worker: its limits, and one comparison or scoring at a time.

Leaves out starting, timing out and replacing workers (`pool.py`).
"""

import ctypes
import resource
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from tmas_assets.grading import gym_grader
from tmas_assets.grading.math import grader as math_grader
from tmas_assets.records import Verdict

_MOST_BYTES = 4 * 2**30
"""Address space of a worker: a runaway number is refused memory long before the machine runs out."""
_PARENT_DEATH_SIGNAL = 1
_RECURSION = 5_000


def enter() -> None:
    """Called once as a worker starts."""
    sys.setrecursionlimit(_RECURSION)
    # A worker stuck in one long operation of C code runs no Python handler, so terminating must not need one.
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    resource.setrlimit(resource.RLIMIT_AS, (_MOST_BYTES, resource.getrlimit(resource.RLIMIT_AS)[1]))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    if sys.platform == "linux":
        ctypes.CDLL(None, use_errno=True).prctl(_PARENT_DEATH_SIGNAL, signal.SIGKILL)


@contextmanager
def cpu_limit(seconds: float) -> Iterator[None]:
    """Ends the process, from outside of Python, once it has used `seconds` of CPU time.

    CPU time and not the clock: a busy machine must not turn right answers into failures.
    """
    signal.signal(signal.SIGPROF, signal.SIG_DFL)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)


def decide(question: math_grader.Question, seconds: float) -> Verdict:
    with cpu_limit(seconds):
        return math_grader.decide(question)


def score(question: gym_grader.Question, seconds: float) -> Verdict:
    with cpu_limit(seconds):
        return gym_grader.score(question)
