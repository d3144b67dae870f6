"""Where tests that need the real model find it: one home for all workers of a session, so one server serves all."""

import os
from pathlib import Path

import pytest


def real_home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """TMAS_TEST_HOME, or one folder for all workers of this test session."""
    stated = os.environ.get("TMAS_TEST_HOME")
    if stated:
        return Path(stated)
    base = tmp_path_factory.getbasetemp()
    return (base.parent if os.environ.get("PYTEST_XDIST_WORKER") else base) / "tmas-home"
