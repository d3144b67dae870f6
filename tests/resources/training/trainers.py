"""What tests of trainers share: plans, a job that runs the stand-in, and an interpreter that skips the launcher."""

import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from resources.serving.server_files import start_time
from resources.training.trainer_job import TrainerJob
from tmas_assets.records.trainer import TrainerPlan
from tmas_assets.records.training import Conversations, Launch, Optimisation, Sft, Training

STANDIN = str(Path(__file__).with_name("standin_trainer.py"))
BARE = """#!{python}
import os, sys
if sys.argv[1] == "-c":
    os.execv({python!r}, [{python!r}, {flags} *sys.argv[1:]])
os.environ["RANK"] = "0"
os.execv({python!r}, [{python!r}, *sys.argv[-2:]])
"""


def training(**launch: Any) -> Training:
    return Training(
        name="demo", conversations=Conversations(set="rows"), sft=Sft(), optimisation=Optimisation(learning_rate=1e-4),
        launch=Launch(**launch),
    )  # fmt: skip


def plan(folder: Path, **launch: Any) -> TrainerPlan:
    return TrainerPlan(
        training=training(**launch), iteration=2, model="model", state=None, rows=("rows", "sft"), rows_partition=(),
        rows_digest="0" * 64, states=str(folder / "states"), output=str(folder / "output"),
        figures=str(folder / "figures.jsonl"),
    )  # fmt: skip


def job(home: Path) -> TrainerJob:
    return TrainerJob(scratch=str(home), program=(STANDIN,))


def bare_python(folder: Path, flags: str = "") -> str:
    """An interpreter that starts one rank itself where a launcher is asked for: what is tested then is not the launcher's."""
    script = folder / "bare_python"
    script.write_text(BARE.format(python=sys.executable, flags=flags))
    script.chmod(0o755)
    return str(script)


def alive(pids: list[int]) -> list[int]:
    return [pid for pid in pids if start_time(pid)]


def pids(folder: Path, ranks: int) -> list[int]:
    """Of every rank and what it started, once all have said so."""
    wait_until(lambda: all((folder / f"pids-{rank}").exists() for rank in range(ranks)), 60, "the ranks start")
    return [int(pid) for rank in range(ranks) for pid in (folder / f"pids-{rank}").read_text().split()]


def wait_until(true: Callable[[], object], seconds: float, what: str) -> None:
    end = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < end, f"not within {seconds} s: {what}"
        time.sleep(0.05)
