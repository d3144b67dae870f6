"""The demo's real path: the `tmas` command, Dagster, vLLM on this CPU and the default model, on two problems."""

import json
import os
import re
import subprocess
import sys
import urllib.request
from pathlib import Path

import pytest

from tests.real_model import real_home
from tmas_assets.records import Verification
from tmas_assets.records.schema import from_table

TMAS = Path(sys.executable).with_name("tmas")
PART = ("run", "demo", "--iterations", "0..1", "-p", "chain_sum-0000", "-p", "products-0000", "--quiet")

pytestmark = [pytest.mark.vllm, pytest.mark.timeout(600)]


def metrics(home: Path) -> dict[str, float]:
    """vLLM's own counters of the server in `home` that was used last."""
    used = max((home / "servers").glob("*/last_use.json"), key=lambda path: path.stat().st_mtime)
    port = json.loads(used.with_name("state.json").read_text())["port"]
    with urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics", timeout=30) as reply:
        text = reply.read().decode()
    return {
        name: float(value) for name, value in re.findall(r"^(vllm:prefix_cache_\w+_total)\{.*\} (\S+)$", text, re.M)
    }


def test_tmas_runs_on_a_real_model_and_again_without_it(tmp_path, tmp_path_factory):
    import pyarrow.parquet as pq

    home = real_home(tmp_path_factory)
    environment = {
        **os.environ,
        "TMAS_HOME": str(home),
        "TMAS_STORE": str(tmp_path / "store"),
        "TMAS_CALL_LOG": f"sqlite:///{tmp_path}/calls.sqlite",
        "TMAS_REPORTS": str(tmp_path / "reports"),
        "TMAS_SERVER_LINGER": "60",
        "DAGSTER_HOME": str(tmp_path / "dagster"),
        "COLUMNS": "140",
    }

    def tmas(*arguments: str) -> str:
        done = subprocess.run([TMAS, *arguments], env=environment, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr + done.stdout
        return done.stdout

    first = tmas(*PART)
    assert "4/4 cells (0 found), 72 model calls, 0 from the call log" in first
    assert "report page:" in first
    assert (tmp_path / "reports" / "demo.html").stat().st_size > 10_000

    checks = [
        row
        for path in (tmp_path / "store" / "demo" / "verifier_scores").rglob("*.parquet")
        for row in from_table(Verification, pq.read_table(path))
    ]
    assert len(checks) == 32
    assert sum(check.parse == "parsed" for check in checks) >= 30
    counted = metrics(home)
    assert counted["vllm:prefix_cache_hits_total"] > 0

    assert "4/4 cells (4 found), 0 model calls" in tmas(*PART)
