"""Small data sets on the scripted server, and their build in a process of its own that a test may kill.

    python -m tests.whole.data_sets FOLDER       # builds the sets that FOLDER/sets.json states

Problems are word problems of our own (`tests/curation/problems_of.py`) in FOLDER/problems.jsonl.
"""

import json
import os
import resource
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import dagster as dg

from bench._source_problems import Written, write_problems
from resources.deployment import Deployment
from tests.whole.campaign import QUIET, ROOT
from tests.whole.experiments import deployment, endpoint
from tmas_assets.assets.data.files import cold_start_definitions, team_traces_definitions
from tmas_assets.checks.training_rows import prompts_checks, row_checks, trace_checks
from tmas_assets.commands.dagster_home import make_schema
from tmas_assets.records import (
    BenchmarkChoice,
    ColdStart,
    Grpo,
    Optimisation,
    Prompts,
    RewardChoice,
    TeamTraces,
    Training,
)

TRAINING = Training(
    name="practice", prompts=Prompts(set="cold"), optimisation=Optimisation(learning_rate=1e-5),
    grpo=Grpo(steps=1, rewards=(RewardChoice(name="correctness"),)),
)  # fmt: skip


def source(folder: Path) -> dict[str, Any]:
    """The problems of `folder`, which state their own licences."""
    fields = {"id": "id", "subject": "subject", "level": "level", "licence": "licence"}
    settings = {"file": "problems.jsonl", "fields": fields}
    return {"label": "words", "benchmark": {"name": "problem_file", "settings": settings, "base": str(folder)}}


def cold_start(url: str, folder: Path, **change: Any) -> ColdStart:
    """12 / 6 / 16 rows; `change` replaces top-level fields."""
    body: dict[str, Any] = {
        "name": "cold",
        "seed": 3,
        "sources": [source(folder)],
        "screening": {"decontamination": {"may_miss": ["all"]}},
        "pass_rates": {"samples": 4},
        "teachers": [{"name": "first", "weight": 2}, {"name": "second", "endpoint": "other"}],
        "simulation": {"problems": 10, "iterations": 2, "settings": {"candidates": 3, "verifications": 2}},
        "targets": {"normal": 12, "experience": 6, "guideline": 16},
        "per_problem": {"normal": 1, "experience": 2, "guideline": 2},
        "endpoints": {"default": endpoint(url), "other": endpoint(url, model="other")},
    }
    return ColdStart.model_validate(body | change)


def team_traces(url: str, folder: Path, **change: Any) -> TeamTraces:
    """6 traces; `change` replaces top-level fields."""
    body: dict[str, Any] = {
        "name": "traces",
        "seed": 3,
        "sources": [source(folder)],
        "screening": {"decontamination": {"may_miss": ["all"]}},
        "selection": {"least_difficulty": 1, "least_disciplines": 1, "largest_domain": 0.8, "least_reference_tokens": 4},
        "filters": {"thinking": "closed"},
        "target": 6,
        "endpoints": {"default": endpoint(url)},
    }
    return TeamTraces.model_validate(body | change)


def definitions(
    sets: list[ColdStart | TeamTraces],
    folder: Path,
    place: Deployment | None = None,
    measured: Sequence[BenchmarkChoice] = (),
) -> dg.Definitions:
    """The sets, a training run on the first cold start, all checks; on the deployment in `folder` unless another is given.
    `measured`: releases that models are measured on here."""
    cold = [one for one in sets if isinstance(one, ColdStart)]
    traces = [one for one in sets if isinstance(one, TeamTraces)]
    own = dg.Definitions(
        asset_checks=[
            *(check for one in cold for check in row_checks(one, measured)),
            *(prompts_checks(TRAINING, one, measured) for one in cold),
            *(trace_checks(one, measured) for one in traces),
        ],
        resources={"deployment": place or deployment(folder)},
        executor=dg.in_process_executor,
    )
    return dg.Definitions.merge(
        own,
        *(cold_start_definitions(one, measured, [TRAINING]) for one in cold),
        *(team_traces_definitions(one, measured) for one in traces),
    )


def build(
    sets: list[ColdStart | TeamTraces], folder: Path, instance: dg.DagsterInstance, place: Deployment | None = None
) -> list[dg.ExecuteInProcessResult]:
    """Every set's job, one after the other."""
    defs = definitions(sets, folder, place)
    return [
        defs.resolve_job_def(f"{one.name}_build").execute_in_process(instance=instance, run_config=QUIET, raise_on_error=False)
        for one in sets
    ]


def write_sets(folder: Path, *sets: ColdStart | TeamTraces) -> None:
    stated = [[type(one).__name__, one.model_dump(mode="json")] for one in sets]
    (folder / "sets.json").write_text(json.dumps(stated))


def stated_in(folder: Path) -> list[ColdStart | TeamTraces]:
    """What `write_sets` wrote."""
    kinds: dict[str, type[ColdStart] | type[TeamTraces]] = {"ColdStart": ColdStart, "TeamTraces": TeamTraces}
    return [kinds[kind].model_validate(body) for kind, body in json.loads((folder / "sets.json").read_text())]


def prepare(folder: Path, count: int) -> Written:
    """The folder with its source problems."""
    folder.mkdir(parents=True, exist_ok=True)
    return write_problems(folder / "problems.jsonl", count)


def start(folder: Path) -> "subprocess.Popen[str]":
    """The build in a process group of its own."""
    home = folder / "dagster"
    home.mkdir(parents=True, exist_ok=True)
    return subprocess.Popen(
        [sys.executable, "-m", "tests.whole.data_sets", str(folder)],
        cwd=ROOT,
        env={**os.environ, "DAGSTER_HOME": str(home), "PYTHONWARNINGS": "ignore"},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
    )


def main(folder: str) -> int:
    """Prints a line of JSON a set: seconds, and the peak memory of this process and of its largest child, in MiB."""
    place = Path(folder)
    sets = stated_in(place)
    make_schema(Path(os.environ["DAGSTER_HOME"]))
    with dg.DagsterInstance.get() as instance:
        for one in sets:
            began = time.monotonic()
            [result] = build([one], place, instance)
            for event in result.all_events:
                if event.is_step_failure:
                    print(event.step_failure_data)
            peak = {who: resource.getrusage(kind).ru_maxrss // 1024 for who, kind in (
                ("peak_mib", resource.RUSAGE_SELF), ("largest_child_mib", resource.RUSAGE_CHILDREN))}  # fmt: skip
            print(json.dumps({"set": one.name, "ok": result.success, "seconds": round(time.monotonic() - began, 1), **peak}), flush=True)
            if not result.success:
                return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
