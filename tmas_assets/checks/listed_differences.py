"""Differences to the release before and to the table before are listed; a gold that changed under one name is a warning.

Between two releases golds may change, that is what a release is for. Under one release label they may not: scores made
before and after do not belong together.
"""

from collections import Counter
from collections.abc import Sequence

from tmas_assets.benchmarks import ProblemChange
from tmas_assets.records.finding import Finding, Offence

PROMISE = "difference_listed"


def check_listed_differences(
    looked_at: int,
    since_last: Sequence[ProblemChange],
    since_release: Sequence[ProblemChange] | None,
    previous: str,
) -> Finding:
    """`since_last`: changes since the last table that was another one. `since_release`: since the previous release,
    None where there is none or it could not be had; `previous` names it or says why."""
    golds = [change for change in since_last if "gold" in change.fields]
    said = f"since the last different table: {_counts(since_last)}"
    said += f"; since release {previous}: {_counts(since_release)}" if since_release is not None else f"; {previous}"
    return Finding(
        promise=PROMISE,
        passed=not golds,
        severity="warn",
        said=said,
        looked_at=looked_at,
        offences=tuple(_offence(change, "table") for change in golds),
        listed=(
            *(_offence(change, "table") for change in since_last if change not in golds),
            *(_offence(change, f"release {previous}") for change in since_release or ()),
        ),
    )


def _counts(changes: Sequence[ProblemChange]) -> str:
    counts = Counter(" and ".join(change.fields) or change.kind for change in changes)
    return ", ".join(f"{count} {kind}" for kind, count in sorted(counts.items())) or "no difference"


def _offence(change: ProblemChange, since: str) -> Offence:
    golds = f": {change.gold_before!r:.80} is now {change.gold_after!r:.80}" if "gold" in change.fields else ""
    return Offence(id=change.id, what=f"{' and '.join(change.fields) or change.kind} since the {since} before{golds}")
