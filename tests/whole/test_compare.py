"""`tmas compare` as a user types it, on two experiments of a project of their own that really ran."""

import json
import os
import shutil
import subprocess
import sys

import pytest

from tests.scripted import launch
from tests.whole.campaign import ROOT

FILE = """type: tmas_assets.assets.experiment.ExperimentFile
attributes:
  name: {name}
  benchmark: {{name: reasoning_gym, release: tests, settings: {{tasks: [{{name: chain_sum}}], size: 4, seed: 5}}}}
  strategy: {{name: tmas, settings: {{candidates: {candidates}, verifications: 1}}}}
  iterations: 2
  endpoints: {{default: {{urls: ["{url}"], model: scripted, revision: "1", structured_output: true}}}}
"""


@pytest.fixture
def tmas(tmp_path):
    """The command, in a copy of the project with experiments `wide` and `narrow`."""
    for part in ("tmas_assets", "resources", "partitions", "pyproject.toml", "dagster.yaml"):
        copy = shutil.copytree if (ROOT / part).is_dir() else shutil.copy
        copy(ROOT / part, tmp_path / part)
    with launch.thread() as server:
        for name, candidates in (("wide", 4), ("narrow", 2)):
            folder = tmp_path / "tmas_assets" / "defs" / name
            folder.mkdir()
            (folder / "defs.yaml").write_text(FILE.format(name=name, candidates=candidates, url=server.url))

        def run(*arguments):
            return subprocess.run(
                [sys.executable, "-m", "tmas_assets.cli", *arguments],
                env={**os.environ, "PYTHONPATH": str(tmp_path), "TMAS_HOME": str(tmp_path / "home"), "COLUMNS": "80"},
                cwd=tmp_path,
                capture_output=True,
                text=True,
                check=False,
            )

        yield run


def test_two_experiments_are_compared_in_words_and_as_json(tmas):
    for name in ("wide", "narrow"):
        done = tmas("run", name)
        assert done.returncode == 0, done.stderr
        assert "Figures by iteration" in done.stdout
    shown = tmas("compare", "wide", "narrow")
    assert (shown.returncode, shown.stderr) == (0, "")
    flat = " ".join(shown.stdout.split())
    assert "At the same iteration, wide t01" in flat
    assert "with 4 problems: A − B is" in flat
    assert all(len(line) <= 80 for line in shown.stdout.splitlines())
    rows = json.loads(tmas("compare", "wide", "narrow", "--json").stdout)
    assert [row["basis"] for row in rows] == ["iterations", "calls of A", "calls of B", "tokens of A", "tokens of B"]
    assert rows[0]["difference"]["problems"] == 4
    assert rows[0]["a"]["tokens"] > rows[0]["b"]["tokens"] > 0
