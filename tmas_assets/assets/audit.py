"""The asset `lineage_audit`: the last score of every experiment walked back to everything it was made from, with a check that fails where
anything is not what it was.

Leaves out the walk (`engine/audit/`). Nothing but a person or the schedule starts it, since it reads every byte.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import dagster as dg

from resources.calls.call_log import CallLogError
from resources.deployment import Deployment
from resources.pages import PageFault, write_page
from resources.parquet_store import Address, Parent, StoredFile, StoreFault
from tmas_assets.assets.events import Metadata
from tmas_assets.assets.faults import permanent
from tmas_assets.assets.keys import experiment_key
from tmas_assets.assets.metadata import LONGEST_TABLE, of_file, text_table
from tmas_assets.assets.summary_events import sealed_in_event
from tmas_assets.engine.audit.chain import Stated
from tmas_assets.engine.audit.sealed import score_of
from tmas_assets.engine.audit.walk import audit
from tmas_assets.engine.seal import SUMMARY, sealed_partitions
from tmas_assets.engine.site.index import write_index
from tmas_assets.records import STANDINGS, Audit, AuditNode, Experiment, digest, worst
from tmas_assets.reports.audit_page import audit_page, audit_rows, offences

LINEAGE_AUDIT = dg.AssetKey("lineage_audit")
INTACT = "intact"


@dataclass(frozen=True)
class MadeAudit:
    audits: tuple[Audit, ...]
    file: StoredFile
    page: Path


def make_audit(deployment: Deployment, instance: dg.DagsterInstance, experiments: Sequence[Experiment], stated: Stated) -> MadeAudit:
    """Audit the last score of each, one after the other, store the rows, write the page. Raises a `Failure` for a call log or store that
    cannot be opened."""
    store = deployment.store()
    audits: list[Audit] = []
    try:
        for experiment in experiments:
            if any(True for _ in sealed_partitions(store, experiment.name)):
                name = score_of(store, experiment.name, ())
                audits.append(audit(deployment, name, stated, sealed_in_event(instance, name.experiment, name.variant)))
        made_from = [Parent(one.score, digest([node.digest or "" for node in one.nodes])) for one in audits]
        file = store.write(Address(("lineage_audit",), ("whole",)), AuditNode, [node for one in audits for node in one.nodes], made_from)
        page = write_page(Path(deployment.reports) / "audit.html", audit_page(audits))
        write_index(Path(deployment.reports), store)
    except (StoreFault, PageFault, CallLogError) as fault:
        raise permanent(fault) from fault
    return MadeAudit(tuple(audits), file, page)


def audit_metadata(made: MadeAudit) -> Metadata:
    found = offences(made.audits)
    return {
        "standing": dg.MetadataValue.text(worst([one.standing for one in made.audits])),
        "scores": text_table(("score", "standing", *STANDINGS), audit_rows(made.audits)),
        **({"not_intact": text_table(("score", "part", "what"), found[:LONGEST_TABLE], of=len(found))} if found else {}),
        "page": dg.MetadataValue.path(str(made.page)),
        **of_file(made.file),
    }


def intact_check(made: MadeAudit) -> dg.AssetCheckResult:
    """Fails with the first parts that are missing or changed."""
    found = offences(made.audits)
    what = [f"{score}: {part} {said}" for score, part, said in found[:5]]
    said = f"{len(made.audits)} scores audited, nothing is missing or changed" if not found else f"{len(found)} parts are not what they were. {'; '.join(what)}"
    return dg.AssetCheckResult(
        check_name=INTACT, asset_key=LINEAGE_AUDIT, passed=not found, severity=dg.AssetCheckSeverity.ERROR, description=said,
        metadata={"parts": text_table(("score", "part", "what"), found[:LONGEST_TABLE], of=len(found))} if found else {},
    )  # fmt: skip


def audit_asset(experiments: Sequence[Experiment], stated: Stated) -> dg.AssetsDefinition:
    """`stated`: what the location's files state."""

    @dg.asset(
        key=LINEAGE_AUDIT,
        deps=[experiment_key(experiment, SUMMARY) for experiment in experiments],
        group_name="comparison",
        kinds={"parquet"},
        check_specs=[dg.AssetCheckSpec(INTACT, asset=LINEAGE_AUDIT, description="Every score's chain is byte for byte what it was made from.")],
        description="Every score walked back to grades, rounds, calls, models, training data and releases; each digest computed again from the bytes.",
    )
    def lineage_audit(context: dg.AssetExecutionContext, deployment: Deployment) -> Iterator[dg.MaterializeResult[None]]:
        made = make_audit(deployment, context.instance, experiments, stated)
        yield dg.MaterializeResult(metadata=dict(audit_metadata(made)), data_version=dg.DataVersion(made.file.digest), check_results=[intact_check(made)])

    return lineage_audit


def audit_schedule() -> dg.ScheduleDefinition:
    """Once a week, switched off until a person switches it on. Its job makes the asset and its check."""
    return dg.ScheduleDefinition(
        name="lineage_audit_weekly",
        job=dg.define_asset_job("lineage_audit_job", dg.AssetSelection.assets(LINEAGE_AUDIT), description="The audit of every score."),
        cron_schedule="0 5 * * 0",
        execution_timezone="UTC",
        default_status=dg.DefaultScheduleStatus.STOPPED,
        description="Audits the last score of every experiment. It asks no model; it reads all that the scores were made from.",
    )
