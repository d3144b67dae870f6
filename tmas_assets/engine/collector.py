"""Python's collector of cycles while an engine runs: it leaves alone what was there before, and comes less often.

An engine makes many small objects that live a second or a minute and die without a cycle. By default each 700 of them
call the collector, and its thorough rounds walk all that the process holds, Dagster and its libraries too: a fifth of
the engine's time at fast replies. Cycles are still collected, only later.
"""

import gc
from collections.abc import Iterator
from contextlib import contextmanager

YOUNG = 10_000
"""New objects that call the collector; some megabytes at most wait for it."""


@contextmanager
def rare_collections() -> Iterator[None]:
    """For the process as a whole, until the block ends."""
    before = gc.get_threshold()
    gc.freeze()
    gc.set_threshold(YOUNG, *before[1:])
    try:
        yield
    finally:
        gc.set_threshold(*before)
        gc.unfreeze()
