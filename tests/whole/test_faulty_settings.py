"""Experiment files and environment variables that cannot be used: named in a sentence, never shown as a traceback."""

import json
import os
import shutil
import subprocess
import sys

import pytest

from tests.whole.campaign import ROOT

TYPE = "type: tmas_assets.assets.experiment.ExperimentFile\n"
EXPERIMENT = """attributes:
  name: x
  benchmark: {name: %s}
  strategy: {name: %s, settings: %s}
  iterations: 1
  endpoints: {default: {managed: {}}}
"""
STUDY = "type: tmas_assets.assets.study.StudyFile\n"
VARIED = """attributes:
  name: x
  base:
    benchmark: {name: math500}
    strategy: {name: %s}
    iterations: 1
    endpoints: {default: {managed: {}}}
  vary: [{field: strategy.settings.%s, values: %s}]
"""
BODIES = {
    "type: [unclosed": "is not YAML",
    TYPE + "attributes:\n\t- x": "is not YAML",
    "": "type: nothing found",
    "just text": "type: nothing found",
    "- a\n- b": "type: nothing found",
    "type: nowhere.Nothing\nattributes: {}": "type: nowhere.Nothing: Module `nowhere` not found",
    TYPE: "attributes: nothing found",
    TYPE + "attribute: {}": "attribute",
    TYPE + "attributes: {name: x, iterations: many}": "iterations",
    TYPE + EXPERIMENT % ("math500", "tmas", "{candidate: 2}"): "attributes.strategy.settings.candidate",
    TYPE + EXPERIMENT % ("math500", "tmsa", "{}"): "attributes.strategy.name: no strategy 'tmsa'",
    TYPE + EXPERIMENT % ("math501", "tmas", "{}"): "attributes.benchmark: no benchmark named 'math501'",
    STUDY: "attributes: nothing found; a study needs",
    STUDY + "attributes: {name: x, base: {}, vary: [{field: iterations, value: 3}]}": "vary.0.value",
    STUDY + VARIED % ("tmas", "epsilon", "[0, 2]"): "attributes.vary.0.values.1: strategy.settings.epsilon",
    STUDY + VARIED % ("tmas", "epsilon", "[0, 2]") + "#": "in member x_epsilon_2",
    STUDY + VARIED % ("tmsa", "epsilon", "[0, 1]"): "attributes.base.strategy.name: no strategy 'tmsa'",
    STUDY + VARIED % ("tmas", "banks", "[[]]"): "give `labels`",
}
LOAD = """
import json, pathlib, sys, warnings
warnings.simplefilter("ignore")
from tmas_assets.assets.experiment import ExperimentFault
from tmas_assets.definitions import experiment_files
file = pathlib.Path(sys.argv[1])
said = []
for body in json.load(sys.stdin):
    file.write_text(body)
    try:
        experiment_files()
        said.append("nothing")
    except ExperimentFault as fault:
        said.append(str(fault))
json.dump(said, sys.stdout)
"""


def test_every_kind_of_broken_experiment_file_is_refused_with_its_path_and_field(tmp_path):
    for part in ("tmas_assets", "resources", "partitions", "pyproject.toml"):
        copy = shutil.copytree if (ROOT / part).is_dir() else shutil.copy
        copy(ROOT / part, tmp_path / part)
    broken = tmp_path / "tmas_assets" / "defs" / "broken" / "defs.yaml"
    broken.parent.mkdir()
    done = subprocess.run(
        [sys.executable, "-c", LOAD, str(broken)],
        input=json.dumps(list(BODIES)),
        env={**os.environ, "PYTHONPATH": str(tmp_path)},
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    for (body, words), said in zip(BODIES.items(), json.loads(done.stdout), strict=True):
        assert str(broken) in said, body
        assert words in said, body


@pytest.mark.parametrize(
    ("name", "value", "words"),
    [
        ("TMAS_GRADING_WORKERS", "many", "TMAS_GRADING_WORKERS is 'many' and should be a whole number"),
        ("TMAS_GRADING_WORKERS", "0", "at least 1"),
        ("TMAS_SERVER_LINGER", "nan", "TMAS_SERVER_LINGER is 'nan'"),
        ("TMAS_STORE_OPTIONS", "[1]", "should be a JSON object"),
        ("TMAS_STORE", "ftpx://host/x", "store 'ftpx://host/x' cannot be opened"),
        ("TMAS_STORE_OPTIONS", '{"auto_mkdir": true, "nope": 1}', "no file at"),
    ],
)
def test_a_wrong_environment_variable_is_named(tmp_path, name, value, words):
    done = tmas("report", "demo", TMAS_HOME=str(tmp_path), **{name: value})
    assert (done.returncode, "Traceback" in done.stderr) == (1, False), done.stderr
    assert words in done.stderr


@pytest.mark.parametrize(
    ("home", "words"),
    [("relative/x", "should be an absolute path"), ("/proc/nowhere", "Dagster's storage at DAGSTER_HOME /proc/nowhere")],
)
def test_a_dagster_home_that_cannot_be_used_is_named(tmp_path, home, words):
    done = tmas("run", "demo", TMAS_HOME=str(tmp_path), DAGSTER_HOME=home)
    assert (done.returncode, "Traceback" in done.stderr) == (1, False), done.stderr
    assert words in done.stderr


def tmas(*arguments: str, **environment: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [sys.executable, "-m", "tmas_assets.cli", *arguments],
        env={**os.environ, "COLUMNS": "400", **environment},
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
