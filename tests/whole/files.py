"""The files of a store as bytes, for comparing two runs."""

import hashlib
from pathlib import Path


def contents(folder: Path, pattern: str = "*.parquet") -> dict[str, str]:
    """SHA-256 of every such file under `folder`, by relative path."""
    return {
        str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(folder.rglob(pattern))
        if not path.name.startswith(".")
    }
