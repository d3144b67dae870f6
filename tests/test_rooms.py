"""The rooms of the project: imports only point up the list, and the code location stays light."""

import ast
import json
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
ROOMS = (
    "tmas_assets.records",
    "tmas_assets.benchmarks",
    "tmas_assets.grading",
    "tmas_assets.memory",
    "tmas_assets.agents",
    "tmas_assets.strategies",
    "tmas_assets.rewards",
    "tmas_assets.statistics",
    "tmas_assets.curation",
    "tmas_assets.training",
    "tmas_assets.reports",
    "partitions",
    "resources",
    "tmas_assets.engine",
    "tmas_assets.assets",
    "tmas_assets.checks",
    "tmas_assets.defs",
    "tmas_assets.definitions",
    "tmas_assets.commands",
    "tmas_assets.cli",
)
HEAVY = ("torch", "vllm", "trl", "transformers", "deepspeed", "sympy", "reasoning_gym", "math_verify", "matplotlib")


def modules():
    for top in ("tmas_assets", "resources", "partitions"):
        for path in sorted((ROOT / top).rglob("*.py")):
            parts = path.relative_to(ROOT).with_suffix("").parts
            yield ".".join(parts[:-1] if parts[-1] == "__init__" else parts), path


def room(module):
    found = [index for index, name in enumerate(ROOMS) if module == name or module.startswith(name + ".")]
    return found[0] if found else None


def imported(path):
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative import"
            yield node.module
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def test_every_module_lies_in_a_room():
    assert [name for name, _ in modules() if room(name) is None] == ["tmas_assets"]


@pytest.mark.parametrize(("module", "path"), [pytest.param(*found, id=found[0]) for found in modules()])
def test_imports_point_up(module, path):
    own = room(module)
    for name in imported(path):
        other = room(name)
        assert other is None or own is None or other <= own, f"{module} imports {name} from a room below it"


def test_no_room_is_listed_that_points_at_nothing():
    there = {name for name, _ in modules()}
    assert [name for name in ROOMS if name not in there] == []


def test_loading_the_code_location_imports_nothing_heavy(tmp_path):
    code = (
        "import sys, json; from tmas_assets.definitions import defs; defs();"
        f"print(json.dumps([name for name in {HEAVY!r} if name in sys.modules]))"
    )
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", code],
        capture_output=True,
        text=True,
        cwd=ROOT,
        env={"PATH": "/usr/bin:/bin", "TMAS_HOME": str(tmp_path), "HOME": str(tmp_path)},
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout.splitlines()[-1]) == []


def test_modules_stay_short():
    long = {name: lines for name, path in modules() if (lines := len(path.read_text().splitlines())) > 300}
    assert long == {}
