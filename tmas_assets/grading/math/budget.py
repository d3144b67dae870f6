"""Gives up a computation that takes too long, from within: what follows it still runs.

For code of Python only; a single long operation of C code is ended from outside (`grading/worker.py`).
"""

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType


class _OutOfTime(BaseException):
    """No Exception, so that no library takes it for one of its own."""


def _give_up(number: int, frame: FrameType | None) -> None:
    raise _OutOfTime


@contextmanager
def cpu_budget(seconds: float) -> Iterator[None]:
    """Leaves the block once it has used `seconds` of CPU time. Without a limit outside of a main thread."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGVTALRM, _give_up)
    try:
        signal.setitimer(signal.ITIMER_VIRTUAL, seconds)
        yield
    except _OutOfTime:
        return
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)
