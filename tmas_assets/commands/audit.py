"""`tmas audit SCORE`: one score walked back to everything it was made from, as a tree, as JSON, or as W3C PROV."""

from pathlib import Path

import dagster as dg
from rich.console import Console

from resources.calls.call_log import CallLogError
from resources.parquet_store import StoreFault
from resources.prov_export import write_prov
from tmas_assets.assets.summary_events import sealed_in_event
from tmas_assets.commands.dagster_home import prepare_dagster_home
from tmas_assets.commands.faults import CommandFault
from tmas_assets.commands.finding import stated
from tmas_assets.commands.place import stated_deployment
from tmas_assets.engine.audit.chain import Stated
from tmas_assets.engine.audit.sealed import UnknownScore, score_of
from tmas_assets.engine.audit.walk import audit
from tmas_assets.reports.audit_terminal import audit_tree


def audit_score(said: str, *, as_json: bool, prov: Path | None, opened: bool, out: Console) -> bool:
    """Whether nothing is missing or changed. Raises CommandFault for a score that there is not, and for what cannot be opened or written."""
    deployment, found = stated_deployment(), stated()
    experiments = [file.experiment for file in found.experiments]
    try:
        name = score_of(deployment.store(), said, [one.name for one in experiments])
        prepare_dagster_home()
        with dg.DagsterInstance.get() as instance:
            anchor = sealed_in_event(instance, name.experiment, name.variant)
        made = audit(deployment, name, Stated(experiments, [file.data for file in found.data_sets]), anchor)
    except (UnknownScore, StoreFault, CallLogError) as fault:
        raise CommandFault(str(fault)) from fault
    if prov is not None:
        try:
            write_prov(made, prov)
        except OSError as error:
            raise CommandFault(f"--prov {prov} cannot be written: {error}") from error
    if as_json:
        out.print_json(made.model_dump_json())
    else:
        out.print(audit_tree(made, opened=opened))
    return made.standing in ("intact", "declared")
