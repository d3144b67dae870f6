"""A scripted model server and a Dagster instance per test; campaigns in this process."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import dagster as dg
import pytest

from tests.scripted import launch
from tests.whole.built_sets import Built, built_sets, no_network
from tests.whole.campaign import QUIET, QUIET_INSTANCE
from tests.whole.location import definitions
from tmas_assets.records import Experiment


@pytest.fixture
def server() -> Iterator[launch.Running]:
    with launch.process("--latency", "0.01") as running:
        yield running


@pytest.fixture
def instance(tmp_path: Path) -> Iterator[dg.DagsterInstance]:
    """A real instance on SQLite."""
    home = tmp_path / "dagster"
    home.mkdir()
    (home / "dagster.yaml").write_text(QUIET_INSTANCE)
    with dg.DagsterInstance.local_temp(str(home)) as made:
        yield made


@pytest.fixture(scope="session")
def curating() -> Iterator[launch.Running]:
    """Two models that play every role of a data set's build."""
    with launch.process("--script", "tests.scripted.curating:solver", "--model", "scripted,other") as running:
        yield running


@pytest.fixture(scope="session")
def built(curating: launch.Running, tmp_path_factory: pytest.TempPathFactory) -> Built:
    """Both small data sets. Tests change copies of them (`Built.copy`), never these files."""
    with pytest.MonkeyPatch.context() as patch:
        no_network(patch)
        patch.setenv("TMAS_HOME", str(tmp_path_factory.getbasetemp() / "tmas-home"))
        return built_sets(curating, tmp_path_factory.mktemp("built"))


class Project:
    """One experiment's definitions in a folder, run in this process on a real instance."""

    def __init__(self, experiment: Experiment, folder: Path, instance: dg.DagsterInstance) -> None:
        self.experiment, self.folder, self.instance = experiment, folder, instance
        self.defs = definitions(experiment, folder)

    def key(self, part: str) -> dg.AssetKey:
        return dg.AssetKey([self.experiment.name, part])

    def run(self, **config: Any) -> None:
        """A campaign that must succeed."""
        result = self.campaign(**config)
        assert result.success, failure(result)

    def campaign(self, **config: Any) -> dg.ExecuteInProcessResult:
        return self.defs.resolve_job_def(f"{self.experiment.name}_campaign").execute_in_process(
            instance=self.instance,
            run_config={"ops": {f"{self.experiment.name}_cells": {"config": config}}, **QUIET},
            raise_on_error=False,
        )

    def materialize(self, *keys: dg.AssetKey, partition: str | None = None) -> dg.ExecuteInProcessResult:
        job = self.defs.resolve_implicit_global_asset_job_def()
        return job.execute_in_process(
            instance=self.instance,
            asset_selection=list(keys),
            partition_key=partition,
            run_config=QUIET,
            raise_on_error=False,
        )

    def problems(self) -> dg.ExecuteInProcessResult:
        return self.materialize(dg.AssetKey(["problems", f"reasoning_gym_{self.experiment.benchmark.release}"]))

    def events(self, part: str) -> dict[str | None, dg.AssetMaterialization]:
        """Latest materialization by partition."""
        records = self.instance.fetch_materializations(self.key(part), limit=1000).records
        return {r.partition_key: r.asset_materialization for r in reversed(records) if r.asset_materialization}


def failure(result: dg.ExecuteInProcessResult) -> str:
    """The text of the step that failed."""
    assert not result.success
    for event in result.all_events:
        if event.is_step_failure:
            data = event.step_failure_data
            if data.user_failure_data and data.user_failure_data.description:
                return data.user_failure_data.description
            return str(data.error)
    raise AssertionError("no step failed")
