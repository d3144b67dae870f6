"""What each step of a data set let through and dropped: the counts as a table, and a sample of what was dropped.

Leaves out the counting (`tmas_assets.curation.counted`).
"""

from collections.abc import Sequence
from itertools import zip_longest

from tmas_assets.records import Dropped, StepCount
from tmas_assets.reports.markdown_parts import cell, table
from tmas_assets.reports.notation import ABSENT, count, percent

MOST_REASONS = 12
"""Reasons named a step, the most frequent first; the others are counted."""


def counts_markdown(counts: Sequence[StepCount]) -> str:
    """A line a step, in the order of `counts`: rows in, rows out, dropped, by reason."""
    if not counts:
        return "No step has been counted yet."
    steps = dict.fromkeys(one.step for one in counts)
    return table(("step", "came", "kept", "dropped", "kept, %", "why dropped"), [_line(step, counts) for step in steps])


def _line(step: str, counts: Sequence[StepCount]) -> tuple[str, ...]:
    whole = next((one for one in counts if one.step == step and one.reason is None), None)
    why = cell(reasons_text(step, counts), 1200)
    if whole is None:
        return (cell(step), *[ABSENT] * 4, why)
    share = percent(whole.kept / whole.came, 1) if whole.came else ABSENT
    return (cell(step), count(whole.came), count(whole.kept), count(whole.dropped), share, why)


def reasons_text(step: str, counts: Sequence[StepCount]) -> str:
    """`near-duplicate 12, no gold 3`; says so where the reasons do not add up to what was dropped."""
    reasons = [(one.reason, one.dropped) for one in counts if one.step == step and one.reason is not None]
    reasons.sort(key=lambda reason: (-reason[1], reason[0]))
    rest = reasons[MOST_REASONS:]
    said = [f"{reason} {count(number)}" for reason, number in reasons[:MOST_REASONS]]
    said += [f"{len(rest)} more reasons {count(sum(number for _, number in rest))}"] if rest else []
    named = sum(number for _, number in reasons)
    total = sum(one.dropped for one in counts if one.step == step and one.reason is None)
    said += [f"reasons are known of {count(named)} of {count(total)}"] if named != total else []
    return ", ".join(said)


def dropped_markdown(dropped: Sequence[Dropped], most: int = 5) -> str:
    """At most `most` of what was dropped, by `spread`."""
    if not dropped:
        return "Nothing was dropped."
    shown = spread(dropped, most)
    rows = [(cell(one.problem), cell(one.reason), cell(one.detail), cell(one.statement)) for one in shown]
    said = f"{count(len(shown))} of {count(len(dropped))} dropped."
    return f"{said}\n\n{table(('problem', 'reason', 'what was found', 'statement'), rows)}"


def spread(dropped: Sequence[Dropped], most: int) -> list[Dropped]:
    """At most `most` of what was dropped: from every reason in turn, the most frequent first, spread over each."""
    by_reason: dict[str, list[Dropped]] = {}
    for one in dropped:
        by_reason.setdefault(one.reason, []).append(one)
    groups = [by_reason[reason] for reason in sorted(by_reason, key=lambda reason: (-len(by_reason[reason]), reason))]
    turns = zip_longest(*([at] * min(len(group), most) for at, group in enumerate(groups)))
    order = [at for turn in turns for at in turn if at is not None][:most]
    picked = [[group[i] for i in evenly(len(group), order.count(at))] for at, group in enumerate(groups)]
    return [one for group in picked for one in group]


def evenly(length: int, most: int) -> tuple[int, ...]:
    """Places of at most `most` of `length` things: the first, the last, and as evenly as can be between."""
    most = min(length, most)
    if most <= 1:
        return (0,) * most
    return tuple((2 * i * (length - 1) + most - 1) // (2 * (most - 1)) for i in range(most))
