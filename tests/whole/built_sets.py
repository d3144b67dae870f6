"""Both small data sets built once, and what tests ask of a build: its files, events, checks and calls."""

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import dagster as dg
import pytest

from bench.kill_and_resume import calls
from resources.parquet_store import ParquetStore
from tests.scripted import launch
from tests.whole import data_sets
from tests.whole.campaign import QUIET, QUIET_INSTANCE
from tests.whole.files import contents
from tmas_assets.engine.building.steps import Steps
from tmas_assets.records import ColdStart, TeamTraces

PROBLEMS = 60
COLD = ("source_problems", "sound_golds", "unique_problems", "decontaminated", "baseline_pass_rates", "difficulty_band",
        "teacher_rounds", "normal", "experience", "guideline", "sft", "data_card")  # fmt: skip
TRACES = ("source_problems", "sound_golds", "unique_problems", "decontaminated", "questions", "traces", "filtered", "data_card")
SCREENED = 4
"""So many steps at the beginning screen problems and ask no model."""
DataSet = ColdStart | TeamTraces


@dataclass(frozen=True)
class Built:
    """A folder with problems, store and call log; the runs that made them, by set; the server that they asked."""

    folder: Path
    runs: dict[str, dg.ExecuteInProcessResult]
    calls: dict[str, int]
    server: launch.Running

    def copy(self, to: Path) -> Path:
        """The same build in another folder. Files of the store are written whole and renamed, so they can be shared."""
        shutil.copytree(self.folder / "store", to / "store", copy_function=os.link)
        for name in ("problems.jsonl", "calls.sqlite"):
            shutil.copy(self.folder / name, to / name)
        return to

    def bytes_of(self) -> dict[str, str]:
        return files_of(self.folder)


def no_network(patch: pytest.MonkeyPatch) -> None:
    """Benchmarks that are neither packaged nor downloaded before are missing, on every machine and at once."""
    patch.setenv("https_proxy", "http://127.0.0.1:9")
    patch.setenv("HTTPS_PROXY", "http://127.0.0.1:9")
    for name in ("HF_TOKEN", "HF_TOKEN_PATH", "TMAS_DATA"):
        patch.delenv(name, raising=False)


def built_sets(server: launch.Running, folder: Path) -> Built:
    data_sets.prepare(folder, PROBLEMS)
    runs, paid = {}, {}
    with instance_in(folder) as instance:
        for one in (data_sets.cold_start(server.url, folder), data_sets.team_traces(server.url, folder)):
            before = total(server)
            [runs[one.name]] = data_sets.build([one], folder, instance)
            paid[one.name] = total(server) - before
    for name, run in runs.items():
        assert run.success, (name, faults(run))
    return Built(folder, runs, paid, server)


@contextmanager
def instance_in(folder: Path) -> Iterator[dg.DagsterInstance]:
    home = folder / "dagster"
    home.mkdir(parents=True, exist_ok=True)
    (home / "dagster.yaml").write_text(QUIET_INSTANCE)
    with dg.DagsterInstance.local_temp(str(home)) as made:
        yield made


def total(server: launch.Running) -> int:
    """Requests received so far."""
    return sum(calls(server).values())


def steps(folder: Path, name: str) -> Steps:
    return Steps(ParquetStore(root=str(folder / "store")), name)


def files_of(folder: Path) -> dict[str, str]:
    """SHA-256 by relative path: of every parquet file, card and picture."""
    store = folder / "store"
    return contents(store) | contents(store, "*.md") | contents(store, "*.png")


def key(name: str) -> dg.AssetKey:
    return dg.AssetKey(name.split("/"))


def run(
    sets: list[DataSet], folder: Path, instance: dg.DagsterInstance, *assets: str, defs: dg.Definitions | None = None
) -> dg.ExecuteInProcessResult:
    """One run of just these assets, with their checks."""
    job = (defs or data_sets.definitions(sets, folder)).resolve_implicit_global_asset_job_def()
    return job.execute_in_process(
        instance=instance, asset_selection=[key(name) for name in assets], run_config=QUIET, raise_on_error=False
    )


def check(defs: dg.Definitions, asset: str) -> dict[str, dg.AssetCheckEvaluation]:
    """The checks of one asset, run alone."""
    job = dg.define_asset_job("recheck", selection=dg.AssetSelection.checks_for_assets(key(asset)))
    whole = dg.Definitions.merge(defs, dg.Definitions(jobs=[job]))
    with dg.DagsterInstance.ephemeral() as instance:
        result = whole.resolve_job_def("recheck").execute_in_process(instance=instance, run_config=QUIET, raise_on_error=False)
    return {name.rpartition("/")[2]: evaluation for name, evaluation in checks_of(result).items()}


def checks_of(result: dg.ExecuteInProcessResult) -> dict[str, dg.AssetCheckEvaluation]:
    """By asset and check."""
    found = result.get_asset_check_evaluations()
    return {f"{one.asset_key.to_user_string()}/{one.check_name}": one for one in found}


def failed(checks: dict[str, dg.AssetCheckEvaluation]) -> list[str]:
    return sorted(name for name, one in checks.items() if not one.passed)


def metadata_of(result: dg.ExecuteInProcessResult) -> dict[str, dict[str, Any]]:
    """By asset, what its materialization shows, as plain values; tables as lists of rows."""
    return {
        made.asset_key.to_user_string(): {
            name: [record.data for record in value.records] if isinstance(value, dg.TableMetadataValue) else value.value
            for name, value in made.metadata.items()
        }
        for event in result.get_asset_materialization_events()
        for made in [event.step_materialization_data.materialization]
    }


def faults(result: dg.ExecuteInProcessResult) -> dict[str, str]:
    """By step, what it failed with."""
    return {
        str(event.step_key): _said(event.step_failure_data) for event in result.all_events if event.is_step_failure
    }


def _said(data: Any) -> str:
    given = data.user_failure_data
    return str(given.description if given and given.description else data.error)


def refused(result: dg.ExecuteInProcessResult) -> str:
    """The sentence of the one step that failed."""
    [said] = faults(result).values()
    return said


def before_models(built: Built, to: Path) -> Path:
    """A copy in which the problems are screened and no model was asked."""
    folder = built.copy(to)
    (folder / "calls.sqlite").unlink()
    for made in (folder / "store").iterdir():
        if "__" in made.name or made.name == "practice":
            shutil.rmtree(made)
    for name, names in (("cold", COLD), ("traces", TRACES)):
        for step in names[SCREENED:]:
            shutil.rmtree(folder / "store" / name / step)
    return folder


def asked_after_screening(name: str) -> list[str]:
    """The assets that `before_models` takes away."""
    return [f"{name}/{step}" for step in {"cold": COLD, "traces": TRACES}[name][SCREENED:]] + (
        ["practice/rl_prompts"] if name == "cold" else []
    )
