"""Folders for their owner alone. Prompts, replies, logs and trainer states of TMAS_HOME may be nobody else's business, and a state
of a trainer is a pickle: who could write it could run code as whoever goes on from it.

Leaves a folder that is there as it is: who shares one has opened it on purpose.
"""

from pathlib import Path

OWNER_ALONE = 0o700


def private_folder(path: Path) -> Path:
    """`path`, made with mode 0700 where there is none; folders above it are made as usual. Raises OSError."""
    path.mkdir(mode=OWNER_ALONE, parents=True, exist_ok=True)
    return path
