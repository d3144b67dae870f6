"""The files of a store as bytes, for comparing two runs."""

import hashlib
from pathlib import Path


def contents(folder: Path) -> dict[str, str]:
    """SHA-256 of every parquet file under `folder`, by relative path."""
    return {
        str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(folder.rglob("*.parquet"))
        if not path.name.startswith(".")
    }
