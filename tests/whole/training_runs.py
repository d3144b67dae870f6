"""A small data set, an SFT run on it and a GRPO run from that, of a model of a few thousand weights; and a run in a process of its own.

    python -m tests.whole.training_runs FOLDER TRAINING ITERATIONS     # the training's job, on what lies in FOLDER

The model server that a later iteration's rounds are played by is scripted (`served_by_script.py`), all else is real.
"""

import contextlib
import json
import os
import resource
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import dagster as dg
import psutil

from resources.deployment import Deployment
from resources.parquet_store import Address
from resources.training.checkpoints import Checkpoints, Registered
from tests.curation.problems_of import rows
from tests.whole import data_sets
from tests.whole.built_sets import instance_in
from tests.whole.campaign import QUIET, ROOT
from tests.whole.experiments import deployment
from tests.whole.served_by_script import interpreter
from tmas_assets.assets.data.files import cold_start_definitions, team_traces_definitions
from tmas_assets.assets.training.files import training_definitions
from tmas_assets.commands.dagster_home import make_schema
from tmas_assets.records import ColdStart, Iteration, StepFigures, StepPrompts, TeamTraces, TrainerPlan, Training

PROBLEMS = 30
STEPS = 3
"""Of each of the two training iterations."""
_OPTIMISATION = {"learning_rate": 1e-2, "micro_batch": 4, "weight_decay": 0.1, "pad_to": 64, "precision": "fp32", "save_steps": 1}


@dataclass(frozen=True)
class Stated:
    """The files of a location, as records."""

    cold: ColdStart
    traces: TeamTraces
    trainings: tuple[Training, ...]

    def training(self, name: str) -> Training:
        return next(one for one in self.trainings if one.name == name)

    def changed(self, name: str, **change: Any) -> "Stated":
        """With top-level fields of one training replaced."""
        new = Training.model_validate(self.training(name).model_dump(mode="json") | change)
        return replace(self, trainings=tuple(new if one.name == name else one for one in self.trainings))


def sft(name: str, model: str, **change: Any) -> Training:
    return Training.model_validate({
        "name": name, "base": {"model": model}, "conversations": {"set": "cold", "roles": ["solution"]},
        "sft": {"epochs": 9, "max_steps": 2, "batch": 4, "max_tokens": 8192}, "optimisation": _OPTIMISATION,
    } | change)  # fmt: skip


def grpo(name: str, model: str, **change: Any) -> Training:
    """Rewards differ within groups: golds are digits, which noise hits now and then."""
    body = {
        "iterations": 2, "steps": STEPS, "prompts": 3, "samples": 8, "most_truncated": 1.0, "rollouts": {"max_tokens": 32}, "iterate": True,
        "mix": {"normal": 2, "experience": 1}, "rewards": [{"name": "correctness"}, {"name": "experience_use"}],
    }  # fmt: skip
    return Training.model_validate({
        "name": name, "base": {"model": model}, "prompts": {"set": "cold", "sources": ["normal", "experience"]}, "grpo": body, "optimisation": _OPTIMISATION | {"micro_batch": 8},
    } | change)  # fmt: skip


def stated(url: str, folder: Path) -> Stated:
    cold = data_sets.cold_start(
        url, folder, teachers=[{"name": "first"}], pass_rates={"samples": 3}, targets={"normal": 8, "experience": 4, "guideline": 4},
        simulation={"problems": 5, "iterations": 2, "settings": {"candidates": 2, "verifications": 1}},
    )  # fmt: skip
    trainings = (
        sft("tiny_sft", str(folder / "model")),
        sft("of_traces", str(folder / "model"), conversations={"set": "traces"}, sft={"epochs": 99, "max_steps": 12, "batch": 4, "max_tokens": 8192, "whole_groups": False}),
        grpo("tiny", "tiny_sft"),
    )  # fmt: skip
    return Stated(cold, data_sets.team_traces(url, folder), trainings)


