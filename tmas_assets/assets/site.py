"""The report site: an experiment's pages after each summary, and the asset `report_site`, which keeps the index of all.

Pages lie under TMAS_REPORTS and need no server. Leaves out the pages that other assets write: they are listed once they are there.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import dagster as dg

from partitions.keys import problem_key
from resources.deployment import Deployment
from resources.pages import PageFault, write_page
from resources.parquet_store import StoreFault
from tmas_assets.assets.faults import permanent
from tmas_assets.assets.keys import LEADERBOARD, experiment_key
from tmas_assets.engine.cells import CellStore
from tmas_assets.engine.site.cell_pages import write_cell_pages
from tmas_assets.engine.site.index import keep_row, remove_unstated, write_index
from tmas_assets.records import Experiment, Problem, SealedFile, digest_bytes
from tmas_assets.reports.experiment_page import experiment_page
from tmas_assets.reports.experiment_report import ExperimentReport
from tmas_assets.reports.site.links import problem_folder
from tmas_assets.reports.standing import leaderboard_row

SITE = dg.AssetKey("report_site")


@dataclass(frozen=True)
class MadeSite:
    index: Path
    version: str
    """Digest of the index."""
    pages: int
    """Files under the site, the index among them."""
    removed: tuple[str, ...]
    """Experiments whose pages were taken away."""


def write_experiment_pages(
    deployment: Deployment, cells: CellStore, problems: Sequence[Problem], files: Sequence[SealedFile], made: ExperimentReport
) -> Path:
    """The pages of problems and iterations whose cells changed, then the experiment's, then the index: in an order in which no link
    leads nowhere for long. `files`: of its whole cells. The experiment's page. Raises PageFault, StoreFault."""
    top = Path(deployment.reports)
    write_cell_pages(top, cells, problems, files)
    there = {file.partition.partition("/")[2] for file in files}
    keys = {problem.id: problem_key(problem.id) for problem in problems}
    folders = {id_: problem_folder(made.name, key) for id_, key in keys.items() if key in there}
    page = write_page(top / f"{made.name}.html", experiment_page(made, folders))
    keep_row(cells.store, leaderboard_row(made))
    write_index(top, cells.store)
    return page


def make_site(deployment: Deployment, experiments: Sequence[Experiment]) -> MadeSite:
    """Take away the pages of experiments that are stated no more and write the index. Raises a `Failure`."""
    top = Path(deployment.reports)
    try:
        removed = remove_unstated(top, {experiment.name for experiment in experiments})
        index = write_index(top, deployment.store())
    except (PageFault, StoreFault) as fault:
        raise permanent(fault) from fault
    return MadeSite(index, digest_bytes(index.read_bytes()), sum(1 for _ in top.rglob("*.html")), removed)


def site_asset(experiments: Sequence[Experiment]) -> dg.AssetsDefinition:
    """`experiments`: all that are stated; pages of any other are taken away."""

    @dg.asset(
        key=SITE,
        deps=[LEADERBOARD, *(experiment_key(experiment, "summary") for experiment in experiments)],
        group_name="comparison",
        kinds={"html"},
        description="The static pages under TMAS_REPORTS with their index: every experiment, problem and iteration, read without a server.",
    )
    def report_site(context: dg.AssetExecutionContext, deployment: Deployment) -> dg.MaterializeResult[None]:
        made = make_site(deployment, experiments)
        if made.removed:
            context.log.info(f"pages taken away, no longer stated: {', '.join(made.removed)}")
        return dg.MaterializeResult(
            metadata={
                # a path and not a link: browsers do not follow file:// from a page that a server sent
                "index": dg.MetadataValue.path(str(made.index)),
                "pages": dg.MetadataValue.int(made.pages),
            },
            data_version=dg.DataVersion(made.version),
        )

    return report_site
