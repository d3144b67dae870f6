"""`tmas build-data` and `tmas data-sets`: a data set by its job in this process, then what it made of what."""

import difflib
from collections.abc import Sequence
from pathlib import Path

import dagster as dg
from rich.console import Console
from rich.table import Table

from resources.deployment import REPOSITORY
from resources.parquet_store import StoreFault
from tmas_assets.assets.data.card import README, hub_folder
from tmas_assets.assets.data.files import ColdStartFile, DataSetFile
from tmas_assets.assets.data.plan import CARD
from tmas_assets.assets.data.rl_prompts import PROMPTS
from tmas_assets.commands.bar import Bar
from tmas_assets.commands.faults import CommandFault
from tmas_assets.commands.finding import FOLDER, stated
from tmas_assets.commands.jobs import reasons, run_job
from tmas_assets.commands.place import stated_deployment
from tmas_assets.engine.building.steps import Steps
from tmas_assets.records import ColdStart
from tmas_assets.reports.card_facts import CardFacts
from tmas_assets.reports.card_table import card_table

SMALL = ("cold_start_small", "m500_small")
"""Built where no name is given: they need no server, token or file of the user's."""


def build_sets(names: Sequence[str], *, out: Console, live: bool) -> None:
    """Build one set after another and print its counts. Raises CommandFault with the reason one failed."""
    for file in [_find(name) for name in names or SMALL]:
        _build(file, out=out, live=live)


def _find(name: str) -> DataSetFile:
    found = stated()
    known = {file.data.name: file for file in found.data_sets}
    for training in found.trainings:
        if name == training.training.name:
            raise CommandFault(
                f"{name} is a training run; its prompts are made with the set that they come from: `tmas build-data {training.training.data_set}`"
            )
    if name not in known:
        near = difflib.get_close_matches(name, known, n=1)
        hint = f"did you mean {near[0]}? " if near else ""
        raise CommandFault(f"no data set {name!r}; {hint}known: {', '.join(sorted(known))}; looked in {FOLDER}")
    return known[name]


def _build(file: DataSetFile, *, out: Console, live: bool) -> None:
    name = file.data.name
    bar = Bar(name, follow=True)
    result = run_job(f"{name}_build", {}, bar, out=out, live=live)
    for line in bar.closing_lines():
        out.print(line, highlight=False, soft_wrap=True)
    broken = broken_promises(result)
    if not result.success and not broken:
        raise CommandFault(
            f"{name} is not complete. {' | '.join(reasons(result).values())} What is made is kept: run `tmas build-data {name}` again."
        )
    store = stated_deployment().store()
    try:
        facts = Steps(store, name).read(CARD, CardFacts)[0][0]
    except StoreFault as fault:
        raise CommandFault(str(fault)) from fault
    out.print(card_table(facts))
    for training in stated().trainings:
        if training.training.kind == "grpo" and training.training.data_set == name:
            prompts = Steps(store, training.training.name).address(PROMPTS)
            out.print(f"prompts of {training.training.name}: {store.path(prompts)}", highlight=False, soft_wrap=True)
    out.print(f"data card: {store.folder(hub_folder(name))}/{README}", highlight=False, soft_wrap=True)
    if broken:
        raise CommandFault(
            f"{name} is made, but no training may start from it: {' | '.join(broken)}. Mend the settings in {file.file} (more source "
            "problems, a wider difficulty band, lower targets) and build again: no model is asked again what it was asked."
        )


def broken_promises(result: dg.ExecuteInProcessResult) -> list[str]:
    """What blocking checks found, where nothing else went wrong."""
    failed = [event.step_failure_data.error for event in result.all_events if event.is_step_failure]
    if not all(error is not None and error.cls_name == "DagsterAssetCheckFailedError" for error in failed):
        return []
    return [f"{one.asset_key.to_user_string()} {one.check_name}: {one.description}" for one in result.get_asset_check_evaluations()
            if one.blocking and not one.passed]


def list_data_sets(*, out: Console) -> None:
    """Name, kind, targets, sources, models and settings file of each."""
    found = stated()
    table = Table(box=None, pad_edge=False)
    for heading in ("data set", "kind", "targets", "sources", "file"):
        table.add_column(heading, overflow="fold")
    for file in sorted(found.data_sets, key=lambda one: one.data.name):
        data = file.data
        table.add_row(
            data.name,
            "cold start" if isinstance(file, ColdStartFile) else "team traces",
            _targets(file),
            ", ".join(source.benchmark.name for source in data.sources),
            _place(file.file),
        )
    out.print(table)
    for training in found.trainings:
        prompts = training.training.prompts
        if prompts is None:
            continue
        out.print(f"{training.training.name}/rl_prompts: {', '.join(prompts.sources)} of {prompts.set}", highlight=False, soft_wrap=True)


def _place(file: Path) -> str:
    """From the repository on, where it lies in it."""
    return str(file.relative_to(REPOSITORY)) if file.is_relative_to(REPOSITORY) else str(file)


def _targets(file: DataSetFile) -> str:
    data = file.data
    if isinstance(data, ColdStart):
        return f"{data.targets.normal} normal, {data.targets.experience} experience, {data.targets.guideline} guideline"
    return f"{data.target} traces"
