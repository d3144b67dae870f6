"""The programs that validate deploy/, from build/deploy (made by tests/services.sh), and the files they validate."""

import os
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.resources.postgres import postgres_server

__all__ = ["postgres_server"]

ROOT = Path(__file__).resolve().parents[2]
DEPLOY = ROOT / "deploy"
PROGRAMS = ROOT / "build" / "deploy" / "bin"
Program = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture(scope="session")
def programs() -> Path:
    """The folder of all of them. On a machine that could not install them such tests are skipped, except in CI."""
    if not (PROGRAMS.parent / ".ready").exists():
        missing = "build/deploy is not there: tests/services.sh makes it from requirements/deploy-tests.txt"
        if os.environ.get("CI"):
            pytest.fail(missing)
        pytest.skip(missing)
    return PROGRAMS


@pytest.fixture(scope="session")
def program(programs: Path) -> Program:
    """Run one of them: `program("helm", "lint", folder, given="its input", NAME="an environment variable")`."""

    def run(name: str, *arguments: str, given: str | None = None, **variables: str) -> "subprocess.CompletedProcess[str]":
        kept = {key: value for key, value in os.environ.items() if key in ("PATH", "HOME", "LANG", "TMPDIR")}
        return subprocess.run(
            [str(programs / name), *arguments], cwd=ROOT, env={**kept, **variables}, input=given, capture_output=True, text=True,
            timeout=120, check=False,
        )

    return run


def document(path: Path) -> Any:
    return yaml.safe_load(path.read_text())
