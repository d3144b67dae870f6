"""Which problems are neither always nor never solved: a band of pass rates. Leaves out measuring them."""

from collections.abc import Mapping, Sequence

from tmas_assets.curation.screened import Screened, dropped
from tmas_assets.records import Dropped, PassRate, PassRates, SourceProblem


def in_band(candidates: Sequence[SourceProblem], rates: Mapping[str, PassRate], settings: PassRates) -> Screened:
    """Those with `above` < p < `below`; `rates` by problem id. A problem without one was not measured."""
    kept: list[SourceProblem] = []
    out: list[Dropped] = []
    for candidate in candidates:
        rate = rates.get(candidate.problem.id)
        reason = _reason(rate, settings)
        if reason is None:
            kept.append(candidate)
        else:
            out.append(dropped(candidate, reason, _detail(rate)))
    return Screened(tuple(kept), tuple(out))


def _reason(rate: PassRate | None, settings: PassRates) -> str | None:
    if rate is None:
        return "not measured"
    if rate.p is None:
        return "no graded sample"
    if rate.p <= settings.above:
        return "never solved" if rate.p == 0 else "too hard"
    if rate.p >= settings.below:
        return "always solved" if rate.p == 1 else "too easy"
    return None


def _detail(rate: PassRate | None) -> str:
    if rate is None:
        return "the budget was reached before its samples, or it was not drawn"
    ungraded = f", {rate.ungraded} not graded" if rate.ungraded else ""
    return f"{rate.right} of {rate.samples} right{ungraded}"
