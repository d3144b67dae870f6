"""The asset `<study>/comparison`: a study's members side by side, each compared with the reference. One plot, one table.

Everything comes from the members' stored summaries; no cell is read. Two members are held at a time.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import dagster as dg

from resources.deployment import Deployment
from resources.pages import PageFault, write_page
from resources.parquet_store import Address, Parent, ParquetStore, StoredFile, StoreFault
from tmas_assets.assets.events import Metadata
from tmas_assets.assets.faults import permanent
from tmas_assets.assets.keys import comparison_key, experiment_key
from tmas_assets.assets.metadata import of_file
from tmas_assets.assets.summary import read_row, read_side, summarised_cells, summary_address
from tmas_assets.engine.cells import CellStore
from tmas_assets.engine.comparison import seed_of_pair
from tmas_assets.engine.seal import SEALED
from tmas_assets.engine.site.index import write_index
from tmas_assets.records import Member, Study, reference_of
from tmas_assets.reports.figures import curve_markdown
from tmas_assets.reports.paired_table import BASES
from tmas_assets.reports.standing import LeaderboardRow
from tmas_assets.reports.study import study_markdown, study_page, study_paired_markdown
from tmas_assets.reports.study_figures import study_png
from tmas_assets.reports.study_rows import MemberRow, StudyReport
from tmas_assets.statistics import PairedComparison, compare


@dataclass(frozen=True)
class MadeComparison:
    report: StudyReport
    file: StoredFile
    page: Path

    def made_from(self, member: Member) -> str | None:
        """Data version of the summary that was read of a member, None where there was none."""
        return self.file.parent(f"{member.experiment.name} summary")

    @property
    def left_out(self) -> tuple[str, ...]:
        """Members without a graded answer in a summary of their present settings."""
        return tuple(member.experiment for member in self.report.members if not _scored(member.standing))


def compare_members(deployment: Deployment, study: Study, members: Sequence[Member]) -> MadeComparison:
    """Read the summaries, compare, store the rows and write the page. Raises a `Failure` for what cannot be read or written."""
    store = deployment.store()
    first = reference_of(study, tuple(members))
    try:
        known = {member.label: summarised_cells(deployment, store, member.experiment) for member in members}
        cells = {label: own for label, own in known.items() if own is not None}
        standings = {label: read_row(store, cells[label]) if label in cells else None for label in known}
        reference = read_side(store, cells[first.label]) if _scored(standings[first.label]) else None
        rows = []
        for member in members:
            against: tuple[PairedComparison, ...] = ()
            if reference is not None and member is not first and _scored(standings[member.label]):
                seed = seed_of_pair(member.experiment.name, first.experiment.name)
                against = compare(read_side(store, cells[member.label]), reference, seed=seed, bases=BASES)
            rows.append(
                MemberRow(
                    label=member.label, experiment=member.experiment.name, variant=member.variant, points=member.points,
                    standing=standings[member.label], against=against,
                )
            )  # fmt: skip
        report = StudyReport(
            name=study.name, description=study.description, reference=first.label, each=study.each,
            axes=tuple(axis.called for axis in study.vary), members=tuple(rows),
        )  # fmt: skip
        made_from = [
            Parent(f"{row.experiment} summary", _version(store, cells[row.label]))
            for row in rows
            if row.standing is not None
        ]
        file = store.write(Address((study.name, "comparison"), ("whole",)), MemberRow, rows, made_from)
        page = write_page(Path(deployment.reports) / f"{study.name}.html", study_page(report))
        write_index(page.parent, store)
    except (StoreFault, PageFault) as fault:
        raise permanent(fault) from fault
    return MadeComparison(report, file, page)


def _version(store: ParquetStore, cells: CellStore) -> str:
    """Data version of a stored summary: its seal's digest; that of its scores where it was made before there were seals."""
    sealed = summary_address(cells, SEALED)
    return store.look(sealed if store.exists(sealed) else summary_address(cells, "scores")).digest


def _scored(row: LeaderboardRow | None) -> bool:
    return row is not None and row.score is not None and row.score.answers > 0


def comparison_metadata(made: MadeComparison) -> Metadata:
    png = study_png(made.report)
    curve = {"curve": dg.MetadataValue.md(curve_markdown(png, alt=f"Pass@1 of {made.report.name}"))} if png else {}
    return {
        **curve,
        "members": dg.MetadataValue.md(study_markdown(made.report)),
        "paired": dg.MetadataValue.md(study_paired_markdown(made.report)),
        "page": dg.MetadataValue.path(str(made.page)),
        **of_file(made.file),
    }


def comparison_asset(study: Study, members: Sequence[Member]) -> dg.AssetsDefinition:
    @dg.asset(
        key=comparison_key(study),
        deps=[experiment_key(member.experiment, "summary") for member in members],
        group_name=study.name,
        kinds={"parquet"},
        description=f"The members of {study.name} side by side: one plot, one table. {study.description}".strip(),
    )
    def comparison(context: dg.AssetExecutionContext, deployment: Deployment) -> dg.MaterializeResult[None]:
        made = compare_members(deployment, study, members)
        if made.left_out:
            context.log.info(f"left out, no graded answer under present settings: {', '.join(made.left_out)}")
        return dg.MaterializeResult(
            metadata=dict(comparison_metadata(made)), data_version=dg.DataVersion(made.file.digest)
        )

    return comparison
