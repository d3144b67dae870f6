"""Small experiments that are refreshed, with all that operates them, and models that add: one well, one badly."""

import json
import re
from pathlib import Path
from typing import Any

import dagster as dg

from tests.scripted.replies import Asked, Reply
from tests.whole import location
from tests.whole.conftest import Project
from tests.whole.experiments import endpoint
from tmas_assets.assets.refresh.operations import operated_of
from tmas_assets.records import Experiment

_SUM = re.compile(r"What is (\d+) \+ (\d+)\?")


def adding(asked: Asked) -> Reply:
    """Right nine times in ten."""
    return _sum(asked, 0.9)


def guessing(asked: Asked) -> Reply:
    """Right one time in ten."""
    return _sum(asked, 0.1)


def _sum(asked: Asked, right: float) -> Reply:
    found = _SUM.search(asked.prompt)
    assert found is not None, asked.prompt
    off = 0 if asked.random().random() < right else 1
    return Reply(rf"It is \boxed{{{int(found[1]) + int(found[2]) + off}}}.")


def write_problems(folder: Path, count: int) -> str:
    """A file of `count` sums; a longer one begins with the shorter."""
    rows = [{"question": f"What is {7 * n} + {n + 3}?", "answer": str(8 * n + 3), "id": f"s{n:02d}"} for n in range(count)]
    (folder / "sums.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    return str(folder / "sums.jsonl")


def sums(url: str, folder: Path, **change: Any) -> Experiment:
    """One call an answer, two answers a problem of `folder`/sums.jsonl."""
    body = {
        "name": "nightly",
        "benchmark": {"name": "problem_file", "release": "mine", "settings": {
            "file": str(folder / "sums.jsonl"), "fields": {"id": "id"}, "grader": "integer", "licence": "mine",
        }},
        "strategy": {"name": "single"}, "iterations": 1, "repeats": 2,
        "endpoints": {"default": endpoint(url, max_attempts=2)},
        "refresh": {"cron": "15 2 * * *", "time_zone": "Europe/Berlin"},
    }  # fmt: skip
    return Experiment.model_validate(body | change)


def definitions(asked: Experiment, folder: Path) -> dg.Definitions:
    return operated_of(location.definitions(asked, folder), [asked], [], [])


class Nightly(Project):
    """The same as a project, operated."""

    def __init__(self, experiment: Experiment, folder: Path, instance: dg.DagsterInstance) -> None:
        super().__init__(experiment, folder, instance)
        self.defs = definitions(experiment, folder)

    def accept(self) -> dg.ExecuteInProcessResult:
        name = self.experiment.name
        return self.defs.resolve_job_def(f"{name}_campaign").execute_in_process(
            instance=self.instance, run_config={"ops": {f"{name}_no_regression": {"config": {"accept": True}}}}, raise_on_error=False
        )
