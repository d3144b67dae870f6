"""`tmas site`: the report site of everything that was ever summed up and its index, without the pages of experiments that no file states."""

import dagster as dg
from rich.console import Console

from tmas_assets.assets.site import make_site
from tmas_assets.assets.summary import summarised_cells
from tmas_assets.assets.summary_events import summarise_told
from tmas_assets.commands.dagster_home import prepare_dagster_home
from tmas_assets.commands.faults import CommandFault
from tmas_assets.commands.finding import stated
from tmas_assets.commands.place import stated_deployment


def write_site(*, out: Console) -> None:
    """Sum up every experiment that has a summary under its present settings, without asking a model, and write the pages whose
    cells changed. One that cannot be read stops no other. Raises CommandFault that names those, after all else is written."""
    deployment = stated_deployment()
    experiments = [file.experiment for file in stated().experiments]
    store, summed, faults = deployment.store(), 0, list[str]()
    prepare_dagster_home()
    with dg.DagsterInstance.get() as instance:
        for experiment in experiments:
            try:
                if summarised_cells(deployment, store, experiment) is not None:
                    summarise_told(instance, deployment, experiment)
                    summed += 1
            except dg.Failure as fault:
                faults.append(f"{experiment.name}: {fault.description or fault}")
    try:
        made = make_site(deployment, experiments)
    except dg.Failure as fault:
        raise CommandFault(fault.description or str(fault)) from fault
    for name in made.removed:
        out.print(f"pages of {name} taken away: no file states it any more", highlight=False, soft_wrap=True)
    out.print(f"{summed} experiments, {made.pages:,} pages; open {made.index}", highlight=False, soft_wrap=True)
    if faults:
        raise CommandFault("\n".join([f"{len(faults)} experiments keep the pages they had:", *faults]))
