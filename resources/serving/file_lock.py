"""One process at a time over a named file, on one machine; a killed holder lets go at once.

The lock is advisory (`flock`) and the file stays. Not meant for network drives shared by several machines.
"""

import fcntl
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def exclusive(path: Path) -> Iterator[None]:
    """Wait for and hold `path`; threads of one process exclude each other too (each opens its own file)."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        yield
