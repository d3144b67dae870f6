"""Static pages on local disk, written whole and renamed. Leaves out what they say."""

import uuid
from pathlib import Path


class PageFault(RuntimeError):
    """A page that cannot be written; the text names its path."""


def write_page(path: Path, html: str) -> Path:
    """Write `html` as UTF-8 and return the absolute path. A reader sees the old page or the new one. Raises PageFault."""
    beside = path.with_name(f".{path.name}.{uuid.uuid4().hex[:8]}")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        try:
            beside.write_text(html, encoding="utf-8")
            beside.replace(path)
        finally:
            beside.unlink(missing_ok=True)
    except OSError as error:
        raise PageFault(
            f"page {path}: could not write {len(html)} characters: {error}. Free space, mend the permissions, or set "
            "TMAS_REPORTS to another folder; scores are in the store."
        ) from error
    return path.absolute()
