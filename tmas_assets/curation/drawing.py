"""Which problems a step works on where it is told to take only so many: a choice spread over source, difficulty and topic."""

from collections.abc import Mapping, Sequence

from tmas_assets.curation.balance import difficulty, spread
from tmas_assets.records import PassRate, SourceProblem


def drawn(
    candidates: Sequence[SourceProblem],
    count: int | None,
    *,
    weights: Mapping[str, float],
    seed: int,
    rates: Mapping[str, PassRate] | None = None,
) -> tuple[SourceProblem, ...]:
    """`count` of them, in the order they came; all for None. `rates` by problem id, where they are known."""
    if count is None or count >= len(candidates):
        return tuple(candidates)

    def stratum(one: SourceProblem) -> tuple[str, ...]:
        rate = (rates or {}).get(one.problem.id)
        return (one.source, difficulty(rate.p if rate else None), one.topic)

    found = spread(candidates, key=lambda one: one.problem.id, strata=stratum, weights=weights, count=count, seed=seed)
    chosen = {one.problem.id for one in found.chosen}
    return tuple(one for one in candidates if one.problem.id in chosen)