@dataclass(frozen=True)
class Place:
    """A folder with problems, store, call log, TMAS_HOME and Dagster's instance."""

    folder: Path
    stated: Stated
    instance: dg.DagsterInstance

    @property
    def deployment(self) -> Deployment:
        """The home is the folder's own."""
        return place_of(self.folder)

    @property
    def defs(self) -> dg.Definitions:
        return definitions(self.folder, self.stated)

    @property
    def checkpoints(self) -> Checkpoints:
        return Checkpoints(self.folder / "home")

    def stating(self, name: str, **change: Any) -> "Place":
        """The same place after fields of a training's file were changed."""
        return replace(self, stated=self.stated.changed(name, **change))

    def without_interpreter(self, name: str) -> "Place":
        """Whatever would be trained now ends at once with a sentence about the interpreter."""
        return self.stating(name, launch={"python": "/nonexistent/python"})

    def train(self, name: str, iterations: str = "", again: bool = False) -> dg.ExecuteInProcessResult:
        """By the training's job."""
        config = {"ops": {f"{name}_iterations": {"config": {"iterations": iterations, "again": again}}}}
        return self.defs.resolve_job_def(f"{name}_train").execute_in_process(
            instance=self.instance, run_config=config | QUIET, raise_on_error=False
        )

    def materialize(self, *keys: str, partition: str | None = None) -> dg.ExecuteInProcessResult:
        """By the assets themselves, in one run."""
        return self.defs.resolve_implicit_global_asset_job_def().execute_in_process(
            instance=self.instance, asset_selection=[dg.AssetKey(key.split("/")) for key in keys], partition_key=partition, run_config=QUIET,
            raise_on_error=False,
        )  # fmt: skip

    def build(self, name: str) -> dg.ExecuteInProcessResult:
        """A data set."""
        return self.defs.resolve_job_def(f"{name}_build").execute_in_process(
            instance=self.instance, run_config=QUIET, raise_on_error=False
        )

    def with_targets(self, **targets: int) -> "Place":
        """The same place after the set's file asks for other numbers of rows."""
        cold = ColdStart.model_validate(self.stated.cold.model_dump(mode="json") | {"targets": targets})
        return replace(self, stated=replace(self.stated, cold=cold))

    def found(self, name: str, iteration: Iteration) -> Registered:
        return self.checkpoints.find(name, iteration)

    def weights(self, name: str, iteration: int) -> bytes:
        return (self.found(name, iteration).folder / "model.safetensors").read_bytes()

    def order(self, name: str, iteration: int) -> tuple[StepPrompts, ...]:
        return tuple(self.deployment.store().read(Address((name, "order"), (f"t{iteration:02d}",)), StepPrompts))

    def figures(self, name: str, iteration: int) -> tuple[StepFigures, ...]:
        return tuple(self.deployment.store().read(Address((name, "figures"), (f"t{iteration:02d}",)), StepFigures))

    def plans(self, name: str) -> list[TrainerPlan]:
        """Of every launch of the training's trainer whose run's folder is left, oldest first."""
        files = sorted((self.folder / "home" / "trainers" / name).glob("*/runs/*/plan.json"), key=lambda file: file.stat().st_mtime_ns)
        return [TrainerPlan.model_validate_json(file.read_bytes()) for file in files]

    def events(self, key: str) -> list[dg.AssetMaterialization]:
        """Materializations, oldest first."""
        records = self.instance.fetch_materializations(dg.AssetKey(key.split("/")), limit=1000).records
        return [one.asset_materialization for one in reversed(records) if one.asset_materialization]

    @contextlib.contextmanager
    def copied(self, to: Path) -> Iterator["Place"]:
        """The same files in another folder with an instance of its own."""
        to.mkdir()
        for name in ("store", "home"):
            shutil.copytree(self.folder / name, to / name)
        shutil.copy(self.folder / "calls.sqlite", to)
        interpreter(to)
        with instance_in(to) as instance:
            yield replace(self, folder=to, instance=instance)

    def start(self, name: str, iterations: str = "") -> "subprocess.Popen[str]":
        """The training's job in a process group of its own."""
        told = [self.stated.cold, self.stated.traces, *self.stated.trainings]
        (self.folder / "stated.json").write_text(json.dumps([one.model_dump(mode="json") for one in told]))
        home = self.folder / "dagster-of-process"
        home.mkdir(exist_ok=True)
        return subprocess.Popen(
            [sys.executable, "-m", "tests.whole.training_runs", str(self.folder), name, iterations], cwd=ROOT,
            env={**os.environ, "DAGSTER_HOME": str(home), "PYTHONWARNINGS": "ignore"}, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
            text=True, start_new_session=True,
        )  # fmt: skip

    def processes(self) -> list[psutil.Process]:
        """Those that this folder's trainers are made of: guards, launchers, ranks."""
        found = []
        for process in psutil.process_iter():
            with contextlib.suppress(psutil.Error):
                if any(str(self.folder / "home" / "trainers") in part for part in process.cmdline()):
                    found.append(process)
        return found

    def ranks(self) -> list[psutil.Process]:
        """Processes that train, no launcher and no guard."""
        others = {"torch.distributed.run", "resources.serving.process_guard"}
        return [one for one in self.processes() if others.isdisjoint(one.cmdline())]


@contextlib.contextmanager
def prepared(url: str, folder: Path) -> Iterator[Place]:
    """Problems and the model that training starts from; no data set yet. The model's configuration says who plays it when served."""
    from tests.training import tiny_model

    folder.mkdir(exist_ok=True)
    short = [row for row in rows(600, spoil=False) if len(row.answer or "") == 1]
    (folder / "problems.jsonl").write_text("".join(f"{row.line()}\n" for row in short[:PROBLEMS]), encoding="utf-8")
    model = tiny_model.model()
    model.config.max_position_embeddings = 16384
    model.config.script = "tests.scripted.curating:solver"
    model.save_pretrained(folder / "model")
    tiny_model.tokenizer().save_pretrained(folder / "model")
    interpreter(folder)
    with instance_in(folder) as instance:
        yield Place(folder, stated(url, folder), instance)


def place_of(folder: Path) -> Deployment:
    return deployment(folder, home=str(folder / "home"), serve_python=str(folder / "serve-python"), linger_seconds=1)


def definitions(folder: Path, stated: Stated) -> dg.Definitions:
    prompted = [one for one in stated.trainings if one.kind == "grpo"]
    own = dg.Definitions(resources={"deployment": place_of(folder)}, executor=dg.in_process_executor)
    return dg.Definitions.merge(
        own,
        cold_start_definitions(stated.cold, [], prompted),
        team_traces_definitions(stated.traces, []),
        *(training_definitions(one, [stated.cold, stated.traces], stated.trainings, []) for one in stated.trainings),
    )


def main(folder: str, name: str, iterations: str) -> int:
    told = json.loads((Path(folder) / "stated.json").read_text())
    stated = Stated(ColdStart.model_validate(told[0]), TeamTraces.model_validate(told[1]), tuple(Training.model_validate(one) for one in told[2:]))
    make_schema(Path(os.environ["DAGSTER_HOME"]))
    with dg.DagsterInstance.get() as instance:
        result = Place(Path(folder), stated, instance).train(name, iterations)
    for event in result.all_events:
        if event.is_step_failure:
            print(event.step_failure_data)
    print(f"cpu seconds {sum(resource.getrusage(resource.RUSAGE_CHILDREN)[:2]):.0f}")
    return 0 if result.success else 1


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
