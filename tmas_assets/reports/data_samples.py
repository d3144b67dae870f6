"""A few rows of a data set as Markdown, spread over the file and over its strata, for people to read.

Small enough for run metadata: what does not fit is cut in the middle of long texts, and counted. Same rows, same text.
Leaves out what is shown of each kind of row (`data_sample_rows.py`).
"""

from collections.abc import Sequence

from tmas_assets.reports.data_counts import evenly
from tmas_assets.reports.data_sample_rows import SampleRow, Shown, Text, shown, stratum
from tmas_assets.reports.markdown_parts import cell, fenced, readable, shares, shortened, table
from tmas_assets.reports.notation import count

LIMIT = 60_000
"""Bytes of all rows together."""
MOST_PARTS = 10
"""Lines of a row's table: banks shown, turns; the others are counted."""
MOST_TEXTS = 12
"""Long texts of a row: the first ones and the last."""
_FRAME = 120
"""Bytes around a text: its label, the fence, the mark of a cut."""


def samples_markdown(rows: Sequence[SampleRow], most: int = 5, limit: int = LIMIT) -> str:
    """At most `most` of `rows`. Rows without a long text come as one table."""
    if not rows:
        return "No rows."
    places = picked([stratum(row) for row in rows], most)
    chosen = [(at, shown(rows[at])) for at in places]
    said = f"{count(len(places))} of {count(len(rows))} {'row' if len(rows) == 1 else 'rows'}."
    if all(not one.texts for _, one in chosen):
        head = ("row", *(name for name, _ in chosen[0][1].fields))
        body = table(head, [(count(at + 1), *(cell(value) for _, value in one.fields)) for at, one in chosen])
        return f"{said}\n\n{body}"
    room = (limit - len(said)) // len(chosen)
    return "\n\n".join((said, *(_row(at, len(rows), one, room) for at, one in chosen)))


def picked(strata: Sequence[tuple[str, ...]], most: int) -> tuple[int, ...]:
    """Places of at most `most` rows: first, last, and between them the ones nearest to an even spread that show a new stratum."""
    even = evenly(len(strata), most)
    taken = dict.fromkeys((*even[:1], *even[-1:]))
    seen = {strata[at] for at in taken}
    for wish in even[1:-1]:
        left = [at for at in range(len(strata)) if at not in taken]
        new = [at for at in left if strata[at] not in seen]
        at = min(new or left, key=lambda one: (abs(one - wish), one))
        taken[at] = None
        seen.add(strata[at])
    return tuple(sorted(taken))


def _row(at: int, rows: int, one: Shown, room: int) -> str:
    fields = table(("field", f"row {count(at + 1)} of {count(rows)}"), [(name, cell(value)) for name, value in one.fields])
    parts = [_parts(one)] if one.parts else []
    texts, left = _some(one.texts)
    said = [f"{count(left)} more texts are not shown."] if left else []
    head = "\n\n".join((f"#### Row {count(at + 1)}", fields, *parts, *said))
    spare = room - len(head.encode("utf-8")) - (_FRAME + 40) * len(texts)
    given = shares([len(readable(text.text).encode("utf-8")) for text in texts], max(spare, 0))
    return "\n\n".join((head, *(_text(text, most) for text, most in zip(texts, given, strict=True))))


def _parts(one: Shown) -> str:
    rows = [tuple(cell(text, 100) for text in part) for part in one.parts[:MOST_PARTS]]
    more = len(one.parts) - len(rows)
    return table(one.head, rows) + (f"\n\nand {count(more)} more." if more else "")


def _some(texts: tuple[Text, ...]) -> tuple[tuple[Text, ...], int]:
    if len(texts) <= MOST_TEXTS:
        return texts, 0
    head = MOST_TEXTS - 3
    return (*texts[:head], *texts[-3:]), len(texts) - MOST_TEXTS


def _text(text: Text, most: int) -> str:
    label = f"*{cell(text.label, 60)}, {count(len(text.text))} characters"
    if not text.text:
        return f"{label}*"
    body, left = shortened(text.text, most)
    return f"{label}{f', {count(left)} left out' if left else ''}:*\n\n{fenced(body)}"
