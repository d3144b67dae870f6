"""Write a file whole or not at all: a sibling temporary file, flushed, then renamed.

A reader or a killed writer never leaves half a file. For downloads; asset files are `parquet_store.py`'s.
"""

import contextlib
import os
import tempfile
from pathlib import Path

from tmas_assets.benchmarks import BenchmarkError


def write_whole(path: Path, content: bytes) -> None:
    """Raises BenchmarkError where the place cannot be written."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        descriptor, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
        try:
            with os.fdopen(descriptor, "wb") as file:
                file.write(content)
                file.flush()
                os.fsync(file.fileno())
            os.replace(temporary, path)
        except BaseException:
            with contextlib.suppress(FileNotFoundError):
                os.unlink(temporary)
            raise
    except OSError as error:
        raise BenchmarkError(f"cannot keep the download at {path}: {error}; free space or choose another cache") from error
