"""A campaign job run in this process through Dagster, with a live bar, and why it failed in words."""

from collections.abc import Mapping
from contextlib import ExitStack
from typing import Any

import dagster as dg
from dagster._core.execution.plan.objects import ErrorSource
from rich.console import Console
from rich.live import Live

from tmas_assets.assets.step_reasons import step_reason
from tmas_assets.commands.bar import Bar, Lines
from tmas_assets.commands.dagster_home import prepare_dagster_home
from tmas_assets.commands.faults import CommandFault
from tmas_assets.commands.place import stated_deployment
from tmas_assets.definitions import defs
from tmas_assets.engine import progress

QUIET = {"loggers": {"console": {"config": {"log_level": "CRITICAL"}}}}


def run_job(
    name: str, configs: Mapping[str, Mapping[str, object]], bar: Bar, *, out: Console, live: bool
) -> dg.ExecuteInProcessResult:
    """`name`: of the job. `configs`: by step. Raises CommandFault for an environment that cannot be used."""
    stated_deployment()  # refused here, in a sentence, and not while the definitions load
    prepare_dagster_home()
    job = defs().resolve_job_def(name)
    run_config: dict[str, Any] = {"ops": {step: {"config": dict(config)} for step, config in configs.items()}, **QUIET}
    with dg.DagsterInstance.get() as instance, ExitStack() as shown:
        listener = bar.update
        if live and out.is_terminal:
            shown.enter_context(Live(bar, console=out, refresh_per_second=4, transient=True))
        elif live:
            listener = Lines(bar, out).update
        with progress.listening(listener, (lambda line: out.print(line, highlight=False, soft_wrap=True)) if live else None):
            return job.execute_in_process(instance=instance, run_config=run_config, raise_on_error=False)


def materialize(key: dg.AssetKey) -> dg.ExecuteInProcessResult:
    """One asset without partitions with its checks, through Dagster in this process. Raises CommandFault with the reason it failed."""
    prepare_dagster_home()
    with dg.DagsterInstance.get() as instance:
        job = defs().resolve_implicit_global_asset_job_def()
        result = job.execute_in_process(instance=instance, asset_selection=[key], run_config=QUIET, raise_on_error=False)
    if not result.success:
        raise CommandFault(next(iter(reasons(result).values())))
    return result


def reasons(result: dg.ExecuteInProcessResult) -> dict[str, str]:
    """By failed step, why. Raises KeyboardInterrupt where the user ended the run."""
    found = {}
    for event in result.all_events:
        if event.is_step_failure:
            data = event.step_failure_data
            if data.error_source is ErrorSource.INTERRUPT:
                raise KeyboardInterrupt
            said = data.user_failure_data is not None and data.user_failure_data.description
            found[str(event.step_key)] = step_reason(event) if said else f"{event.step_key}: {step_reason(event)}"
    return found or {"": f"run {result.run_id} failed before its first step; see it in the UI (`make ui`)"}
