"""How long the texts of a data set are: lengths by role or source, their quartiles, and a table of these.

Tokens are the server's counts where a record has them; RL prompts were never sent as they are, so theirs are estimated and
say so. Leaves out the drawing (`token_lengths.py`).
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from math import ceil
from typing import Any, NamedTuple

from tmas_assets.records import ROW_SOURCES, Conversation, Record, RlRow, TeamTrace
from tmas_assets.reports.markdown_parts import cell, table
from tmas_assets.reports.notation import ABSENT, count
from tmas_assets.statistics import role_order

CHARACTERS_A_TOKEN = 4
ESTIMATE = f"tokens, estimated as characters / {CHARACTERS_A_TOKEN}: nobody counted them"


class Lengths(NamedTuple):
    group: str
    values: tuple[int, ...]
    unknown: int = 0
    """Texts whose length the server did not say; in no figure."""


class LengthPanel(NamedTuple):
    """Lengths of one kind of text. `unit` is the label of the axis."""

    what: str
    unit: str
    groups: tuple[Lengths, ...]


class LengthRow(Record):
    """Lengths of one group in figures. Quantiles are lengths that occur (nearest rank); None where none is known."""

    what: str
    unit: str
    group: str
    counted: int
    unknown: int
    least: int | None
    median: int | None
    p90: int | None
    most: int | None
    total: int


def conversation_panels(rows: Iterable[Conversation]) -> tuple[LengthPanel, ...]:
    """Prompt and completion tokens by role, as the server counted them."""
    return _by_role((row.role, row.prompt_tokens, row.completion_tokens) for row in rows)


def trace_panels(traces: Iterable[TeamTrace]) -> tuple[LengthPanel, ...]:
    """Prompt and completion tokens of every turn by role, then all completion tokens of a trace by domain."""
    every = tuple(traces)
    turns = _by_role((turn.role, turn.prompt_tokens, turn.completion_tokens) for trace in every for turn in trace.turns)
    whole = ((trace.domain, _sum(turn.completion_tokens for turn in trace.turns)) for trace in every)
    return (*turns, LengthPanel("whole traces", "completion tokens of all turns", _grouped(whole, str)))


def prompt_panels(rows: Iterable[RlRow]) -> tuple[LengthPanel, ...]:
    """Estimated tokens of RL prompts by `_source`: characters of all messages / 4, rounded up."""
    characters = ((row.source, sum(len(message.content) for message in row.prompt)) for row in rows)
    groups = _grouped(((source, -(-number // CHARACTERS_A_TOKEN)) for source, number in characters), _row_source)
    return (LengthPanel("RL prompts", ESTIMATE, groups),)


def length_rows(panels: Iterable[LengthPanel]) -> tuple[LengthRow, ...]:
    return tuple(_figures(panel, group) for panel in panels for group in panel.groups)


def lengths_markdown(rows: Sequence[LengthRow]) -> str:
    if not rows:
        return "No text."
    head = ("text", "group", "texts", "least", "median", "90 %", "most", "all together", "unit")
    return table(head, [
        (
            cell(row.what), cell(row.group), count(row.counted) + (f" (+{count(row.unknown)} unknown)" if row.unknown else ""),
            *(ABSENT if one is None else count(one) for one in (row.least, row.median, row.p90, row.most)),
            ("≥ " if row.unknown else "") + count(row.total), cell(row.unit),
        )
        for row in rows
    ])  # fmt: skip


def ranked(ordered: Sequence[int], share: float) -> int:
    """The value at rank ceil(share * n) of ascending values."""
    return ordered[max(0, ceil(share * len(ordered)) - 1)]


def _by_role(texts: Iterable[tuple[str, int | None, int | None]]) -> tuple[LengthPanel, ...]:
    every = tuple(texts)
    return (
        LengthPanel("prompts", "prompt tokens", _grouped(((role, prompt) for role, prompt, _ in every), role_order)),
        LengthPanel("completions", "completion tokens", _grouped(((role, reply) for role, _, reply in every), role_order)),
    )


def _grouped(lengths: Iterable[tuple[str, int | None]], order: Callable[[str], Any]) -> tuple[Lengths, ...]:
    known: defaultdict[str, list[int]] = defaultdict(list)
    unknown: defaultdict[str, int] = defaultdict(int)
    for group, number in lengths:
        if number is None:
            unknown[group] += 1
            known[group] += ()
        else:
            known[group].append(number)
    return tuple(Lengths(group, tuple(known[group]), unknown[group]) for group in sorted(known, key=order))


def _row_source(source: str) -> int:
    return [str(one) for one in ROW_SOURCES].index(source)


def _sum(numbers: Iterable[int | None]) -> int | None:
    """None where one is unknown: a sum of the others would read as a short trace."""
    every = tuple(numbers)
    known = [number for number in every if number is not None]
    return sum(known) if len(known) == len(every) else None


def _figures(panel: LengthPanel, group: Lengths) -> LengthRow:
    ordered = sorted(group.values)
    return LengthRow(
        what=panel.what, unit=panel.unit, group=group.group, counted=len(ordered), unknown=group.unknown,
        least=ordered[0] if ordered else None, median=ranked(ordered, 0.5) if ordered else None,
        p90=ranked(ordered, 0.9) if ordered else None, most=ordered[-1] if ordered else None, total=sum(ordered),
    )  # fmt: skip
