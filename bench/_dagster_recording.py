"""Cells of an experiment logged to the Dagster instance of this process as a campaign logs them: the time it takes.

    python -m bench._dagster_recording ITERATIONS PROBLEMS FOLDER      # DAGSTER_HOME in the environment

One cell each of three iterations is really made, by a server that follows a script, with 8 rollouts of 8 checks each,
and its texts are stretched to what the UI shows of a long reply; all cells are copies of these under keys and digests
of their own. Prints one JSON line. Leaves out the engine's work and the store's: `engine_speed` and others.
"""

import json
import resource
import sys
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace
from pathlib import Path

import dagster as dg

from partitions.keys import CellKey, problem_key
from resources.parquet_store import StoredFile
from tests.scripted import launch
from tests.whole.experiments import deployment, endpoint, experiment
from tmas_assets.assets.cells import PARTS, cell_events, code_version
from tmas_assets.assets.driving import Event, Scope, drive
from tmas_assets.assets.events import last_event, last_versions
from tmas_assets.assets.keys import experiment_key
from tmas_assets.assets.problems import fill_axis
from tmas_assets.engine.cells import FinishedCell, StoredCell
from tmas_assets.engine.problems import refresh_table
from tmas_assets.records import Experiment, Problem, Round, digest

MADE = 3
"""Iterations that are really made."""
EXPERIMENT = "experiment.json"
"""The experiment as it was recorded, in FOLDER: for whoever serves its assets."""
STRETCH = " The step before it was checked by substitution of small values, and the remainder agrees."


@dataclass(frozen=True)
class Recorded:
    run: str
    """Id of the run that logged all."""
    cell: str
    """Partition of the last cell."""
    events: int
    seconds: float
    cpu_seconds: float
    describing_seconds: float
    """Of `seconds`, for `cell_events`: metadata tables and what each event was made from. The rest is Dagster's."""
    first_ms: float
    """CPU of one event in the first tenth, milliseconds."""
    last_ms: float
    """The same in the last tenth."""
    axis_seconds: float
    """To fill the problem axis."""
    last_versions_seconds: float
    """To ask for the versions of all cells, four assets, as a campaign does when it starts."""
    last_event_ms: float
    """To ask for the last event of an asset, once a cell."""
    metadata_bytes: int
    """Of one cell's four events on average, as JSON."""


def asked(url: str, iterations: int, problems: int) -> Experiment:
    settings = {"tasks": [{"name": "chain_sum"}], "size": problems, "seed": 5}
    return experiment(
        url,
        iterations=iterations,
        benchmark={"name": "reasoning_gym", "release": f"of{problems}", "settings": settings},
        strategy={"name": "tmas", "settings": {"candidates": 8, "verifications": 8, "epsilon": 0.2}},
        endpoints={"default": endpoint(url, concurrency=64)},
    )


def models(stated: Experiment, first: Problem, folder: Path) -> list[FinishedCell]:
    """The cells that all others are copies of, one an iteration."""
    found: list[FinishedCell] = []

    def keep(event: Event) -> None:
        assert isinstance(event, FinishedCell)  # cells are made again, none is found
        found.append(event)

    drive(deployment(folder), stated, [Scope(range(MADE), (first,))], run="bench", redo=True, log=keep)
    return [replace(cell, rounds=tuple(_stretched(cell))) for cell in found]


def _stretched(cell: FinishedCell) -> Iterator[Round]:
    for one in cell.rounds:
        checks = tuple(v.model_copy(update={"critique": f"{v.critique}{STRETCH}"}) for v in one.verifications)
        entries = tuple(e.model_copy(update={"text": f"{e.text}.{STRETCH}"}) for e in one.memory.entries)
        yield one.model_copy(update={"verifications": checks, "memory": one.memory.model_copy(update={"entries": entries})})


def copies(made: list[FinishedCell], iterations: int, problems: tuple[Problem, ...]) -> Iterator[FinishedCell]:
    """All cells of the grid, iteration by iteration."""
    for iteration in range(iterations):
        for problem in problems:
            model = made[min(iteration, MADE - 1)]

            def other(file: StoredFile, name: str) -> StoredFile:
                return file._replace(digest=digest([name, iteration, problem.id]))  # noqa: B023 - called at once

            files = StoredCell(*(other(getattr(model.files, kind), kind) for kind in
                                 ("rollouts", "verifier_scores", "summaries", "memory_bank")))  # fmt: skip
            before = digest(["memory_bank", iteration - 1, problem.id]) if iteration else None
            grades = other(model.grades_file, "grades")
            yield replace(model, iteration=iteration, problem=problem, files=files, grades_file=grades, previous_digest=before)


def cpu_seconds() -> float:
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


def record(instance: dg.DagsterInstance, iterations: int, problems: int, folder: Path) -> Recorded:
    with launch.process() as server:
        stated = asked(server.url, iterations, problems)
        place = deployment(folder)
        table, _ = refresh_table(place.store(), stated.benchmark, data=None, downloads=place.downloads)
        began = time.perf_counter()
        fill_axis(instance, table)
        axis = time.perf_counter() - began
        made = models(stated, table.problems[0], folder)
    (folder / EXPERIMENT).write_text(stated.model_dump_json())
    version = code_version(stated)
    stamps: list[tuple[float, float]] = []
    spent = {"describing": 0.0, "bytes": 0.0}

    @dg.op
    def cells(context: dg.OpExecutionContext) -> None:
        stamps.append((time.perf_counter(), cpu_seconds()))
        for cell in copies(made, iterations, table.problems):
            asked_at = time.perf_counter()
            for said in cell_events(stated, cell, PARTS, version, context.instance, ()):
                spent["describing"] += time.perf_counter() - asked_at
                spent["bytes"] += len(dg.serialize_value(said)) if len(stamps) <= MADE else 0
                context.log_event(said)
                asked_at = time.perf_counter()
            stamps.append((time.perf_counter(), cpu_seconds()))

    @dg.job(executor_def=dg.in_process_executor)
    def bench_campaign() -> None:
        cells()

    quiet = {"loggers": {"console": {"config": {"log_level": "CRITICAL"}}}}
    done = bench_campaign.execute_in_process(instance=instance, run_config=quiet)
    count = iterations * len(table.problems)
    tenth = max(count // 10, 1)
    keys = [experiment_key(stated, part) for part in PARTS]
    began = time.perf_counter()
    if any(len(last_versions(instance, key)) != count for key in keys):
        raise RuntimeError(f"not all of {count} cells were found in the log")
    versions = time.perf_counter() - began
    began = time.perf_counter()
    for _ in range(20):
        last_event(instance, keys[0])
    last = (time.perf_counter() - began) / 20
    return Recorded(
        run=done.run_id,
        cell=str(CellKey(iterations - 1, problem_key(table.problems[-1].id))),
        events=count * len(PARTS),
        seconds=stamps[-1][0] - stamps[0][0],
        cpu_seconds=stamps[-1][1] - stamps[0][1],
        describing_seconds=spent["describing"],
        first_ms=1000 * (stamps[tenth][1] - stamps[0][1]) / tenth / len(PARTS),
        last_ms=1000 * (stamps[-1][1] - stamps[-1 - tenth][1]) / tenth / len(PARTS),
        axis_seconds=axis,
        last_versions_seconds=versions,
        last_event_ms=1000 * last,
        metadata_bytes=round(spent["bytes"] / min(count, MADE)),
    )


def main(iterations: int, problems: int, folder: Path) -> None:
    with dg.DagsterInstance.get() as instance:
        print(json.dumps(asdict(record(instance, iterations, problems, folder))))


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]), Path(sys.argv[3]))
