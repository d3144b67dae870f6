"""One process at a time works on a problem of an experiment, on one machine; a killed holder lets go at once.

Two campaigns that ask the same questions in step would both pay, since the call log has an answer only once it is
there. All claims of an experiment are byte ranges of one file, so a thousand problems need one open file. Advisory,
between processes only, and not for machines that share a network drive: give those disjoint problems.
"""

import asyncio
import fcntl
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from types import TracebackType
from typing import Self

from tmas_assets.records import digest

_LOOK_SECONDS = 0.2


class Claims:
    """Claims kept in the file `path`; a context manager that lets go of all."""

    def __init__(self, path: Path) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        self._file = path.open("a+b")

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._file.close()

    @asynccontextmanager
    async def claim(self, name: str) -> AsyncIterator[None]:
        """Wait until no other process claims `name`, and claim it during the block."""
        place = int(digest(name)[:15], 16)
        while True:
            try:
                fcntl.lockf(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB, 1, place)
                break
            except (BlockingIOError, PermissionError):  # what POSIX calls a range that another process holds
                await asyncio.sleep(_LOOK_SECONDS)
        try:
            yield
        finally:
            fcntl.lockf(self._file, fcntl.LOCK_UN, 1, place)
