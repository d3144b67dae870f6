"""A Dagster instance for the command line, the UI and a deployment, made ready before any process uses it: tables and pools.

python -m tmas_assets.commands.dagster_home        # what a deployment runs first
"""

import os
import shutil
from pathlib import Path

import dagster as dg
from sqlalchemy.exc import SQLAlchemyError

from resources.deployment import REPOSITORY
from resources.private_folder import private_folder
from resources.serving.file_lock import exclusive
from resources.serving.vllm_server import home_from_environment
from tmas_assets.commands.faults import CommandFault

POOLS = {"model_server": 4, "trainer": 1}
"""Runs at once in each pool, until somebody says otherwise: dagster.yaml states one limit for all pools and none for a single one."""


def prepare_dagster_home() -> Path:
    """DAGSTER_HOME, by default a folder of TMAS_HOME, with our dagster.yaml where it has none. Raises CommandFault."""
    home = Path(os.environ.setdefault("DAGSTER_HOME", str(home_from_environment() / "dagster"))).expanduser()
    if not home.is_absolute():
        raise CommandFault(f"DAGSTER_HOME is {str(home)!r} and should be an absolute path; {home.absolute()} perhaps")
    os.environ["DAGSTER_HOME"] = str(home)
    try:
        private_folder(home_from_environment())
        private_folder(home)
        if not (home / "dagster.yaml").exists():
            shutil.copy(REPOSITORY / "dagster.yaml", home / "dagster.yaml")
        make_schema(home)
    except (OSError, SQLAlchemyError, dg.DagsterError) as fault:
        raise CommandFault(
            f"Dagster's storage at DAGSTER_HOME {home} cannot be used: {fault}. Make the folder writable, mend its "
            "dagster.yaml, or set DAGSTER_HOME (or TMAS_HOME) to another folder."
        ) from fault
    return home


def make_schema(home: Path) -> None:
    """Make the tables of DAGSTER_HOME `home` and limit its pools. Processes that open an empty home at once break each other's tables."""
    with exclusive(home / "schema.lock"), dg.DagsterInstance.get() as instance:
        instance.get_runs(limit=1)
        instance.all_instigator_state()
        limit_pools(instance)


def limit_pools(instance: dg.DagsterInstance) -> None:
    """Give each of `POOLS` its limit where nobody has given it one."""
    storage = instance.event_log_storage
    stated = {pool.name for pool in storage.get_pool_limits() if not pool.from_default}
    for pool, limit in POOLS.items():
        if pool not in stated:
            storage.set_concurrency_slots(pool, limit)


def main() -> None:
    home = prepare_dagster_home()
    with dg.DagsterInstance.get() as instance:
        limits = ", ".join(f"{pool.name} {pool.limit}" for pool in instance.event_log_storage.get_pool_limits())
    print(f"Dagster's storage at {home} is ready; runs at once by pool: {limits}")


if __name__ == "__main__":
    main()
