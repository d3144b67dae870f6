"""A few rows of a data set, spread over the file and over its strata, for people to read: whole as Markdown, in short as lines.

Small enough for run metadata: what does not fit is cut in the middle of long texts, and counted. Same rows, same text. The Dagster
UI folds long Markdown away behind a click and does not wrap its blocks of code, hence the short form and the short lines. Leaves out
what is shown of each kind of row (`data_sample_rows.py`).
"""

import re
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
WIDEST = 110
"""Characters of a line of a long text; a longer one goes on in the next, broken at a space."""
_TOO_WIDE = re.compile(rf"(?=[^\n]{{{WIDEST + 1}}})([^\n]{{1,{WIDEST}}}) ")
_ASIDE = frozenset((
    "data_source", "source", "origin", "licence", "graded by", "grader", "round", "prompt digest", "from", "digest", "call",
    "review's parse",
))  # fmt: skip
"""Fields that a row in short goes without."""
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
    said += f" Lines of more than {WIDEST} characters are broken at spaces."
    room = (limit - len(said)) // len(chosen)
    return "\n\n".join((said, *(_row(at, len(rows), one, room) for at, one in chosen)))


def samples_table(rows: Sequence[SampleRow], most: int = 5) -> tuple[tuple[str, ...], list[tuple[str, ...]]]:
    """The same rows, a line each: head and lines. Where a row has long texts, its main fields are one cell and the text that tells
    most another; neither is cut."""
    chosen = [(f"{at + 1:,}", shown(rows[at])) for at in picked([stratum(row) for row in rows], most)]
    if any(one.texts for _, one in chosen):
        return ("row", "fields", "text"), [(at, _fields(one), _lead(one)) for at, one in chosen]
    head = ("row", *(name for name, _ in chosen[0][1].fields)) if chosen else ("row",)
    return head, [(at, *(value for _, value in one.fields)) for at, one in chosen]


def _fields(one: Shown) -> str:
    return "; ".join(f"{name} {value}" for name, value in one.fields if value and name not in _ASIDE)


def _lead(one: Shown) -> str:
    return f"{one.texts[one.lead].label}: {one.texts[one.lead].text}" if one.texts else ""


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
    return f"{label}{f', {count(left)} left out' if left else ''}:*\n\n{fenced(_broken(body))}"


def _broken(text: str) -> str:
    """With a line end in the place of some spaces, so that no byte is added."""
    return _TOO_WIDE.sub(r"\1\n", text)
