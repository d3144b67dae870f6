"""Static pages on local disk, written whole and renamed; what a page says of itself in its head. Leaves out the rest of it."""

import html
import re
from collections.abc import Set
from pathlib import Path

from resources.whole_file import whole_file

_HEAD = 8192
"""Bytes of a page that are read for what it says of itself."""
_MADE_FROM = re.compile(r'<meta name="tmas-made-from" content="([0-9a-f]{64})">')
_KIND = re.compile(r'<meta name="tmas-kind" content="([a-z_]+)">')
_TITLE = re.compile(r"<title>(.*?)</title>", re.DOTALL)


class PageFault(RuntimeError):
    """A page that cannot be written; the text names its path."""


def write_page(path: Path, text: str) -> Path:
    """Write `text`, HTML, as UTF-8 and return the absolute path. A reader sees the old page or the new one. Raises PageFault."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with whole_file(path) as file:
            file.write(text.encode("utf-8"))
    except OSError as error:
        raise PageFault(
            f"page {path}: could not write {len(text)} characters: {error}. Free space, mend the permissions, or set "
            "TMAS_REPORTS to another folder; scores are in the store."
        ) from error
    return path.absolute()


def made_from(path: Path) -> str | None:
    """The digest that a page names as what it was made from; None for a page without one, and where there is none."""
    found = _MADE_FROM.search(_head(path))
    return found[1] if found else None


def kind_of(path: Path) -> str | None:
    """What kind of page it says it is, None for a page that is not ours, and where there is none."""
    found = _KIND.search(_head(path))
    return found[1] if found else None


def title_of(path: Path) -> str:
    """Its title, else its file name."""
    found = _TITLE.search(_head(path))
    return html.unescape(found[1]) if found else path.name


def remove_pages(folder: Path, keep: Set[Path]) -> int:
    """Take away the pages one folder below `folder` that name what they were made from and are not kept, and folders that are then
    empty. Other files are not ours. How many went. Raises PageFault."""
    removed = 0
    try:
        for path in sorted(folder.glob("*/*.html")):
            if path not in keep and made_from(path) is not None:
                path.unlink()
                removed += 1
        for below in sorted(folder.glob("*/")) if removed else ():
            if not any(below.iterdir()):
                below.rmdir()
    except OSError as error:
        raise PageFault(f"pages under {folder}: one that is out of date could not be taken away: {error}. Mend the permissions.") from error
    return removed


def _head(path: Path) -> str:
    """Raises PageFault."""
    try:
        with path.open("rb") as file:
            return file.read(_HEAD).decode("utf-8", "replace")
    except (FileNotFoundError, NotADirectoryError, IsADirectoryError):  # the last: the folder of a problem whose id ends in .html
        return ""
    except OSError as error:
        raise PageFault(f"page {path}: could not be read: {error}. Mend the permissions, or set TMAS_REPORTS to another folder.") from error
