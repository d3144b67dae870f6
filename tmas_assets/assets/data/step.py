"""One step of a data set as an asset: what it is given, how its faults end, what the UI shows of it.

A step reads the files of earlier steps from the store, so any of them can be materialized alone; what was made of other files
or settings than there are now is refused (`plan.py`). Leaves out what steps do.
"""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import dagster as dg

from resources.deployment import Deployment
from resources.pages import PageFault
from tmas_assets.assets.data.plan import Plan
from tmas_assets.assets.events import Metadata
from tmas_assets.assets.faults import PERMANENT, permanent
from tmas_assets.assets.metadata import LONGEST_TABLE, of_file, text_table
from tmas_assets.benchmarks import BenchmarkError
from tmas_assets.engine.building.derived import DataSet
from tmas_assets.engine.building.steps import Made, Steps
from tmas_assets.records import Dropped, StepCount
from tmas_assets.reports.data_counts import spread
from tmas_assets.reports.data_sample_rows import SampleRow
from tmas_assets.reports.data_samples import samples_markdown, samples_table
from tmas_assets.strategies import StrategyFault
from tmas_assets.training.role_conversations import MissingCall
from tmas_assets.training.team_traces import TraceFault


class NothingLeft(RuntimeError):
    """A step would keep no problem at all. What it held before stands, since nothing could be made of nothing."""


_FAULTS = (*PERMANENT, PageFault, BenchmarkError, StrategyFault, TraceFault, MissingCall, NothingLeft)

_FOLDED = 1000
"""Characters from which on the Dagster UI shows Markdown only after a click."""
_LONGEST_SAMPLE = 400
"""Characters of a cell of a row in short."""


@dataclass(frozen=True)
class Building:
    """What a step's work is given."""

    deployment: Deployment
    steps: Steps
    run: str
    """Spreads the retries of concurrent runs."""
    log: Callable[[str], None]
    """Into the run's log, as a warning."""


@dataclass(frozen=True)
class Done:
    """What a step made."""

    made: Made
    rows: Sequence[SampleRow]
    """Of which the UI shows five."""
    metadata: Metadata = field(default_factory=dict)


Work = Callable[[Building], Done]


def refuse_nothing(building: Building, step: str, kept: Sequence[object], dropped: Sequence[Dropped]) -> None:
    """To be asked before the step is stored. Raises NothingLeft with the reasons and an example of the most frequent one."""
    if kept:
        return
    name = f"{building.steps.name}/{step}"
    if not dropped:
        raise NothingLeft(f"{name}: the sources have no problem; look into their files and settings")
    reasons = Counter(one.reason for one in dropped).most_common()
    first = next(one for one in dropped if one.reason == reasons[0][0])
    raise NothingLeft(
        f"{name}: none of {len(dropped)} problems is left: {', '.join(f'{reason} {count}' for reason, count in reasons)}; e.g. "
        f"{first.problem}: {first.detail}. What the step held before stands. Mend the sources or the settings."
    )


def step_key(name: str, step: str) -> dg.AssetKey:
    return dg.AssetKey([name, step])


def step_asset(
    data: DataSet, plan: Plan, step: str, work: Work, description: str, *, kinds: Sequence[str] = (), pool: str | None = None,
    models: Sequence[dg.AssetDep] = (),
) -> dg.AssetsDefinition:
    """`plan`: of the set (`plan_of`); `models`: checkpoints that the step asks."""

    @dg.asset(
        key=step_key(data.name, step),
        deps=[*(step_key(data.name, earlier) for earlier in plan[step].after), *models],
        group_name=data.name,
        kinds={"parquet", *kinds},
        code_version=plan[step].settings,
        description=description,
        pool=pool,
    )
    def made(context: dg.AssetExecutionContext, deployment: Deployment) -> dg.MaterializeResult[None]:
        building = Building(deployment, Steps(deployment.store(), data.name, plan), context.run.run_id, context.log.warning)
        try:
            done = work(building)
        except _FAULTS as fault:
            raise permanent(fault) from fault
        if done.made.partial:
            context.log.warning(f"partial: {done.made.partial}")
        return dg.MaterializeResult(
            metadata=dict(shown(done)), data_version=dg.DataVersion(done.made.rows.digest)
        )

    return made


def shown(done: Done) -> Metadata:
    """Rows, counts by reason, a sample of what was dropped, and five rendered rows."""
    made = done.made
    dropped = text_table(
        ("problem", "reason", "found", "statement"),
        [(one.problem, one.reason, one.detail, one.statement) for one in spread(made.dropped, LONGEST_TABLE)],
        of=len(made.dropped),
    )
    return {
        "rows": dg.MetadataValue.int(made.rows.rows),
        "counts": counts_table(made.counts),
        **samples(done),
        **({"partial": dg.MetadataValue.text(made.partial)} if made.partial else {}),
        **done.metadata,
        **({"dropped": dropped} if made.dropped else {}),
        **of_file(made.rows),
    }


def samples(done: Done) -> Metadata:
    """Five rows as Markdown, and in short as a table where the UI folds that away. A card is its own row, and shows itself."""
    if not done.rows and done.made.rows.rows:
        return {}
    whole = samples_markdown(done.rows)
    short = {"sample": text_table(*samples_table(done.rows), longest=_LONGEST_SAMPLE)} if len(whole) >= _FOLDED else {}
    return {**short, "sample_rows": dg.MetadataValue.md(whole)}


def counts_table(counts: Sequence[StepCount]) -> dg.TableMetadataValue:
    return text_table(
        ("step", "came", "kept", "dropped", "reason"),
        [
            (one.step, str(one.came), str(one.kept), str(one.dropped), one.reason or "in all") if one.reason is None
            else ("", "", "", str(one.dropped), one.reason)
            for one in counts
        ],
    )  # fmt: skip
