"""`tmas benchmarks` lists all of them within 80 columns, says where their data is, and fetches nothing."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tmas_assets.benchmarks import benchmarks

TMAS = Path(sys.executable).with_name("tmas")


def tmas(*arguments, home, **environment):
    unset = ("HF_TOKEN", "HUGGING_FACE_HUB_TOKEN", "TMAS_DATA")
    plain = {name: value for name, value in os.environ.items() if name not in unset}
    given = {"COLUMNS": "80", "TMAS_HOME": str(home), "HF_HOME": str(home / "hf"), "HTTPS_PROXY": "http://127.0.0.1:9"}
    done = subprocess.run([TMAS, "benchmarks", *arguments], capture_output=True, text=True, env={**plain, **given, **environment})
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture
def home(tmp_path):
    return tmp_path / "home"


def test_every_benchmark_has_a_line_that_fits_80_columns(home):
    shown = tmas(home=home)
    lines = shown.splitlines()
    assert max(len(line) for line in lines) <= 80
    for name in benchmarks():
        assert sum(line.split()[:1] == [name] for line in lines) == 1
    assert "imo_answerbench_50" in shown
    assert shown.count("GPQA is gated: accept its terms") == 1
    assert not home.exists() or not any(home.rglob("*.csv")), "nothing is fetched"


def test_json_is_a_record_a_line_with_rows_graders_licence_and_place(home, tmp_path):
    lines = {line["name"]: line for line in map(json.loads, tmas("--json", home=home).splitlines())}
    assert list(lines) == list(benchmarks())
    assert lines["hle_math_100"]["graders"] == ["math", "choice"]
    assert lines["hle_math_100"]["available"]["place"] == "needs token"
    assert (lines["mbpp_sanitized"]["rows"], lines["mbpp_sanitized"]["licence"]) == (257, "CC-BY-4.0")
    assert lines["reasoning_gym"]["rows"] is None
    assert lines["reasoning_gym"]["available"] == {"place": "generated", "detail": ""}
    assert lines["imo_answerbench"]["releases"] == ["v2", "v1"]
    assert "not public" in lines["imo_answerbench_50"]["note"]
    with_token = {line["name"]: line for line in map(json.loads, tmas("--json", home=home, HF_TOKEN="hf_x").splitlines())}
    assert with_token["gpqa_diamond"]["available"]["place"] == "download"
