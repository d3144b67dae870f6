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
    "type: nowhere.Nothing\nattributes: {}": "type: nowhere.Nothing: there is no such component",
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
WITH_ONE_FILE_MORE = {
    TYPE + EXPERIMENT % ("math501", "tmas", "{epsilon: 3, candidate: 2}"): (
        "attributes.strategy.settings.epsilon: Input should be less than or equal to 1 (found 3)",
        "attributes.strategy.settings.candidate: there is no such field; did you mean candidates? known: candidates",
        "attributes.benchmark: no benchmark named 'math501'; did you mean math500?",
    ),
    TYPE + "attributes: {name: x, iterations: many, colour: red}": (
        ":2: attributes.iterations: Input", ":2: attributes.colour: there is no such field; known: name", "attributes.strategy: missing",
    ),
    TYPE.replace("File\n", "Fil\n") + "attributes: {}": (
        "did you mean tmas_assets.assets.experiment.ExperimentFile?",
    ),
    TYPE + "attribute: {}": (":2: attribute: there is no such field; did you mean attributes?",),
}  # fmt: skip
LOAD = """
import json, pathlib, sys, warnings
warnings.simplefilter("ignore")
from tmas_assets.assets.experiment import ExperimentFault
from tmas_assets.assets.location import loaded
file = pathlib.Path(sys.argv[1])
said = []
for body in json.load(sys.stdin):
    file.write_text(body)
    try:
        loaded()
        said.append("nothing")
    except ExperimentFault as fault:
        said.append(str(fault))
json.dump(said, sys.stdout)
"""


@pytest.fixture(scope="module")
def project(tmp_path_factory):
    """A copy of the project, with a folder `broken` for the file that is."""
    folder = tmp_path_factory.mktemp("project")
    for part in ("tmas_assets", "resources", "partitions", "pyproject.toml"):
        copy = shutil.copytree if (ROOT / part).is_dir() else shutil.copy
        copy(ROOT / part, folder / part)
    (folder / "tmas_assets" / "defs" / "broken").mkdir()
    return folder


def said_of(bodies, project):
    """The file that each body is written to in turn, and what loading the project says then."""
    broken = project / "tmas_assets" / "defs" / "broken" / "defs.yaml"
    done = subprocess.run(
        [sys.executable, "-c", LOAD, str(broken)],
        input=json.dumps(list(bodies)),
        env={**os.environ, "PYTHONPATH": str(project)},
        cwd=project,
        capture_output=True,
        text=True,
        check=False,
    )
    broken.unlink()
    assert done.returncode == 0, done.stderr
    return str(broken), json.loads(done.stdout)


def test_every_kind_of_broken_experiment_file_is_refused_with_its_path_and_field(project):
    broken, all_said = said_of(BODIES, project)
    for (body, words), said in zip(BODIES.items(), all_said, strict=True):
        assert broken in said, body
        assert words in said, body


def test_all_faults_of_all_files_are_said_at_once_and_no_other_file_is_blamed(project):
    other = project / "tmas_assets" / "defs" / "a_second" / "defs.yaml"
    other.parent.mkdir()
    try:
        for body, words in WITH_ONE_FILE_MORE.items():
            at_the_type = "Fil\n" in body
            other.write_text("type: nowhere.Nothing" if at_the_type else TYPE + "attributes: {name: z, iterations: few}")
            broken, (said,) = said_of([body], project)
            assert all(word in said for word in words), said
            files = {line.split("defs.yaml")[0] + "defs.yaml" for line in said.splitlines()}
            whole_file = "attribute: {}" in body  # Dagster reads no field of any file until each is a component's
            assert files == ({broken} if whole_file else {broken, str(other)}), said
    finally:
        shutil.rmtree(other.parent)


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
