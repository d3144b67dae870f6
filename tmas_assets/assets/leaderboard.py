"""The asset `leaderboard`: the last score of every experiment, side by side by benchmark release."""

from collections.abc import Sequence
from pathlib import Path

import dagster as dg

from resources.deployment import Deployment
from resources.pages import PageFault, write_page
from resources.parquet_store import Address, Parent, StoreFault
from tmas_assets.assets.keys import LEADERBOARD, experiment_key
from tmas_assets.assets.metadata import of_file
from tmas_assets.assets.running import cells_of, permanent
from tmas_assets.assets.summary import read_row
from tmas_assets.records import Experiment
from tmas_assets.reports.leaderboard import LeaderboardRow, leaderboard, leaderboard_markdown, leaderboard_page


def leaderboard_asset(experiments: Sequence[Experiment]) -> dg.AssetsDefinition:
    @dg.asset(
        key=LEADERBOARD,
        deps=[experiment_key(experiment, "summary") for experiment in experiments],
        group_name="comparison",
        kinds={"parquet"},
        description="Last Pass@1 of every experiment with interval, answers and tokens.",
    )
    def leaderboard_of_all(context: dg.AssetExecutionContext, deployment: Deployment) -> dg.MaterializeResult[None]:
        try:
            return _made(context, deployment)
        except (StoreFault, PageFault) as fault:
            raise permanent(fault) from fault

    def _made(context: dg.AssetExecutionContext, deployment: Deployment) -> dg.MaterializeResult[None]:
        store = deployment.store()
        found = {one.name: read_row(store, cells_of(deployment, one)) for one in experiments}
        if left_out := [name for name, row in found.items() if row is None]:
            context.log.info(f"left out, no summary under present settings: {', '.join(left_out)}")
        rows = [row for row in found.values() if row is not None]
        made_from = [Parent(f"{row.experiment} grades", row.score.grades_digest) for row in rows if row.score]
        file = store.write(Address(("leaderboard",), ("whole",)), LeaderboardRow, rows, made_from)
        tables = leaderboard(rows)
        page = write_page(Path(deployment.reports) / "leaderboard.html", leaderboard_page(tables))
        return dg.MaterializeResult(
            metadata={
                "table": dg.MetadataValue.md(leaderboard_markdown(tables)),
                "page": dg.MetadataValue.path(str(page)),
                **of_file(file),
            },
            data_version=dg.DataVersion(file.digest),
        )

    return leaderboard_of_all
