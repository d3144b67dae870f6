"""A time limit on something that may never answer: the syncing of weights to a model server, above all (huggingface/trl#2923).

The waiting thread is interrupted and raises. Where it waits inside a library that Python cannot interrupt, the process says the
same and ends, which ends the run.
"""

import contextlib
import os
import signal
import sys
import threading
from collections.abc import Iterator
from types import FrameType
from typing import NoReturn

LAST_SECONDS = 10.0
"""From the interruption until the process is ended."""
NO_ANSWER = 3
"""Exit code of a process that could not be interrupted."""


class NoAnswer(RuntimeError):
    """What was waited for did not come in time. No OSError: clients that try again after those must not catch it."""


@contextlib.contextmanager
def deadline(seconds: float, words: str) -> Iterator[None]:
    """Raises NoAnswer with `words` in the block once it has taken `seconds`. For the main thread."""
    late, over, turn = threading.Event(), threading.Event(), threading.Lock()

    def interrupt() -> None:
        with turn:  # once the block is over, the signal would meet whatever handled it before
            if not over.is_set():
                late.set()
                signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGUSR1)

    def end() -> None:
        print(f"NoAnswer: {words}", file=sys.stderr, flush=True)
        os._exit(NO_ANSWER)

    def complain(number: int, frame: FrameType | None) -> NoReturn:
        raise NoAnswer(words)

    former = signal.signal(signal.SIGUSR1, complain)
    timers = [threading.Timer(seconds, interrupt), threading.Timer(seconds + LAST_SECONDS, end)]
    for timer in timers:
        timer.daemon = True
        timer.start()
    try:
        yield
    except NoAnswer:
        raise
    except Exception as error:
        if late.is_set():  # the library has wrapped what interrupted it
            raise NoAnswer(words) from error
        raise
    finally:
        with turn:
            over.set()
        for timer in timers:
            timer.cancel()
        signal.signal(signal.SIGUSR1, former)
