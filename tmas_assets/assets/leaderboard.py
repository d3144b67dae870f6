"""The asset `leaderboard`: the last score of every experiment, side by side by benchmark release, and paired: by
model, and model against model where nothing else differs.

Rows, curves and what is paired come from the stored summaries; no cell is read. Two experiments are held at a time.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import dagster as dg

from resources.deployment import Deployment
from resources.pages import PageFault, write_page
from resources.parquet_store import Address, Parent, ParquetStore, StoredFile, StoreFault
from tmas_assets.assets.events import Metadata
from tmas_assets.assets.faults import permanent
from tmas_assets.assets.keys import LEADERBOARD, experiment_key
from tmas_assets.assets.metadata import of_file
from tmas_assets.assets.summary import read_row, read_side, summarised_cells
from tmas_assets.engine.cells import CellStore
from tmas_assets.engine.comparison import but_for_models, seed_of_pair
from tmas_assets.engine.site.index import write_index
from tmas_assets.records import Experiment
from tmas_assets.reports.figures import curve_markdown
from tmas_assets.reports.leaderboard import (
    LeaderboardTable,
    leaderboard,
    leaderboard_markdown,
    leaderboard_page,
    rivals,
)
from tmas_assets.reports.paired_table import BASES, PairedTable, paired_table
from tmas_assets.reports.standing import LeaderboardRow
from tmas_assets.reports.token_curves import has_curves, token_curves_png
from tmas_assets.statistics import PairedComparison, compare


@dataclass(frozen=True)
class MadeLeaderboard:
    tables: tuple[LeaderboardTable, ...]
    left_out: tuple[str, ...]
    """Experiments without a summary under their present settings."""
    file: StoredFile
    page: Path


def make_leaderboard(deployment: Deployment, experiments: Sequence[Experiment]) -> MadeLeaderboard:
    """Read the summaries, pair, store the rows and write the page. Raises a `Failure` for what cannot be read or written."""
    store = deployment.store()
    try:
        known = {one.name: summarised_cells(deployment, store, one) for one in experiments}
        cells = {name: own for name, own in known.items() if own is not None}
        found = {name: read_row(store, own) for name, own in cells.items()}
        rows = [row for row in found.values() if row is not None]
        made_from = [Parent(f"{row.experiment} grades", row.score.grades_digest) for row in rows if row.score]
        file = store.write(Address(("leaderboard",), ("whole",)), LeaderboardRow, rows, made_from)
        alike = {name: but_for_models(own.experiment) for name, own in cells.items()}
        tables, comparisons = [], []
        for table in leaderboard(rows):
            paired = [_against_the_first(store, cells, own) for own in rivals(table, alike)]
            comparisons += [one for _, own in paired for one in own]
            tables.append(table.model_copy(update={"paired": tuple(shown for shown, _ in paired)}))
        store.write(Address(("leaderboard",), ("paired",)), PairedComparison, comparisons, made_from)
        page = write_page(Path(deployment.reports) / "leaderboard.html", leaderboard_page(tables))
        write_index(page.parent, store)
    except (StoreFault, PageFault) as fault:
        raise permanent(fault) from fault
    left_out = tuple(name for name in known if found.get(name) is None)
    return MadeLeaderboard(tuple(tables), left_out, file, page)


def _against_the_first(
    store: ParquetStore, cells: Mapping[str, CellStore], rows: Sequence[LeaderboardRow]
) -> tuple[PairedTable, list[PairedComparison]]:
    """`rows`: as `rivals` gives them."""
    first, *others = (row.experiment for row in rows)
    reference = read_side(store, cells[first])
    found = {
        other: compare(read_side(store, cells[other]), reference, seed=seed_of_pair(other, first), bases=BASES)
        for other in others
    }
    return paired_table(first, found), [one for comparisons in found.values() for one in comparisons]


def leaderboard_metadata(made: MadeLeaderboard) -> Metadata:
    curves = {
        f"curve {table.benchmark} {table.release}": dg.MetadataValue.md(curve_markdown(
            token_curves_png(table.rows, f"{table.benchmark} {table.release}"), alt="Pass@1 against tokens"
        ))
        for table in made.tables if has_curves(table.rows)
    }  # fmt: skip
    return {
        "table": dg.MetadataValue.md(leaderboard_markdown(made.tables)),
        **curves,
        "page": dg.MetadataValue.path(str(made.page)),
        **of_file(made.file),
    }


def leaderboard_asset(experiments: Sequence[Experiment]) -> dg.AssetsDefinition:
    @dg.asset(
        key=LEADERBOARD,
        deps=[experiment_key(experiment, "summary") for experiment in experiments],
        group_name="comparison",
        kinds={"parquet"},
        description="Last Pass@1 of every experiment with interval, calls and tokens; paired at equal iterations, calls and tokens.",
    )
    def leaderboard_of_all(context: dg.AssetExecutionContext, deployment: Deployment) -> dg.MaterializeResult[None]:
        made = make_leaderboard(deployment, experiments)
        if made.left_out:
            context.log.info(f"left out, no summary under present settings: {', '.join(made.left_out)}")
        return dg.MaterializeResult(
            metadata=dict(leaderboard_metadata(made)), data_version=dg.DataVersion(made.file.digest)
        )

    return leaderboard_of_all
