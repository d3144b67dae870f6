"""Folders of answers that run without a sandbox: one each, gone after it, and after a start that follows a kill.

Whoever made a folder holds a lock on it, which the kernel gives back however that process ends.
"""

import contextlib
import fcntl
import os
import shutil
import stat
import tempfile
from collections.abc import Iterator
from pathlib import Path

_PREFIX = "tmas-answer-"
_YOUNG_SECONDS = 60.0
"""A folder may be without its lock for a moment after it was made."""


@contextlib.contextmanager
def own_folder() -> Iterator[str]:
    """Raises OSError where there cannot be one."""
    with tempfile.TemporaryDirectory(prefix=_PREFIX, ignore_cleanup_errors=True) as folder:
        held = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
            yield folder
        finally:
            os.close(held)


def remove_left(now: float) -> None:
    """Folders of this user whose maker is no more. `now`: seconds since 1970."""
    for folder in Path(tempfile.gettempdir()).glob(f"{_PREFIX}*"):
        with contextlib.suppress(OSError):
            found = folder.lstat()
            young = found.st_mtime > now - _YOUNG_SECONDS
            if not young and stat.S_ISDIR(found.st_mode) and found.st_uid == os.geteuid() and _is_left(folder):
                shutil.rmtree(folder, ignore_errors=True)


def _is_left(folder: Path) -> bool:
    held = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
    try:
        fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    finally:
        os.close(held)
    return True
