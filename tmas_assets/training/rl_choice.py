"""Which candidate rows make a set: so many, balanced by source, difficulty and topic, each prompt once.

Pure. Leaves out how rows are made (`rl_rows.py`).
"""

from collections.abc import Iterable, Mapping, Sequence

from tmas_assets.curation.balance import Spread, Stratum, difficulty, spread
from tmas_assets.records import RlRow, RowSource, digest

LED, MISLED = "led to a right answer", "led to none"
"""Verdict classes of guideline rows: whether any answer of the round before, whose strategies the prompt shows, is right."""


def verdict_class(row: RlRow) -> str:
    return LED if row.extra_info.right_before else MISLED


def choose_rows(
    rows: Iterable[RlRow], source: RowSource, *, count: int, weights: Mapping[str, float], seed: int
) -> Spread[RlRow]:
    """`count` rows of the set, numbered, or all where there are fewer (the shortfall says so).

    Strata: problem source (by `weights`), difficulty, topic; for guidelines the verdict class before the difficulty, so that
    both are there in equal numbers as far as they can be. Of equal prompts the row of the first problem by id stands. The
    order is drawn by the seed. Raises ValueError for a row of another set, or a source without a weight.
    """
    found: dict[str, RlRow] = {}
    for row in sorted(rows, key=_place):
        if row.source != source:
            raise ValueError(f"a row of {row.source} ({row.extra_info.problem}) among those of {source}; choose each set by itself")
        found.setdefault(row.extra_info.prompt_digest, row)
    chosen = spread(
        tuple(found.values()), key=lambda row: row.extra_info.prompt_digest, strata=_stratum, weights=weights, count=count, seed=seed
    )
    return Spread(chosen=_numbered(chosen.chosen), shortfall=chosen.shortfall, by_stratum=chosen.by_stratum)


def union(sets: Iterable[Sequence[RlRow]], seed: int) -> tuple[RlRow, ...]:
    """All rows of the sets in one order drawn by the seed, numbered in it: what a training run is prompted with."""
    rows = [row for rows in sets for row in rows]
    return _numbered(sorted(rows, key=lambda row: (digest([seed, row.source, row.extra_info.prompt_digest]), _place(row))))


def _stratum(row: RlRow) -> Stratum:
    info = row.extra_info
    verdict = (verdict_class(row),) if row.source == "guideline" else ()
    return (info.origin, *verdict, difficulty(info.p_base), info.topic)


def _place(row: RlRow) -> tuple[str, str, int, int, int]:
    info = row.extra_info
    return (info.problem, info.teacher or "", info.repeat, info.iteration, info.candidate)


def _numbered(rows: Sequence[RlRow]) -> tuple[RlRow, ...]:
    return tuple(
        row.model_copy(update={"extra_info": row.extra_info.model_copy(update={"index": index})})
        for index, row in enumerate(rows)
    )
