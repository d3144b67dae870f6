"""Static pages on local disk, written whole and renamed. Leaves out what they say."""

import os
from pathlib import Path


def write_page(path: Path, html: str) -> Path:
    """Write `html` as UTF-8 and return the path. A reader sees the old page or the new one."""
    path.parent.mkdir(parents=True, exist_ok=True)
    beside = path.with_name(f".{path.name}.{os.getpid()}")
    beside.write_text(html, encoding="utf-8")
    beside.replace(path)
    return path
