"""Markdown out of text that nobody has checked: tables whose cells stay cells, fences that nothing inside can close.

The reader may be the Dagster UI, a hub or a repository: no raw HTML is written, so none is needed and none gets through.
Leaves out what is shown.
"""

import re
from collections.abc import Sequence

from tmas_assets.reports.notation import markdown_cell, printable

CELL_BYTES = 160
"""Of a text in a table; a longer one is cut, with the number of characters left out."""
_LONG_RUN = re.compile(r"([`~])\1{60,}")
_FENCE_LIKE = {mark: re.compile(rf"^[ \t>]*({mark}{{3,}})", re.MULTILINE) for mark in "`~"}


def table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A table, its cells as they are: `cell` makes them safe. Raises ValueError on a row of another width."""
    wrong = [row for row in rows if len(row) != len(head)]
    if wrong:
        raise ValueError(f"table of {list(head)}: a row has {len(wrong[0])} cells instead of {len(head)}: {wrong[0]}")
    lines = (f"| {' | '.join(head)} |", f"|{' --- |' * len(head)}", *(f"| {' | '.join(row)} |" for row in rows))
    return "\n".join(lines)


def cell(text: str, most: int = CELL_BYTES) -> str:
    return markdown_cell(one_line(text, most))


def one_line(text: str, most: int = CELL_BYTES) -> str:
    """The beginning of `text` on one line, at most `most` bytes of it; what is left out is counted in characters."""
    whole = " ".join(printable(text).split())
    kept = _within(whole, most)
    return whole if len(kept) == len(whole) else f"{kept}… (+{len(whole) - len(kept):,})"


def readable(text: str) -> str:
    """`text` as it is shown in a fence: no unprintable character, and no run of marks that would need a fence as long."""
    return _LONG_RUN.sub(lambda run: f"{run.group(1) * 20}[… {len(run.group()) - 20:,} more]", printable(text))


def shortened(text: str, most: int) -> tuple[str, int]:
    """Two thirds of `most` bytes from the beginning and one from the end, and how many characters are left out between."""
    whole = readable(text)
    if len(whole.encode("utf-8")) <= most:
        return whole, 0
    head = _within(whole, 2 * most // 3)
    tail = _within(whole[len(head) :][::-1], most - 2 * most // 3)[::-1]
    left = len(whole) - len(head) - len(tail)
    return f"{head}\n[… {left:,} characters left out …]\n{tail}", left


def fenced(text: str, info: str = "text") -> str:
    """`text` as a block of code. The fence is longer than any line of `text` that could close it."""
    shown = printable(text)
    longest = {mark: max((len(found) for found in like.findall(shown)), default=2) for mark, like in _FENCE_LIKE.items()}
    mark = min(longest, key=lambda one: longest[one])
    fence = mark * (longest[mark] + 1)
    return f"{fence}{info}\n{shown}\n{fence}"


def shares(sizes: Sequence[int], budget: int) -> tuple[int, ...]:
    """How much of each may be shown so that all fit in `budget`: short ones whole, the long ones an equal part each."""
    given = [0] * len(sizes)
    for done, (size, at) in enumerate(sorted((size, at) for at, size in enumerate(sizes))):
        given[at] = min(size, budget // (len(sizes) - done))
        budget -= given[at]
    return tuple(given)


def _within(text: str, most: int) -> str:
    return text if len(text) * 4 <= most else text[:most].encode("utf-8")[:most].decode("utf-8", "ignore")
