"""`tmas compare` as a user types it, on two experiments of a project of their own that really ran."""

import json
import os
import shutil
import subprocess
import sys
from contextlib import contextmanager

import pytest

from tests.scripted import launch
from tests.whole.campaign import ROOT

FILE = """type: tmas_assets.assets.experiment.ExperimentFile
attributes:
  name: {name}
  benchmark: {{name: reasoning_gym, {problems}}}
  strategy: {{name: tmas, settings: {{candidates: {candidates}, verifications: 1}}}}
  iterations: 2
  endpoints: {{default: {{urls: ["{url}"], model: scripted, revision: "1", structured_output: true}}}}
"""
SAME, OTHERS = (
    f"release: {release}, settings: {{tasks: [{{name: chain_sum}}], size: 4, seed: {seed}}}" for release, seed in (("tests", 5), ("others", 6))
)
STUDY = """type: tmas_assets.assets.study.StudyFile
attributes:
  name: widths
  base:
    benchmark: {{name: reasoning_gym, release: tests, settings: {{tasks: [{{name: chain_sum}}], size: 4, seed: 5}}}}
    strategy: {{name: tmas, settings: {{verifications: 1}}}}
    iterations: 2
    endpoints: {{default: {{urls: ["{url}"], model: scripted, revision: "1", structured_output: true}}}}
  vary: [{{field: strategy.settings.candidates, label: n, values: [1, 2]}}]
"""


@contextmanager
def project(folder):
    """The command, in a copy of the project that has four experiments and a study of its own and no other."""
    for part in ("tmas_assets", "resources", "partitions", "pyproject.toml", "dagster.yaml"):
        copy = shutil.copytree if (ROOT / part).is_dir() else shutil.copy
        copy(ROOT / part, folder / part)
    files = folder / "tmas_assets" / "defs"
    for shipped in files.glob("*/defs.yaml"):  # loaded by every command, asked for by none
        shutil.rmtree(shipped.parent)
    with launch.thread() as server:
        (files / "widths").mkdir()
        (files / "widths" / "defs.yaml").write_text(STUDY.format(url=server.url))
        for name, candidates, problems in (("wide", 4, SAME), ("narrow", 2, SAME), ("idle", 2, SAME), ("elsewhere", 2, OTHERS)):
            (files / name).mkdir()
            (files / name / "defs.yaml").write_text(FILE.format(name=name, candidates=candidates, url=server.url, problems=problems))

        def run(*arguments):
            return subprocess.run(
                [sys.executable, "-m", "tmas_assets.cli", *arguments],
                env={**os.environ, "PYTHONPATH": str(folder), "TMAS_HOME": str(folder / "home"), "COLUMNS": "80"},
                cwd=folder,
                capture_output=True,
                text=True,
                check=False,
            )

        yield run


@pytest.fixture
def tmas(tmp_path):
    with project(tmp_path) as run:
        yield run


@pytest.fixture(scope="module")
def after_wide(tmp_path_factory):
    """The command where `wide` has run, for both tests that compare it."""
    with project(tmp_path_factory.mktemp("compared")) as run:
        done = run("run", "wide")
        assert (done.returncode, "Figures by iteration" in done.stdout) == (0, True), done.stderr
        yield run


def test_one_that_has_not_run_and_one_on_other_problems_are_said_to_be_that(after_wide):
    never = after_wide("compare", "wide", "idle")  # on the same problems, whose table is there
    assert (never.returncode, never.stderr) == (
        1, "tmas: idle has not run under the present settings; `tmas run idle` first\n"
    )  # fmt: skip
    assert after_wide("run", "elsewhere").returncode == 0
    other = " ".join(after_wide("compare", "wide", "elsewhere").stderr.split())
    assert "they have different problems, wide those of problems/reasoning_gym_tests and elsewhere those of" in other


def test_two_experiments_are_compared_in_words_and_as_json(after_wide):
    done = after_wide("run", "narrow")
    assert done.returncode == 0, done.stderr
    assert "Figures by iteration" in done.stdout
    shown = after_wide("compare", "wide", "narrow")
    assert (shown.returncode, shown.stderr) == (0, "")
    flat = " ".join(shown.stdout.split())
    assert "At the same iteration, wide t01" in flat
    assert "with 4 problems: A − B is" in flat
    assert all(len(line) <= 80 for line in shown.stdout.splitlines())
    rows = json.loads(after_wide("compare", "wide", "narrow", "--json").stdout)
    assert [row["basis"] for row in rows] == ["iterations", "calls of A", "calls of B", "tokens of A", "tokens of B"]
    assert rows[0]["difference"]["problems"] == 4
    assert rows[0]["a"]["tokens"] > rows[0]["b"]["tokens"] > 0


def test_a_study_is_run_and_compared_by_its_name_and_its_members_stand_on_the_leaderboard(tmas):
    done = tmas("run", "widths")
    assert (done.returncode, done.stderr) == (0, "")
    assert all(len(line) <= 80 for line in done.stdout.splitlines() if "/" not in line and "cells" not in line)
    for member in ("widths_n_1", "widths_n_2"):
        assert f"{member} " in done.stdout
        assert f"{member}: 8/8 cells (0 found)" in " ".join(done.stdout.replace(" (1/2)", "").replace(" (2/2)", "").split())
    assert "comparison page: " in done.stdout
    asked = [line for line in tmas("run", "widths").stdout.splitlines() if " model calls" in line]
    assert len(asked) == 2
    assert all("(8 found), 0 model calls" in line for line in asked)
    assert "Against n_1, points" in done.stdout
    rows = json.loads(tmas("compare", "widths", "--json").stdout)
    assert [row["label"] for row in rows] == ["n_1", "n_2"]
    assert [len(row["against"]) for row in rows] == [0, 4]
    board = tmas("leaderboard")
    assert (board.returncode, board.stderr) == (0, "")
    assert "reasoning_gym tests" in board.stdout
    assert "Against …n_" in board.stdout
    assert "… stands for widths" in board.stdout
    assert "leaderboard page: " in board.stdout
