"""The first page of the site: every experiment by score, then all other pages. Leaves out finding them."""

from collections.abc import Iterable, Sequence

from tmas_assets.records import Record
from tmas_assets.reports.leaderboard import leaderboard
from tmas_assets.reports.page import render_page
from tmas_assets.reports.standing import LeaderboardRow

KINDS = {
    "experiment": "Experiments without a score",
    "study": "Studies",
    "training": "Trainings",
    "data": "Data sets",
    "decision": "Decisions",
    "page": "Other pages",
}
"""Headings by kind of page, in order; a kind that is not named here stands with the other pages."""
LEADERBOARD, AUDIT = "leaderboard", "audit"


class PageEntry(Record):
    """A page that is there."""

    kind: str
    title: str
    href: str


class PageList(Record):
    heading: str
    pages: tuple[PageEntry, ...]


def index_page(rows: Iterable[LeaderboardRow], pages: Sequence[PageEntry]) -> str:
    """`pages`: all that lie there, but for the index itself and what is below an experiment. `rows`: of experiments among them;
    a row without a page is left out, so that no link leads nowhere."""
    there = {page.href for page in pages if page.kind == "experiment"}
    shown = [row for row in rows if row.score is not None and f"{row.experiment}.html" in there]
    scored = {f"{row.experiment}.html" for row in shown}
    rest = [page for page in pages if page.href not in scored]
    return render_page(
        "site/index.html.jinja",
        tables=leaderboard(shown),
        lists=_lists(rest),
        above=[page for page in rest if page.kind in (LEADERBOARD, AUDIT)],
    )


def _lists(pages: Sequence[PageEntry]) -> tuple[PageList, ...]:
    lists = []
    for kind, heading in KINDS.items():
        own = [
            page for page in pages
            if page.kind == kind or (kind == "page" and page.kind not in (*KINDS, LEADERBOARD, AUDIT))
        ]  # fmt: skip
        if own:
            lists.append(PageList(heading=heading, pages=tuple(sorted(own, key=lambda page: (page.title, page.href)))))
    return tuple(lists)
