"""Static pages on local disk, written whole and renamed. Leaves out what they say."""

from pathlib import Path

from resources.whole_file import whole_file


class PageFault(RuntimeError):
    """A page that cannot be written; the text names its path."""


def write_page(path: Path, html: str) -> Path:
    """Write `html` as UTF-8 and return the absolute path. A reader sees the old page or the new one. Raises PageFault."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with whole_file(path) as file:
            file.write(html.encode("utf-8"))
    except OSError as error:
        raise PageFault(
            f"page {path}: could not write {len(html)} characters: {error}. Free space, mend the permissions, or set "
            "TMAS_REPORTS to another folder; scores are in the store."
        ) from error
    return path.absolute()
