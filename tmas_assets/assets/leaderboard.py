"""The asset `leaderboard`: the last score of every experiment, side by side."""

from collections.abc import Sequence

import dagster as dg

from resources.deployment import Deployment
from resources.pages import write_page
from resources.parquet_store import Address, MissingFile, Parent
from tmas_assets.assets.keys import LEADERBOARD, experiment_key
from tmas_assets.assets.metadata import of_file
from tmas_assets.assets.running import cells_of
from tmas_assets.assets.summary import read_summary
from tmas_assets.records import Experiment, Score
from tmas_assets.reports.leaderboard import LeaderboardRow, leaderboard_markdown, leaderboard_page, leaderboard_row


def leaderboard_asset(experiments: Sequence[Experiment]) -> dg.AssetsDefinition:
    @dg.asset(
        key=LEADERBOARD,
        deps=[experiment_key(experiment, "summary") for experiment in experiments],
        group_name="comparison",
        kinds={"parquet"},
        description="Last Pass@1 of every experiment with interval, answers and tokens.",
    )
    def leaderboard(context: dg.AssetExecutionContext, deployment: Deployment) -> dg.MaterializeResult:
        store = deployment.store()
        rows: list[LeaderboardRow] = []
        last: list[Score] = []
        for experiment in experiments:
            try:
                scores, tokens = read_summary(store, cells_of(deployment, experiment))
            except MissingFile:
                context.log.info(f"{experiment.name}: no summary under its present settings yet, left out")
                continue
            if scores:
                rows.append(leaderboard_row(experiment, scores, tokens))
                last.append(scores[-1])
        made_from = [Parent(f"{score.experiment} grades", score.grades_digest) for score in last]
        file = store.write(Address(("leaderboard",), ("whole",)), Score, last, made_from)
        page = write_page(deployment.reports / "leaderboard.html", leaderboard_page(rows))
        return dg.MaterializeResult(
            metadata={
                **of_file(file),
                "table": dg.MetadataValue.md(leaderboard_markdown(rows)),
                "page": dg.MetadataValue.url(page.as_uri()),
            },
            data_version=dg.DataVersion(file.digest),
        )

    return leaderboard
