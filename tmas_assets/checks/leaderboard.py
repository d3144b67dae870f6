"""The promises of the leaderboard as Dagster's asset checks: each row is its experiment's summary of now, of a checkpoint that is there.

They compare stored rows; no cell is read. Leaves out the scores themselves (`checks/summaries.py`).
"""

from collections.abc import Iterator, Mapping, Sequence

import dagster as dg

from resources.deployment import Deployment
from resources.parquet_store import Address
from tmas_assets.assets.evaluations import result
from tmas_assets.assets.faults import PERMANENT, permanent
from tmas_assets.assets.keys import LEADERBOARD
from tmas_assets.assets.summary import read_row, summarised_cells
from tmas_assets.records import Experiment
from tmas_assets.records.finding import Finding, Offence, finding_of
from tmas_assets.reports.standing import LeaderboardRow

CURRENT, THERE = "rows_current", "checkpoints_there"
_PROMISES = {
    CURRENT: "Every row is the summary that its experiment has now, and no summary is without a row.",
    THERE: "Every experiment that was summed up is of a model that is still there; others are retired, and named.",
}
_CURE = "Materialize leaderboard, or `tmas leaderboard`"


def leaderboard_checks(experiments: Sequence[Experiment]) -> dg.AssetChecksDefinition:
    @dg.multi_asset_check(
        name="check_leaderboard",
        specs=[dg.AssetCheckSpec(name, asset=LEADERBOARD, description=said) for name, said in _PROMISES.items()],
        description="The promises of the leaderboard.",
        can_subset=True,
    )
    def checks(context: dg.AssetCheckExecutionContext, deployment: Deployment) -> Iterator[dg.AssetCheckResult]:
        for finding in findings(deployment, experiments):
            if dg.AssetCheckKey(LEADERBOARD, finding.promise) in context.selected_asset_check_keys:
                yield result(finding, LEADERBOARD)

    return checks


def findings(deployment: Deployment, experiments: Sequence[Experiment]) -> Iterator[Finding]:
    """What both checks find. Raises a `Failure` for what cannot be read, or where there is no leaderboard yet."""
    store = deployment.store()
    try:
        shown = {row.experiment: row for row in store.read(Address(("leaderboard",), ("whole",)), LeaderboardRow)}
        summed = [one for one in experiments if next(store.partitions((one.name, "summary")), None) is not None]
        cells = {one.name: summarised_cells(deployment, store, one) for one in summed}
        now = {name: read_row(store, own) for name, own in cells.items() if own is not None}
    except PERMANENT as fault:
        raise permanent(fault) from fault
    retired = [name for name, own in cells.items() if own is None]
    yield check_rows(shown, now, retired)
    offences = [Offence(id=name, what="retired: its checkpoint is gone, its score is kept and has no row") for name in retired]
    yield finding_of(
        THERE, f"{len(now)} of {len(cells)} experiments are of a model that is there", len(cells), offences, severity="warn",
        cure="`tmas train NAME` makes the checkpoint again; or name another one in the experiment's file",
    )  # fmt: skip


def check_rows(shown: Mapping[str, LeaderboardRow], now: Mapping[str, LeaderboardRow | None], retired: Sequence[str]) -> Finding:
    """`now`: the row of each experiment's summary, None where its present settings have none."""
    offences = [
        Offence(id=name, what=_what(shown.get(name), now.get(name), name in retired))
        for name in sorted({*shown, *now})
        if shown.get(name) != now.get(name)
    ]
    return finding_of(CURRENT, f"{len(shown)} rows, {sum(row is not None for row in now.values())} summaries", len(shown), offences, severity="warn", cure=_CURE)


def _what(shown: LeaderboardRow | None, now: LeaderboardRow | None, retired: bool) -> str:
    if shown is None:
        return "has a summary and no row"
    if now is None:
        return "has a row of a retired checkpoint" if retired else "has a row and no summary under its present settings"
    if shown.score and now.score and shown.score.grades_digest != now.score.grades_digest:
        return f"its row is of the grades {shown.score.grades_digest[:12]}, its summary of {now.score.grades_digest[:12]}"
    return "its row differs from its summary"
