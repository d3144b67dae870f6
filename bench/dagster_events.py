"""8,000 cells x 4 assets recorded in Dagster: what an event costs, on SQLite and on Postgres, and whether pages stay fast.

Each storage holds 80 cells in one instance and 20 iterations x 400 problems in another. Bars: an event in the last tenth
costs at most 1.5 times the CPU of one in the first tenth; no query of a page of the UI takes more than a second at the median
of five; a campaign that starts learns in under 5 s what is recorded. The page of the run itself is measured and has no
bar: Dagster reads all of a run's events to draw its steps, so it takes as long as the run has events.

    python -m bench.dagster_events [--cells 8000] [--storage sqlite postgres]

Takes about half an hour of CPU; `--cells 400` shows the shape in two minutes. Needs the Debian packages chromium and chromium-driver, and for Postgres (left out, and
said, where it is not installed) postgresql.
"""

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote

import psutil
import yaml

from bench._dagster_pages import Page, timed_pages, web_server
from bench._dagster_recording import EXPERIMENT
from resources.deployment import REPOSITORY
from tests.resources.postgres import PostgresServer, running_server, server_programs

SMALL, ITERATIONS, TIMES = 80, 20, 5
GROWTH_BAR, PAGE_BAR, START_BAR = 1.5, 1.0, 5.0


@dataclass(frozen=True)
class Place:
    """A Dagster instance of one storage."""

    home: Path
    postgres: PostgresServer | None
    database: str = ""

    def bytes(self) -> dict[str, int]:
        """On disk, in megabytes, by what holds it."""
        if self.postgres is not None:
            with closing(self.postgres.connect()) as connection, connection.cursor() as cursor:
                cursor.execute("select pg_database_size(%s)", [self.database])
                size = cursor.fetchone()
            logs = sum(file.stat().st_size for file in (self.postgres.folder / "data" / "pg_wal").glob("*"))
            return {"database": round(size[0] / 1e6), "wal": round(logs / 1e6)} if size else {}
        found = {"index": 0, "runs": 0, "of_each_run": 0, "wal": 0}
        for file in self.home.rglob("*.db*"):
            kind = "wal" if "-" in file.suffix else {"index": "index", "runs": "runs"}.get(file.stem, "of_each_run")
            found[kind] += file.stat().st_size
        return {kind: round(size / 1e6) for kind, size in found.items()}

    def server_cpu_seconds(self) -> float:
        """Of the database server and its ended connections: 0 for SQLite, which works in the client."""
        if self.postgres is None or self.postgres.process is None:
            return 0.0
        process = psutil.Process(self.postgres.process.pid)
        mine = [process.cpu_times(), *(child.cpu_times() for child in process.children())]
        return float(sum(one.user + one.system for one in mine) + mine[0].children_user + mine[0].children_system)


@contextmanager
def places(storage: str, scratch: Path) -> Iterator[Mapping[str, Place]]:
    """An instance for few cells and one for many; their settings are the shipped ones."""
    settings = yaml.safe_load((REPOSITORY / "dagster.yaml").read_text())
    homes = {size: scratch / f"{storage}-{size}" for size in ("few", "many")}
    for home in homes.values():
        home.mkdir()
    if storage == "sqlite":
        for home in homes.values():
            (home / "dagster.yaml").write_text(yaml.safe_dump(settings))
        yield {size: Place(home, None) for size, home in homes.items()}
        return
    programs = server_programs()
    assert programs is not None  # asked before
    with running_server(programs, durable=True) as server:
        for size, home in homes.items():
            with closing(server.connect()) as connection, connection.cursor() as cursor:
                cursor.execute(f"CREATE DATABASE {size}")
            (home / "dagster.yaml").write_text(yaml.safe_dump(settings | {"storage": {"postgres": {"postgres_url": server.url(size)}}}))
        yield {size: Place(home, server, size) for size, home in homes.items()}


def recorded(place: Place, iterations: int, problems: int, folder: Path) -> dict[str, Any]:
    folder.mkdir()
    before = place.server_cpu_seconds()
    command = [sys.executable, "-W", "ignore", "-m", "bench._dagster_recording", str(iterations), str(problems), str(folder)]
    environment = {**os.environ, "DAGSTER_HOME": str(place.home)}
    done = subprocess.run(command, check=True, env=environment, stdout=subprocess.PIPE, text=True)
    found: dict[str, Any] = json.loads(done.stdout)
    return found | {"server_cpu_seconds": place.server_cpu_seconds() - before, "megabytes": place.bytes()}


def pages(run: str, cell: str) -> Mapping[str, str]:
    memory = "/assets/scripted/memory_bank"
    return {
        "graph": "/locations/tmas/asset-groups/scripted", "catalog": "/assets", "asset": memory,
        "partitions": f"{memory}?view=partitions", "cell": f"{memory}?view=partitions&partition={quote(cell)}",
        "events": f"{memory}?view=events", "runs": "/runs", "run": f"/runs/{run}",
    }  # fmt: skip


