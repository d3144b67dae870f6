"""The index of the site: made of the pages that lie there and of the rows that summaries left for it. Leaves out the pages.

A page says in its head what kind it is, so whoever writes one need not be known here.
"""

from collections.abc import Collection, Iterator
from pathlib import Path
from urllib.parse import quote

from resources.pages import PageFault, kind_of, remove_pages, title_of, write_page
from resources.parquet_store import Address, OtherSchema, ParquetStore
from tmas_assets.reports.site.index_page import PageEntry, index_page
from tmas_assets.reports.site.links import INDEX
from tmas_assets.reports.standing import LeaderboardRow

ASSET = ("report_site",)


def keep_row(store: ParquetStore, row: LeaderboardRow) -> None:
    """What the index says of an experiment. Raises StoreFault."""
    store.write(Address(ASSET, (row.experiment,)), LeaderboardRow, [row])


def write_index(top: Path, store: ParquetStore) -> Path:
    """Write `index.html` where it would say something else. Raises PageFault, StoreFault."""
    path, text = top / INDEX, index_page(_rows(store), list(_pages(top)))
    try:
        same = path.read_text(encoding="utf-8") == text
    except (FileNotFoundError, NotADirectoryError, UnicodeDecodeError):
        same = False
    return path.absolute() if same else write_page(path, text)


def _rows(store: ParquetStore) -> Iterator[LeaderboardRow]:
    for partition in store.partitions(ASSET):
        try:
            yield from store.read(Address(ASSET, partition), LeaderboardRow)
        except OtherSchema:
            continue  # of an earlier version: its page is listed without a score until it is summed up again


def _pages(top: Path) -> Iterator[PageEntry]:
    """Those at the top, and decisions, which lie below their experiments."""
    for pattern in ("*.html", "*/*.html"):
        for path in sorted(top.glob(pattern)):
            kind = kind_of(path)
            if kind is None or path.name == INDEX:
                continue
            href = "/".join(quote(part) for part in path.relative_to(top).parts)
            yield PageEntry(kind=kind, title=_title(path, kind), href=href)


def _title(path: Path, kind: str) -> str:
    return path.stem if kind in ("experiment", "study", "training") else title_of(path)


def remove_unstated(top: Path, experiments: Collection[str]) -> tuple[str, ...]:
    """Take away the pages of experiments that are stated no more, and name them. Raises PageFault."""
    gone = [path for path in sorted(top.glob("*.html")) if kind_of(path) == "experiment" and path.stem not in experiments]
    for path in gone:
        remove_pages(top / path.stem, frozenset())
        try:
            path.unlink()
        except OSError as error:
            raise PageFault(f"page {path} of an experiment that is gone could not be taken away: {error}. Mend the permissions.") from error
    return tuple(path.stem for path in gone)
