"""Write a file whole or not at all: a sibling temporary file, flushed, then renamed.

A reader sees the old file or the new one, and a killed writer leaves no half of one. Leaves out what the file is.
"""

import contextlib
import os
import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from tmas_assets.benchmarks import BenchmarkError


@contextlib.contextmanager
def whole_file(path: Path) -> Iterator[BinaryIO]:
    """A file to write into, which stands at `path` once the block ends without an error. Raises OSError."""
    beside = path.with_name(f".{path.name}.{uuid.uuid4().hex[:8]}")
    try:
        with beside.open("xb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        os.replace(beside, path)
    finally:
        beside.unlink(missing_ok=True)


def keep_download(path: Path, content: bytes) -> None:
    """Raises BenchmarkError where the place cannot be written."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with whole_file(path) as file:
            file.write(content)
    except OSError as error:
        raise BenchmarkError(f"cannot keep the download at {path}: {error}; free space or choose another cache") from error