def measured(storage: str, iterations: int, problems: int, scratch: Path) -> dict[str, Any]:
    grids = {"few": (4, SMALL // 4), "many": (iterations, problems)}
    found: dict[str, Any] = {}
    timed: dict[str, Mapping[str, Page]] = {}
    with places(storage, scratch) as both:
        for size, place in both.items():
            folder = scratch / f"{storage}-{size}-cells"
            found[size] = recorded(place, *grids[size], folder)
            with web_server(place.home, folder, folder / EXPERIMENT) as (url, process):
                timed[size] = timed_pages(url, folder, pages(found[size]["run"], found[size]["cell"]), TIMES)
                found[size]["web_server_megabytes"] = round(process.memory_info().rss / 1e6)
    return {"storage": storage, **figures(found), "pages": compared(timed)}


def figures(found: Mapping[str, dict[str, Any]]) -> dict[str, Any]:
    few, many = found["few"], found["many"]
    return {
        "events": many["events"],
        "seconds": round(many["seconds"]),
        "cpu_seconds": round(many["cpu_seconds"]),
        "server_cpu_seconds": round(many["server_cpu_seconds"]),
        "cpu_ms_an_event": round(1000 * many["cpu_seconds"] / many["events"], 1),
        "cpu_ms_an_event_of_few": round(1000 * few["cpu_seconds"] / few["events"], 1),
        "growth": round(many["last_ms"] / many["first_ms"], 2),
        "share_of_describing": round(many["describing_seconds"] / many["seconds"], 3),
        "metadata_bytes_a_cell": many["metadata_bytes"],
        "megabytes": many["megabytes"],
        "axis_seconds": round(many["axis_seconds"], 2),
        "last_versions_seconds": round(many["last_versions_seconds"], 2),
        "last_event_ms": round(many["last_event_ms"], 1),
        "web_server_megabytes": {size: found[size]["web_server_megabytes"] for size in found},
    }


def compared(timed: Mapping[str, Mapping[str, Page]]) -> dict[str, Any]:
    """By page: seconds of all its queries together, and the slowest one, with the ratio to few cells."""
    out = {}
    for name, many in timed["many"].items():
        few = timed["few"][name]
        slowest = max(many.queries, key=lambda one: one.median)
        alone = max((one.median for one in few.queries if one.name == slowest.name), default=None)
        together = {size: sum(one.median for one in page.queries) for size, page in (("few", few), ("many", many))}
        out[name] = {
            "first_visit_s": round(many.visit.seconds, 2),
            "first_visit_of_few_s": round(few.visit.seconds, 2),
            "subscribed_megabytes": round(many.visit.subscribed_bytes / 1e6, 1),
            "queries": len(many.queries),
            "all_s": round(together["many"], 3),
            "all_ratio": round(together["many"] / together["few"], 2),
            "slowest": slowest.name,
            "first_s": round(slowest.first, 3),
            "median_s": round(slowest.median, 3),
            "worst_s": round(slowest.worst, 3),
            "ratio": round(slowest.median / alone, 2) if alone else None,
            "kilobytes": round(slowest.bytes / 1e3),
        }
    return out


def good(one: Mapping[str, Any]) -> bool:
    return (
        one["growth"] <= GROWTH_BAR
        and one["last_versions_seconds"] <= START_BAR
        and all(page["median_s"] <= PAGE_BAR for name, page in one["pages"].items() if name != "run")
    )


def main() -> int:
    asked = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    asked.add_argument("--cells", type=int, default=8_000, help=f"a multiple of {ITERATIONS}, the iterations")
    asked.add_argument("--storage", nargs="+", choices=("sqlite", "postgres"), default=["sqlite", "postgres"])
    arguments = asked.parse_args()
    if arguments.cells % ITERATIONS or arguments.cells < 4 * ITERATIONS:
        asked.error(f"--cells {arguments.cells} is no multiple of {ITERATIONS} from {4 * ITERATIONS} on")
    if not (shutil.which("chromium") and shutil.which("chromedriver")):
        print(json.dumps({"bench": "dagster_events", "not_measured": "apt-get install chromium chromium-driver"}))
        return 0
    passed = True
    for storage in arguments.storage:
        if storage == "postgres" and server_programs() is None:
            print(json.dumps({"bench": "dagster_events", "storage": storage, "not_measured": "apt-get install postgresql"}))
            continue
        with tempfile.TemporaryDirectory() as scratch:
            one = measured(storage, ITERATIONS, arguments.cells // ITERATIONS, Path(scratch))
        bars = {"growth": GROWTH_BAR, "last_versions_seconds": START_BAR, "median_s": PAGE_BAR}
        print(json.dumps({"bench": "dagster_events", "cells": arguments.cells, **one, "bars": bars}), flush=True)
        passed = passed and good(one)
    return 0 if passed else 1


if __name__ == "__main__":
    sys.exit(main())
