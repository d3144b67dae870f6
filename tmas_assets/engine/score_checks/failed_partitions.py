"""No partition of the experiment was left standing after its last run failed (HAZARDS G18).

What was never made is missing, not failed, and retired problems are shown as retired (G10). Leaves out asking Dagster:
`assets/standing_failures.py`.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from tmas_assets.records.finding import Finding, Measure, Offence, finding_of

PROMISE = "no_failed_partitions"
SAID = "No partition failed in its last run without having been made since."


@dataclass(frozen=True)
class FailedPartition:
    part: str
    """Last part of the asset's key, e.g. `memory_bank`."""
    partition: str
    run: str
    why: str
    retired: bool
    """Whether its problem is: nothing makes it any more, and nothing has to."""


@dataclass(frozen=True)
class FailedCampaign:
    """The last campaign, where it failed; Dagster lists no partition of it."""

    run: str
    why: str


def check_failed_partitions(
    name: str, failed: Sequence[FailedPartition], campaign: FailedCampaign | None, *, expected: int, missing: int
) -> Finding:
    """`expected` and `missing`: cells of the experiment `name`."""
    standing = [one for one in failed if not one.retired]
    offences = [Offence(id=f"{one.part} {one.partition}", what=f"run {one.run[:8]}: {one.why}") for one in standing]
    if campaign is not None and missing:
        offences.append(Offence(id=f"campaign {campaign.run[:8]}", what=f"{campaign.why} ({missing} of {expected} cells are missing)"))
    retired = [Offence(id=f"{one.part} {one.partition}", what="retired problem") for one in failed if one.retired]
    parts = ", ".join(f"{count} of {part}" for part, count in sorted(Counter(one.part for one in standing).items()))
    said = f"{len(standing)} partitions failed in their last run{f' ({parts})' if parts else ''}; {missing} of {expected} cells are not made"
    if retired:
        said += f"; {len(retired)} failed ones are of retired problems"
    return finding_of(
        PROMISE, said, expected, offences, cure=_cure(name, {one.part for one in standing}, campaign is not None), listed=retired,
        measures=[Measure(name="failed_partitions", value=len(standing)), Measure(name="cells_missing", value=missing)],
    )  # fmt: skip


def _cure(name: str, parts: set[str], campaign: bool) -> str:
    """By the assets that failed, since each is made by something else."""
    cures = []
    if parts - {"benchmark_scores"} or campaign:
        cures.append(
            f"`tmas run {name}` makes what is missing; or in the UI: {name}/memory_bank, Materialize, all partitions, "
            "and tick “Backfill only failed and missing partitions within selection”"
        )
    if "benchmark_scores" in parts:
        cures.append(f"`tmas regrade {name}` grades again what is there")
    return "; ".join(cures)
